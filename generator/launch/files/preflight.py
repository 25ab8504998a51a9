"""Looks at this machine before the run and says in words what is wrong. Needs Python alone, no PyTorch.

`python preflight.py` checks; `--record DIR` keeps what the tools printed, `--recorded DIR` checks such a copy. The exit
status is 1 when the run would fail, else 0. What is expected, and all words, stand in trainfit.json.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib import metadata
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
QUERY = "index,name,memory.total,ecc.mode.current,driver_version"
COMMANDS = {
    "gpus": ["nvidia-smi", f"--query-gpu={QUERY}", "--format=csv,noheader,nounits"],
    "smi": ["nvidia-smi"],
    "topology": ["nvidia-smi", "topo", "-m"],
    "p2p": ["nvidia-smi", "topo", "-p2p", "r"],
    "lspci": ["lspci", "-vvv"],
    "cxx": ["c++", "--version"],
    "rocm": ["rocm-smi", "--showproductname", "--showmeminfo", "vram"],
}
"""What is asked, and under which name the answer is kept."""
MIB_PER_GIB = 1024
GIB = 1 << 30
SIGNS = {"ok": "[ok]", "note": "[i] ", "warn": "[!] ", "fail": "[x] "}
TIMEOUT_S = 60
SHOWN_BRIDGES = 4
ROOM = 0.98
"""Memory sizes are compared with a little room: a card shows a few MiB less than another of its kind."""


def read_machine() -> dict[str, str]:
    """Name of a question → what the machine answers; nothing where the tool is missing or fails."""
    answers = {}
    for name, command in COMMANDS.items():
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            answers[name] = done.stdout
    meminfo = Path("/proc/meminfo")
    if meminfo.is_file():
        answers["meminfo"] = meminfo.read_text(encoding="utf-8")
    answers["disk"] = f"{shutil.disk_usage(HERE).free}\n"
    answers["headers"] = f"{(Path(sysconfig.get_paths()['include']) / 'Python.h').is_file()}\n"
    answers["python"] = f"{sys.version_info.major}.{sys.version_info.minor}\n"
    answers["packages"] = "".join(f"{each.name}=={each.version}\n" for each in metadata.distributions() if each.name)
    return answers


def read_recorded(folder: Path) -> dict[str, str]:
    """The answers that `--record` kept in a folder."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt"))}


def keep(answers: dict[str, str], folder: Path) -> None:
    """Writes each answer into a file of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in answers.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")


class Report:
    """What was found, in order."""

    def __init__(self, messages: dict[str, str], language: str = "en") -> None:
        self.messages = messages
        self.comma = "," if language == "ru" else "."
        self.found: list[tuple[str, str, str]] = []

    def add(self, level: str, key: str, **values: object) -> None:
        """Adds the message `preflight.<key>` with its placeholders filled."""
        self.found.append((level, key, self.messages[f"preflight.{key}"].format(**values)))

    def gib(self, value: float) -> str:
        """GiB with one decimal, as the reader's language writes it."""
        return f"{value:.1f}".replace(".", self.comma)

    @property
    def last(self) -> str:
        """The last line: whether to look at anything."""
        if self.failed:
            return self.messages["preflight.bad"]
        warned = any(level == "warn" for level, _, _ in self.found)
        return self.messages["preflight.warned" if warned else "preflight.good"]

    @property
    def failed(self) -> bool:
        """Whether the run would fail."""
        return any(level == "fail" for level, _, _ in self.found)


