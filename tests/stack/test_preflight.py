"""`preflight.py` on what the tools of real machines print: it says in words what is wrong, in either language."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from generator.catalog import Catalog
from generator.site.launch import find_files
from generator.site.messages import load_messages
from generator.site.page import LANGUAGES

RECORDED = Path(__file__).resolve().parent / "recorded"
RIG = "4x-rtx-6000-ada"


@pytest.fixture(scope="module")
def files(catalog: Catalog) -> dict[str, str]:
    return dict(find_files(catalog, "qwen3-8b", RIG, "full", "trl", "en"))


@pytest.fixture(scope="module")
def record(files: dict[str, str]) -> dict[str, Any]:
    loaded = json.loads(files["trainfit.json"])
    assert isinstance(loaded, dict)
    return loaded


def answers(preflight: ModuleType, machine: str) -> dict[str, str]:
    """What a machine answers: that of the healthy one where it says nothing else."""
    return {**preflight.read_recorded(RECORDED / "healthy"), **preflight.read_recorded(RECORDED / machine)}


def found(preflight: ModuleType, record: dict[str, Any], machine: str) -> dict[str, str]:
    """Key of each finding → its level."""
    report = preflight.check(record, answers(preflight, machine), record["messages"])
    return {key: level for level, key, _ in report.found}


HEALTHY = {"gpus", "memory", "cuda", "p2p", "topology", "host", "disk", "packages"}


def test_a_healthy_machine_has_nothing_to_complain_about(preflight: ModuleType, record: dict[str, Any]) -> None:
    assert found(preflight, record, "healthy") == dict.fromkeys(HEALTHY, "ok")


@pytest.mark.parametrize(
    ("machine", "findings"),
    [
        ("ecc-on", {"ecc_on": "note"}),
        ("acs", {"acs": "warn"}),
        ("mixed-cards", {"mixed": "fail", "memory_short": "fail", "p2p_broken": "warn", "far": "warn"}),
        ("little-host-memory", {"host_short": "fail"}),
        ("no-gpu", {"no_gpu": "fail"}),
        ("amd", {"amd": "fail"}),
        ("old-driver", {"cuda_old": "fail"}),
        ("two-cards", {"too_few": "fail"}),
        ("no-p2p", {"p2p_broken": "warn"}),
        ("display-card", {"choose": "warn"}),
        ("other-versions", {"missing": "fail", "versions": "warn"}),
    ],
)
def test_what_is_wrong_is_found_and_nothing_else(
    preflight: ModuleType, record: dict[str, Any], machine: str, findings: dict[str, str]
) -> None:
    wrong = {key: level for key, level in found(preflight, record, machine).items() if level != "ok"}
    assert wrong == findings


def test_ecc_decides_whether_a_tight_plan_fits(preflight: ModuleType, record: dict[str, Any]) -> None:
    """A peak between what PyTorch sees with ECC on and with ECC off."""
    tight = json.loads(json.dumps(record))
    tight["expected"]["peak_gib"]["expected"] = 44.0
    assert found(preflight, tight, "ecc-on")["memory_short"] == "fail"
    assert found(preflight, tight, "healthy")["memory"] == "ok"


def test_more_cards_than_planned_are_no_problem(preflight: ModuleType, record: dict[str, Any]) -> None:
    fewer = json.loads(json.dumps(record))
    fewer["expected"]["gpus"] = 2
    assert found(preflight, fewer, "healthy")["more_gpus"] == "note"


def test_axolotl_would_take_every_card(preflight: ModuleType, record: dict[str, Any]) -> None:
    fewer = json.loads(json.dumps(record)) | {"framework": "axolotl"}
    fewer["expected"]["gpus"] = 2
    assert found(preflight, fewer, "healthy")["more_gpus"] == "warn"


def test_a_card_that_shares_the_memory_of_the_machine(preflight: ModuleType, record: dict[str, Any]) -> None:
    """As nvidia-smi prints it for a DGX Spark: NVML does not support the question."""
    shared = json.loads(json.dumps(record))
    shared["expected"] |= {"gpu": "NVIDIA GB10", "gpu_names": ["NVIDIA GB10"], "gpus": 1}
    machine = answers(preflight, "healthy") | {"gpus": "0, NVIDIA GB10, [N/A], [N/A], 580.95.05\n"}

    def levels() -> dict[str, str]:
        return {key: level for level, key, _ in preflight.check(shared, machine, shared["messages"]).found}

    assert (levels()["gpus"], levels()["memory_shared"]) == ("ok", "note")
    shared["expected"]["peak_gib"]["expected"] = 252.0
    assert levels()["memory_shared"] == "fail"
    machine["meminfo"] = ""
    assert levels()["memory_shared"] == "note"


@pytest.mark.parametrize(
    ("share", "finding"),
    [(0.99, {"disk_short": "fail"}), (1.01, {"disk_tight": "warn"}), (4.0, {"disk": "ok"})],
)
def test_room_for_one_checkpoint_and_for_all(
    preflight: ModuleType, record: dict[str, Any], share: float, finding: dict[str, str]
) -> None:
    free = f"{share * record['expected']['first_disk_gib'] * 2**30:.0f}"
    report = preflight.check(record, answers(preflight, "healthy") | {"disk": free}, record["messages"])
    assert {key: level for level, key, _ in report.found if key.startswith("disk")} == finding


@pytest.mark.parametrize(
    ("machine", "finding"),
    [
        ({"cxx": "g++ 12.2.0", "headers": "True\n"}, {"compiler": "ok"}),
        ({"cxx": "g++ 12.2.0", "headers": "False\n"}, {"no_compiler": "fail"}),
        ({"headers": "True\n"}, {"no_compiler": "fail"}),
    ],
)
def test_offload_needs_a_compiler(
    preflight: ModuleType, record: dict[str, Any], machine: dict[str, str], finding: dict[str, str]
) -> None:
    offloaded = json.loads(json.dumps(record))
    offloaded["settings"]["cpu_offload"] = "optimizer"
    report = preflight.check(offloaded, answers(preflight, "healthy") | machine, record["messages"])
    assert {key: level for level, key, _ in report.found if "compiler" in key} == finding


def test_another_card_is_named(preflight: ModuleType, record: dict[str, Any]) -> None:
    other = json.loads(json.dumps(record))
    other["expected"] |= {"gpu": "NVIDIA H100", "gpu_names": ["NVIDIA H100"]}
    assert found(preflight, other, "healthy")["other_gpu"] == "warn"


def test_without_root_the_state_of_acs_is_unknown(preflight: ModuleType, record: dict[str, Any]) -> None:
    hidden = answers(preflight, "healthy")
    hidden["lspci"] = "00:01.1 PCI bridge: AMD GPP Bridge\n\tCapabilities: <access denied>\n"
    report = preflight.check(record, hidden, record["messages"])
    assert ("note", "acs_unknown") in {(level, key) for level, key, _ in report.found}


def test_the_bridges_with_acs_are_named(preflight: ModuleType) -> None:
    text = (RECORDED / "acs/lspci.txt").read_text("utf-8")
    assert preflight.redirecting(text) == ["00:01.1", "20:01.1", "40:01.1", "60:01.1"]
    assert preflight.redirecting((RECORDED / "healthy/lspci.txt").read_text("utf-8")) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_finding_has_its_words(preflight: ModuleType, language: Any) -> None:
    """Every message that the program names is there, and every message is named."""
    source = Path(str(preflight.__file__)).read_text("utf-8")
    keys = set(re.findall(r'"([a-z0-9]+(?:_[a-z0-9]+)*)"', source))
    messages = {key.removeprefix("preflight.") for key in load_messages(language) if key.startswith("preflight.")}
    assert messages - {"title", "good", "warned", "bad"} <= keys
    assert {"title", "good", "warned", "bad"} <= messages


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("machine", sorted(path.name for path in RECORDED.iterdir() if path.is_dir()))
def test_it_speaks_the_readers_language(catalog: Catalog, tmp_path: Path, machine: str, language: Any) -> None:
    """The program as a reader starts it, beside its record and without any library."""
    for name, text in find_files(catalog, "qwen3-8b", RIG, "full", "trl", language).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    recorded = tmp_path / "recorded"
    recorded.mkdir()
    for folder in ("healthy", machine):
        for path in (RECORDED / folder).glob("*.txt"):
            (recorded / path.name).write_bytes(path.read_bytes())
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(tmp_path / "preflight.py"), "--recorded", str(recorded)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    messages = load_messages(language)
    lines = done.stdout.splitlines()
    assert lines[0] == messages["preflight.title"]
    marks = {line[:3] for line in lines}
    assert lines[-1] == messages[f"preflight.{'bad' if '[x]' in marks else 'warned' if '[!]' in marks else 'good'}"]
    assert (done.returncode == 1) is any(line.startswith("[x]") for line in lines)
    assert not re.search(r"[{}]", done.stdout)
    assert not re.search(rf"\d\{'.' if language == 'ru' else ','}\d+ (?:ГиБ|GiB)", done.stdout)


def test_a_machine_can_be_recorded(files: dict[str, str], tmp_path: Path) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    kept = tmp_path / "kept"
    command = [sys.executable, str(tmp_path / "preflight.py")]
    first = subprocess.run([*command, "--record", str(kept)], capture_output=True, text=True, check=False)
    again = subprocess.run([*command, "--recorded", str(kept)], capture_output=True, text=True, check=False)
    assert (kept / "packages.txt").is_file()
    assert again.stdout == first.stdout
