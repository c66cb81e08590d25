"""Set up and start Wyckoff Desk from a checkout: `python packaging/bootstrap.py run` or `… test`.

Owns `.venv` beside this folder: creates it, installs exactly what `packaging/locks` names (checked by hash), and the project itself
in place. `run` then opens the window, or the terminal where there is no display. `test` adds the test tools and the system libraries
that Qt and Chinese text need, and runs the whole test suite. A second call installs nothing that is there already.
Standard library only; Python 3.11 to 3.14 on Linux, macOS and Windows.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ROOT / "packaging" / "locks"
VENV = ROOT / ".venv"
WINDOWS = os.name == "nt"
PYTHON = VENV / ("Scripts/python.exe" if WINDOWS else "bin/python")
OLDEST, NEWEST = (3, 11), (3, 14)
# What Qt's offscreen platform loads, a real X window on top of it, a Chinese font, and a screen with a pair of hands for the tests.
DEBIAN_PACKAGES = (
    "libgl1 libegl1 libglib2.0-0 libxkbcommon0 libdbus-1-3 libfontconfig1 libfreetype6 libx11-6 libbrotli1 "
    "libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxkbcommon-x11-0 libxcb-render-util0 libxcb-image0 libxcb-randr0 "
    "libxcb-shape0 libxcb-xkb1 libx11-xcb1 libxcb-util1 libxcb-sync1 libxcb-xfixes0 fonts-wqy-microhei "
    "xvfb xdotool dbus-daemon gnome-keyring"
).split()
ONBOARDING_QUESTION = "云溪股份现在适合买吗？"


def main(argv: list[str] | None = None) -> int:
    """Run the chosen command and return its exit code."""
    parser = argparse.ArgumentParser(description="Set up and start Wyckoff Desk.")
    parser.add_argument("command", choices=("run", "test"))
    parser.add_argument("rest", nargs=argparse.REMAINDER, help="test: passed on to pytest")
    options = parser.parse_args(argv)
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        return fail(
            f"Python {OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]} is needed; this is {sys.version.split()[0]}.\n"
            f"Run this script with one of those, for example: python3.12 packaging/bootstrap.py {options.command}"
        )
    lock = LOCKS / ("test.txt" if options.command == "test" else "run.txt")
    if options.command == "test":
        install_system_libraries()
    if not (make_venv() and install(lock)):
        return 1
    return run_tests(options.rest) if options.command == "test" else start()


def make_venv() -> bool:
    """Create `.venv` when it is missing or unusable; say what to do where Python lacks ensurepip."""
    pip = [str(PYTHON), "-m", "pip", "--version"]
    if PYTHON.exists() and subprocess.run(pip, capture_output=True, check=False).returncode == 0:
        return True
    say("creating .venv")
    shutil.rmtree(VENV, ignore_errors=True)
    made = subprocess.run([sys.executable, "-m", "venv", str(VENV)], capture_output=True, text=True, check=False)
    if made.returncode == 0:
        return True
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    if debian_root() and apt_install([package, "python3-venv"], any_of=True):
        shutil.rmtree(VENV, ignore_errors=True)
        return subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=False).returncode == 0
    fail(
        f"Python's venv module does not work here.\n{made.stderr.strip()}\nOn Debian or Ubuntu run: sudo apt-get install {package}"
    )
    return False


def install(lock: Path) -> bool:
    """Install the locked packages and the project; skipped while the lock and pyproject.toml are unchanged."""
    stamp = VENV / f"installed-{lock.stem}"
    wanted = hashlib.sha256(lock.read_bytes() + (ROOT / "pyproject.toml").read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return True
    say(f"installing {lock.relative_to(ROOT)} (a few minutes the first time)")
    pip = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "-qq"]
    # Constraint files of the machine's own pip configuration carry no hashes and would stop a hash-checked installation.
    environment = {name: value for name, value in os.environ.items() if name != "PIP_CONSTRAINT"} | {
        "PIP_CONSTRAINT": os.devnull
    }
    steps = (
        [*pip, "--require-hashes", "--requirement", str(lock)],
        [*pip, "--no-deps", "--no-build-isolation", "--editable", str(ROOT)],
    )
    for step in steps:
        if subprocess.run(step, env=environment, check=False).returncode != 0:
            fail(
                "The installation failed; the lines above say why. Check the connection or proxy, then run this again."
            )
            return False
    stamp.write_text(wanted)
    return True


def start() -> int:
    """Open the window; without a display answer the first onboarding question and go on in the terminal."""
    if has_display() and window_available():
        return subprocess.run([str(PYTHON), "-m", "runtime.cli.main"], check=False).returncode
    say("no window here: the terminal takes its place")
    wyckoff = [str(PYTHON), "-m", "runtime.cli.main"]
    print(f"\n> {ONBOARDING_QUESTION}\n", flush=True)
    code = subprocess.run(
        [*wyckoff, "ask", ONBOARDING_QUESTION, "--approve", "never"], stdin=subprocess.DEVNULL, check=False
    ).returncode
    if code == 0 and sys.stdin is not None and sys.stdin.isatty():
        code = subprocess.run([*wyckoff, "chat"], check=False).returncode
    return code


def window_available() -> bool:
    """Whether the project brings a window (the entry-point group that the `wyckoff` command opens)."""
    probe = "import sys; from importlib.metadata import entry_points; sys.exit(not entry_points(group='wyckoff_desk.window'))"
    return subprocess.run([str(PYTHON), "-c", probe], check=False).returncode == 0


def run_tests(arguments: list[str]) -> int:
    """The whole test suite, Qt without a screen."""
    environment = os.environ | {"QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen"), "PYTHONUTF8": "1"}
    return subprocess.run([str(PYTHON), "-m", "pytest", *arguments], cwd=ROOT, env=environment, check=False).returncode


def has_display() -> bool:
    """Whether a window can be shown: always outside Linux, else with X11 or Wayland."""
    return not sys.platform.startswith("linux") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def install_system_libraries() -> None:
    """On Debian and Ubuntu: install what Qt needs when root, else print the line to run."""
    if not sys.platform.startswith("linux") or shutil.which("dpkg-query") is None:
        return
    missing = [name for name in DEBIAN_PACKAGES if not installed(name)]
    if not missing:
        return
    if debian_root():
        say("installing system libraries: " + " ".join(missing))
        apt_install(missing)
    else:
        say("the window's tests need system libraries; run:\n  sudo apt-get install " + " ".join(missing))


def installed(package: str) -> bool:
    """Whether dpkg has the package, also under the name with which newer releases replace it (`libglib2.0-0t64`)."""
    for name in (package, package + "t64"):
        status = subprocess.run(["dpkg-query", "-W", "-f=${Status}", name], capture_output=True, text=True, check=False)
        if "ok installed" in status.stdout:
            return True
    return False


def debian_root() -> bool:
    """Whether apt-get may be used here."""
    return not WINDOWS and shutil.which("apt-get") is not None and os.geteuid() == 0


def apt_install(packages: list[str], *, any_of: bool = False) -> bool:
    """Install Debian packages; with `any_of` one success is enough. Returns whether it worked."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], env=environment, check=False)
    install_command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"]
    groups = [[name] for name in packages] if any_of else [packages]
    codes = [
        subprocess.run([*install_command, *group], env=environment, stdout=subprocess.DEVNULL, check=False).returncode
        for group in groups
    ]
    return 0 in codes if any_of else not any(codes)


def say(text: str) -> None:
    """Progress goes to standard error: standard output belongs to the program that is started."""
    print(f"[wyckoff-desk] {text}", file=sys.stderr, flush=True)


def fail(text: str) -> int:
    """Print an error and return the exit code 1."""
    say(text)
    return 1


if __name__ == "__main__":
    sys.exit(main())