def check(expected: dict[str, Any], answers: dict[str, str], messages: dict[str, str]) -> Report:
    """Compares a machine with what trainfit.json expects of it."""
    report = Report(messages, expected["language"])
    gpus = gpus_of(answers.get("gpus", ""))
    if gpus:
        used = check_gpus(report, expected, gpus)
        check_memory(report, expected["expected"], used, answers)
        check_cuda(report, expected, answers.get("smi", ""), gpus[0]["driver"])
        if expected["expected"]["gpus"] > 1:
            check_links(report, expected["expected"], answers, len(gpus), {int(gpu["index"]) for gpu in used})
    elif is_amd(answers):
        report.add("fail", "amd", gpu=expected["expected"]["gpu"])
    else:
        report.add("fail", "no_gpu")
    check_host(report, expected["expected"], answers)
    check_packages(report, expected, answers)
    if expected["settings"]["cpu_offload"] == "optimizer":
        check_compiler(report, answers)
    return report


def gpus_of(text: str) -> list[dict[str, str]]:
    """One entry for each line of the CSV that nvidia-smi prints.

    A card that shares the memory of the host has none of its own to print: `[N/A]`.
    """
    names = ("index", "name", "memory_mib", "ecc", "driver")
    rows = [
        [cell.strip() for cell in line.split(",")] for line in text.splitlines() if line.count(",") >= len(names) - 1
    ]
    return [dict(zip(names, row, strict=False)) for row in rows if row[0].isdigit()]


def is_amd(answers: dict[str, str]) -> bool:
    """Whether the cards are AMD's."""
    card = re.search(
        r"(?:Display controller|VGA compatible controller|Processing accelerators): .*AMD/ATI", answers.get("lspci", "")
    )
    return "Card Series" in answers.get("rocm", "") or card is not None


def check_gpus(report: Report, record: dict[str, Any], gpus: list[dict[str, str]]) -> list[dict[str, str]]:
    """How many cards there are, and of which kind; returns those that the run would use."""
    expected = record["expected"]
    wanted = expected["gpus"]
    names = list(dict.fromkeys(gpu["name"] for gpu in gpus))
    planned = {plain(name) for name in expected["gpu_names"]}
    fitting = [gpu for gpu in gpus if plain(gpu["name"]) in planned]
    if len(names) > 1 and len(fitting) >= wanted:  # a workstation with another card for the display
        used = fitting[:wanted]
        devices = ",".join(gpu["index"] for gpu in used)
        report.add("warn", "choose", names=", ".join(names), expected=wanted, gpu=expected["gpu"], devices=devices)
        return used
    if len(gpus) < wanted:
        report.add("fail", "too_few", found=len(gpus), expected=wanted)
    elif len(gpus) > wanted:
        devices = ",".join(gpu["index"] for gpu in gpus[:wanted])
        # Axolotl starts a process on every card that it sees; the others start as many as the plan has.
        level = "warn" if record["framework"] == "axolotl" else "note"
        report.add(level, "more_gpus", found=len(gpus), expected=wanted, devices=devices)
    if len(names) > 1:
        report.add("fail", "mixed", names=", ".join(names))
        return gpus
    if not fitting:
        report.add("warn", "other_gpu", found=names[0], expected=expected["gpu"])
    elif len(gpus) >= wanted:
        report.add("ok", "gpus", found=len(gpus), name=names[0])
    return gpus[:wanted]


def plain(name: str) -> str:
    """A name without case, blanks and the vendor."""
    return re.sub(r"[^a-z0-9]|nvidia|generation", "", name.lower())


def check_memory(report: Report, expected: dict[str, Any], gpus: list[dict[str, str]], answers: dict[str, str]) -> None:
    """Visible memory, and whether ECC takes its share."""
    peak, overhead = expected["peak_gib"]["expected"], expected["overhead_gib"]
    if not all(gpu["memory_mib"].isdigit() for gpu in gpus):
        found = host_gib(answers)
        level = "fail" if found is not None and peak + overhead > found else "note"
        report.add(level, "memory_shared", found="?" if found is None else f"{found:.0f}", peak=report.gib(peak))
        return
    smallest = min(gpus, key=lambda gpu: int(gpu["memory_mib"]))
    ecc = "on" if smallest["ecc"] == "Enabled" else "off"
    total = int(smallest["memory_mib"])
    # PyTorch sees a little less than the driver reports: the share that it sees of the card in the record.
    share = expected["visible_gib"][ecc] * MIB_PER_GIB / expected["memory_mib"][ecc]
    visible = total / MIB_PER_GIB * share
    values = {"total": total, "visible": report.gib(visible), "peak": report.gib(peak), "index": smallest["index"]}
    if ecc == "on":
        report.add("note", "ecc_on", lost=round(expected["memory_mib"]["off"] - expected["memory_mib"]["on"]))
    if peak + overhead > visible:
        report.add("fail", "memory_short", **values)
    elif visible < expected["usable_gib"] * ROOM:
        report.add("warn", "memory_less", planned=report.gib(expected["usable_gib"]), **values)
    else:
        report.add("ok", "memory", **values)


