"""The scripts that make an environment, run as scripts, on machines made of a few fake programs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

TOOLS = ("sh", "cat", "cksum", "dirname", "env", "grep", "mkdir", "rm", "sleep", "touch", "chmod", "cp")
"""What the scripts use of a bare system, next to what each test puts there."""

OLD_PYTHON = """
    if [ "$1" = --version ]; then echo "Python 3.9.18"; exit 0; fi
    exit 1
"""

NO_VENV = """
    case "$1" in
    --version) echo "Python 3.11.2" ;;
    -m) echo "No module named ensurepip" >&2; exit 1 ;;
    esac
"""

BROWSER = 'echo "Chromium 150.0"'


@dataclass(frozen=True)
class Machine:
    """A checkout with our scripts, and a PATH with nothing else than we say."""

    checkout: Path
    programs: Path

    def put(self, name: str, body: str, *, folder: Path | None = None) -> Path:
        """Makes an executable shell script and returns its path."""
        path = (folder or self.programs) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{textwrap.dedent(body).strip()}\n", "utf-8")
        path.chmod(0o755)
        return path

    def run(self, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs a script of the checkout from elsewhere, as somebody might."""
        return subprocess.run(
            ["/bin/sh", str(self.checkout / command[0]), *command[1:]],
            cwd="/",
            env={"PATH": str(self.programs), "HOME": str(self.checkout), **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path, repo_root: Path) -> Machine:
    checkout, programs = tmp_path / "check out", tmp_path / "bin"
    shutil.copytree(repo_root / "scripts", checkout / "scripts")
    for name in ("requirements.in", "requirements.lock", "requirements-dev.lock", "pyproject.toml"):
        shutil.copy(repo_root / name, checkout)
    programs.mkdir()
    for tool in TOOLS:
        real = shutil.which(tool)
        assert real, f"this machine has no {tool}"
        (programs / tool).symlink_to(real)
    made = Machine(checkout, programs)
    made.put("id", "echo 1000")
    return made


# --- bootstrap --------------------------------------------------------------------------------------------------------


def test_an_old_python_is_refused_in_plain_words(machine: Machine) -> None:
    machine.put("python3", OLD_PYTHON)
    done = machine.run("scripts/bootstrap", "runtime")
    assert done.returncode == 1
    assert "needs Python 3.11 or newer; found: Python 3.9.18" in done.stderr
    assert "PYTHON=" in done.stderr
    assert not (machine.checkout / ".venv").exists()
    assert not (machine.checkout / "build/bootstrap.lock").exists()


def test_a_newer_python_beside_an_old_one_is_found(machine: Machine) -> None:
    machine.put("python3", OLD_PYTHON)
    machine.put("python3.12", NO_VENV.replace("3.11.2", "3.12.1"))
    done = machine.run("scripts/bootstrap", "runtime")
    assert "making .venv with Python 3.12.1" in done.stderr


def test_the_python_that_is_asked_for_is_the_one_that_counts(machine: Machine) -> None:
    machine.put("python3", NO_VENV)
    old = machine.put("old-python", OLD_PYTHON)
    done = machine.run("scripts/bootstrap", "runtime", PYTHON=str(old))
    assert done.returncode == 1
    assert "found: Python 3.9.18" in done.stderr


def test_no_python_at_all(machine: Machine) -> None:
    done = machine.run("scripts/bootstrap", "dev")
    assert done.returncode == 1
    assert "found: no python3" in done.stderr


def test_a_python_without_venv_is_told_what_to_install(machine: Machine) -> None:
    machine.put("python3", NO_VENV)
    done = machine.run("scripts/bootstrap", "runtime")
    assert done.returncode == 1
    assert "apt-get install python3-venv" in done.stderr
    assert not (machine.checkout / ".venv").exists()


def test_a_lock_that_a_killed_bootstrap_left_does_not_block(machine: Machine) -> None:
    machine.put("python3", OLD_PYTHON)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    (machine.checkout / "build/bootstrap.lock").mkdir(parents=True)
    (machine.checkout / "build/bootstrap.lock/pid").write_text(f"{gone.pid}\n", "utf-8")
    assert "needs Python 3.11 or newer" in machine.run("scripts/bootstrap", "runtime").stderr


@pytest.mark.parametrize("arguments", [(), ("both",)])
def test_bootstrap_says_how_it_is_called(machine: Machine, arguments: tuple[str, ...]) -> None:
    done = machine.run("scripts/bootstrap", *arguments)
    assert (done.returncode, done.stderr) == (2, "usage: scripts/bootstrap runtime|dev\n")


def test_an_environment_that_is_right_is_left_alone(repo_root: Path) -> None:
    done = subprocess.run([repo_root / "scripts/bootstrap", "runtime"], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


# --- ensure-browser ---------------------------------------------------------------------------------------------------


def test_the_browser_that_is_asked_for_comes_first(machine: Machine, tmp_path: Path) -> None:
    machine.put("chromium", BROWSER)
    mine = machine.put("my browser", BROWSER, folder=tmp_path)
    done = machine.run("scripts/ensure-browser", TRAINFIT_CHROMIUM=str(mine))
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{mine}\n", "")


def test_a_browser_that_is_asked_for_and_does_not_start_is_an_error(machine: Machine, tmp_path: Path) -> None:
    machine.put("chromium", BROWSER)
    done = machine.run("scripts/ensure-browser", TRAINFIT_CHROMIUM=str(tmp_path / "none"))
    assert (done.returncode, done.stdout) == (1, "")
    assert f"TRAINFIT_CHROMIUM={tmp_path / 'none'} is not a browser that starts" in done.stderr


def test_a_stub_on_the_path_is_passed_over(machine: Machine) -> None:
    machine.put("chromium-browser", 'echo "requires the chromium snap" >&2; exit 1')
    chrome = machine.put("google-chrome", BROWSER)
    assert machine.run("scripts/ensure-browser").stdout == f"{chrome}\n"


def test_root_on_debian_gets_the_package(machine: Machine, tmp_path: Path) -> None:
    log = tmp_path / "apt.log"
    machine.put("id", "echo 0")
    machine.put(
        "apt-get",
        f"""
        echo "$@" >>'{log}'
        echo "Reading package lists..."
        if [ "$1" = install ]; then cp '{machine.programs}/google-like' '{machine.programs}/chromium'; fi
        """,
    )
    machine.put("google-like", BROWSER)
    done = machine.run("scripts/ensure-browser")
    assert (done.returncode, done.stdout) == (0, f"{machine.programs / 'chromium'}\n")
    update, install = log.read_text("utf-8").splitlines()
    assert update.startswith("update")
    assert install.startswith("install")
    assert install.endswith(" chromium")


def playwright(machine: Machine, tmp_path: Path, *, there: bool, works: bool = True) -> tuple[Path, Path]:
    """A Playwright in .venv: the browser that it has or brings, and the log of its calls."""
    browser, log = tmp_path / "cache/chrome", tmp_path / "playwright.log"
    bin_folder = machine.checkout / ".venv/bin"
    source = machine.put("to-be-downloaded", BROWSER if works else "exit 127", folder=tmp_path)
    browser.parent.mkdir()
    if there:
        shutil.copy(source, browser)
    machine.put("python", f"cat >/dev/null; echo '{browser}'", folder=bin_folder)
    machine.put("playwright", f"echo \"$@\" >>'{log}'; echo 100%; cp '{source}' '{browser}'", folder=bin_folder)
    return browser, log


@pytest.mark.parametrize("user", ["1000", "0"])
def test_without_apt_playwright_brings_its_own(machine: Machine, tmp_path: Path, user: str) -> None:
    machine.put("id", f"echo {user}")
    browser, log = playwright(machine, tmp_path, there=False)
    assert machine.run("scripts/ensure-browser").stdout == f"{browser}\n"
    assert log.read_text("utf-8") == "install chromium\n"


def test_only_root_uses_apt(machine: Machine, tmp_path: Path) -> None:
    machine.put("apt-get", f"touch '{tmp_path}/apt-was-called'")
    browser, _ = playwright(machine, tmp_path, there=False)
    assert machine.run("scripts/ensure-browser").stdout == f"{browser}\n"
    assert not (tmp_path / "apt-was-called").exists()


def test_playwright_steps_in_where_apt_fails(machine: Machine, tmp_path: Path) -> None:
    machine.put("id", "echo 0")
    machine.put("apt-get", "exit 100")
    browser, _ = playwright(machine, tmp_path, there=False)
    done = machine.run("scripts/ensure-browser")
    assert done.stdout == f"{browser}\n"
    assert "apt-get could not install chromium" in done.stderr


def test_a_browser_that_playwright_has_is_not_downloaded_again(machine: Machine, tmp_path: Path) -> None:
    browser, log = playwright(machine, tmp_path, there=True)
    assert machine.run("scripts/ensure-browser").stdout == f"{browser}\n"
    assert not log.exists()


def test_missing_system_libraries_are_named(machine: Machine, tmp_path: Path) -> None:
    playwright(machine, tmp_path, there=False, works=False)
    done = machine.run("scripts/ensure-browser")
    assert (done.returncode, done.stdout) == (1, "")
    assert "playwright install-deps chromium" in done.stderr


def test_no_browser_and_no_way_to_bring_one(machine: Machine) -> None:
    done = machine.run("scripts/ensure-browser")
    assert (done.returncode, done.stdout) == (1, "")
    assert "install Chromium or Chrome, or set TRAINFIT_CHROMIUM" in done.stderr


def test_this_machine_has_a_browser_now(repo_root: Path) -> None:
    done = subprocess.run([repo_root / "scripts/ensure-browser"], capture_output=True, text=True, check=True)
    assert os.access(done.stdout.strip(), os.X_OK)


# --- lock -------------------------------------------------------------------------------------------------------------

UV = """
    # Stands for `uv pip compile … --output-file NAME …`: writes that file, and what it was asked.
    echo "$@" >>"$LOG"
    while [ "$1" != --output-file ]; do shift; done
    echo "$LINE" >"$2"
"""


def lock(machine: Machine, tmp_path: Path, line: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    machine.put("uv", UV, folder=machine.checkout / ".venv/bin")
    for name in ("diff", "mv"):
        (machine.programs / name).symlink_to(shutil.which(name) or name)
    for name in (
        "requirements-build.in",
        "requirements-dev.in",
        "requirements-mutation.in",
        "requirements-mutation.lock",
    ):
        (machine.checkout / name).touch()
    return machine.run("scripts/lock", *arguments, LOG=str(tmp_path / "uv.log"), LINE=line)


def test_lock_asks_for_hashes_and_the_newest(machine: Machine, tmp_path: Path) -> None:
    done = lock(machine, tmp_path, "six==1.17.0")
    assert done.returncode == 0, done.stderr
    assert (machine.checkout / "requirements.lock").read_text("utf-8").endswith("\nsix==1.17.0\n")
    runtime, dev, mutation = (tmp_path / "uv.log").read_text("utf-8").splitlines()
    for asked in (runtime, dev, mutation):
        assert {"--generate-hashes", "--universal", "--no-emit-index-url", "--upgrade"} <= set(asked.split())
    assert runtime.endswith("requirements.in requirements-build.in")
    assert dev.endswith("requirements-dev.in")
    assert mutation.endswith("requirements-mutation.in")


def test_lock_can_move_a_single_package(machine: Machine, tmp_path: Path) -> None:
    assert lock(machine, tmp_path, "six==1.17.0", "--upgrade-package", "six").returncode == 0
    assert "--upgrade " not in (tmp_path / "uv.log").read_text("utf-8")


def test_lock_keeps_the_old_files_when_an_address_would_get_in(machine: Machine, tmp_path: Path) -> None:
    before = (machine.checkout / "requirements.lock").read_bytes()
    done = lock(machine, tmp_path, "--index-url https://packages.example/simple")
    assert done.returncode == 1
    assert "names an address" in done.stderr
    assert (machine.checkout / "requirements.lock").read_bytes() == before
