"""The wheel, as a stranger meets it: repaired, installed into a fresh environment with numpy alone, and used."""

import json
import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest
from conftest import BUILD, SOURCE
from test_docs import blocks

WHEELHOUSE = Path(sys.prefix) / "wheelhouse"


def run(*command: str | Path, env: dict[str, str] | None = None, cwd: Path | None = None) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "COLUMNS")} | (env or {})
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment, cwd=cwd)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def cached(name: str) -> str:
    """What the build at hand was configured with: the same flags find their objects in the compiler cache."""
    found = re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
    return found[1] if found else ""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    options = {"build-dir": SOURCE / "build-wheel", "cmake.define.STAROPE_WERROR": "ON"}
    for name in ("CMAKE_CXX_FLAGS_RELEASE", "STAROPE_ASSERTS", "STAROPE_COLD_FLAGS"):
        options[f"cmake.define.{name}"] = cached(name)
    given = [f"--config-settings={key}={value}" for key, value in options.items()]  # Debian's pip does not know -C
    run(sys.executable, "-m", "pip", "wheel", SOURCE, "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", folder, *given,
        env={"CXX": cached("CMAKE_CXX_COMPILER")})
    return Path(run(sys.executable, SOURCE / "tools" / "repair_wheel.py", folder, folder / "repaired").strip())


@pytest.fixture(scope="module")
def fresh(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--find-links", WHEELHOUSE, wheel)
    return python


def test_what_is_in_it(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for name in ("starope/py.typed", "starope/_core.pyi", "starope/_estimators.pyi", "starope/bin/starope", "starope/statistics.py"):
        assert name in names
    assert "manylinux" in wheel.name
    strange = [name for name in names if not name.startswith(("starope/", "starope.libs/", "starope-"))]
    assert strange == [], "headers and libraries of the C++ installation do not belong into a wheel"
    assert wheel.stat().st_size < 12e6


def test_numpy_is_all_it_brings(fresh: Path) -> None:
    listed = {each["name"] for each in json.loads(run(fresh, "-m", "pip", "list", "--format", "json", "--disable-pip-version-check"))}
    assert listed - {"pip", "setuptools"} == {"numpy", "starope"}


def test_the_example_of_the_readme(fresh: Path, tmp_path: Path) -> None:
    (code, _, _), *_ = blocks(SOURCE / "README.md")
    printed = run(fresh, "-c", code, cwd=tmp_path)
    assert "1,000 episodes, 22,015 steps" in printed and "auto" in printed and "Interval(lower=" in printed


def test_the_command_and_the_package_say_the_same(fresh: Path, tmp_path: Path) -> None:
    assert run(fresh.parent / "starope", "--version").startswith("starope ")
    run(fresh.parent / "starope", "simulate", "cartpole", "--episodes", "40", "-o", "logs.csv", cwd=tmp_path)
    by_program = run(fresh.parent / "starope", "evaluate", "logs.csv", "--json", cwd=tmp_path)
    by_package = run(fresh, "-c", "import starope as so; print(so.evaluate('logs.csv').to_json(), end='')", cwd=tmp_path)
    assert by_program == by_package


def test_what_is_missing_says_how_to_get_it(fresh: Path, tmp_path: Path) -> None:
    script = ("import starope as so\nlogs = so.simulate('cartpole', episodes=5)\n"
              "for call in (logs.to_frame, lambda: so.from_minari('x'), lambda: so.from_d4rl('x')):\n"
              "    try:\n        call()\n    except so.MissingPackage as error:\n        print(error)\n")
    lines = run(fresh, "-c", script, cwd=tmp_path).splitlines()
    assert len(lines) == 3 and all("pip install" in line for line in lines)