def check_cuda(report: Report, expected: dict[str, Any], smi: str, driver: str) -> None:
    """Whether the driver is new enough for the CUDA that PyTorch brings along."""
    found = re.search(r"CUDA(?: UMD)? Version: *(\d+\.\d+)", smi)
    if found is None:
        report.add("note", "cuda_unknown", driver=driver, expected=expected["cuda"])
    elif number(found[1]) < number(expected["cuda"]):
        report.add("fail", "cuda_old", found=found[1], driver=driver, expected=expected["cuda"])
    else:
        report.add("ok", "cuda", found=found[1], driver=driver)


def number(version: str) -> tuple[int, ...]:
    """A version as numbers that compare."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def matrix(text: str, cards: int) -> dict[tuple[int, int], str]:
    """(row, column) → what stands between two GPUs in a table of `nvidia-smi topo`."""
    found = {}
    for line in text.splitlines():
        cells = line.split()
        row = re.fullmatch(r"GPU(\d+)", cells[0]) if cells else None
        if row and len(cells) > cards and not cells[1].startswith("GPU"):
            for column, cell in enumerate(cells[1 : cards + 1]):
                if column != int(row[1]):
                    found[int(row[1]), column] = cell
    return found


def check_links(report: Report, expected: dict[str, Any], answers: dict[str, str], cards: int, used: set[int]) -> None:
    """P2P between the cards that are used, what lies between them, and ACS on the bridges."""
    peers = among(used, matrix(answers.get("p2p", ""), cards))
    broken = sorted({(min(pair), max(pair)) for pair, state in peers.items() if state != "OK"})
    if not peers:
        report.add("note", "p2p_unknown")
    elif broken:
        pairs = ", ".join(f"{one}-{other}" for one, other in broken[:6])
        states = ", ".join(sorted({state for state in peers.values() if state != "OK"}))
        report.add("warn" if expected["p2p"] else "note", "p2p_broken", pairs=pairs, states=states)
    else:
        report.add("ok", "p2p")
    topology = among(used, matrix(answers.get("topology", ""), cards))
    far = sorted({(min(pair), max(pair)) for pair, link in topology.items() if link == "SYS"})
    if far:
        report.add("warn", "far", pairs=", ".join(f"{one}-{other}" for one, other in far[:6]))
    elif topology:
        links = ", ".join(sorted(set(topology.values())))
        report.add("ok", "topology", links=links)
    bridges = redirecting(answers.get("lspci", ""))
    if bridges:
        more = " …" if len(bridges) > SHOWN_BRIDGES else ""
        report.add("warn", "acs", bridges=", ".join(bridges[:SHOWN_BRIDGES]) + more, count=len(bridges))
    elif "access denied" in answers.get("lspci", ""):
        report.add("note", "acs_unknown")


def among(used: set[int], pairs: dict[tuple[int, int], str]) -> dict[tuple[int, int], str]:
    """The pairs of which both cards are used."""
    return {pair: state for pair, state in pairs.items() if set(pair) <= used}


def redirecting(lspci: str) -> list[str]:
    """Bridges that send requests between cards through the root complex: ACSCtl with ReqRedir+ or CmpltRedir+."""
    found = []
    for block in re.split(r"\n(?=[0-9a-f]{2,4}[:.])", lspci):
        control = re.search(r"ACSCtl:\s*(.*)", block)
        if "PCI bridge" in block.partition("\n")[0] and control and re.search(r"(Req|Cmplt)Redir\+", control[1]):
            found.append(block.split()[0])
    return found


def check_host(report: Report, expected: dict[str, Any], answers: dict[str, str]) -> None:
    """Memory of the host and room on the disk."""
    gib = host_gib(answers)
    if gib is None:
        report.add("note", "host_unknown", expected=f"{expected['host_gib']:.0f}")
    else:
        level, key = ("fail", "host_short") if gib < expected["host_gib"] else ("ok", "host")
        report.add(level, key, found=f"{gib:.0f}", expected=f"{expected['host_gib']:.0f}")
    if "disk" in answers:
        check_disk(report, expected, int(answers["disk"]) / GIB)


def host_gib(answers: dict[str, str]) -> float | None:
    """Memory of the host; none where it is unknown."""
    total = re.search(r"MemTotal:\s*(\d+) kB", answers.get("meminfo", ""))
    return None if total is None else int(total[1]) / (1 << 20)


def check_disk(report: Report, expected: dict[str, Any], free: float) -> None:
    """Room for the first checkpoint, and for as many as there are at a time."""
    shown = {"found": f"{free:.0f}", "first": f"{expected['first_disk_gib']:.0f}"}
    shown |= {"expected": f"{expected['disk_gib']:.0f}", "count": f"{expected['checkpoints']}"}
    if free < expected["first_disk_gib"]:
        report.add("fail", "disk_short", **shown)
    elif free < expected["disk_gib"]:
        report.add("warn", "disk_tight", **shown)
    else:
        report.add("ok", "disk", **shown)


def check_compiler(report: Report, answers: dict[str, str]) -> None:
    """DeepSpeed builds its optimizer for the CPU when it is first needed."""
    found = "cxx" in answers and answers.get("headers", "").strip() != "False"
    report.add("ok" if found else "fail", "compiler" if found else "no_compiler")


def check_packages(report: Report, expected: dict[str, Any], answers: dict[str, str]) -> None:
    """Python and the libraries against the versions that go together."""
    python = answers.get("python", "").strip()
    if python and number(python) < number(expected["python"]):
        report.add("fail", "python_old", found=python, expected=expected["python"])
    lines = (line.partition("==") for line in answers.get("packages", "").splitlines())
    there = {folded(name): version for name, _, version in lines}
    missing = [name for name in expected["packages"] if folded(name) not in there]
    others = [
        f"{name} {there[folded(name)]} ({version})"
        for name, version in expected["packages"].items()
        if folded(name) in there and there[folded(name)].partition("+")[0] != version
    ]
    if missing:
        report.add("fail", "missing", names=", ".join(missing))
    if others:
        report.add("warn", "versions", names=", ".join(others))
    if not missing and not others:
        report.add("ok", "packages", count=len(expected["packages"]))


def folded(name: str) -> str:
    """A package's name as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def main(argv: list[str] | None = None) -> int:
    """Checks, prints, and returns the exit status."""
    record = json.loads((HERE / "trainfit.json").read_text(encoding="utf-8"))
    messages = record["messages"]
    parser = argparse.ArgumentParser(description=messages["preflight.title"])
    parser.add_argument("--record", metavar="DIR", type=Path)
    parser.add_argument("--recorded", metavar="DIR", type=Path)
    arguments = parser.parse_args(argv)
    answers = read_recorded(arguments.recorded) if arguments.recorded else read_machine()
    if arguments.record:
        keep(answers, arguments.record)
    report = check(record, answers, messages)
    print(messages["preflight.title"])
    for level, _, text in report.found:
        print(f"{SIGNS[level]} {text}")
    print(report.last)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
