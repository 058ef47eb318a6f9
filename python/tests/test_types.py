"""The package is typed: mypy --strict and pyright agree, on the package and on how it is used."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import BUILD, SOURCE

EXAMPLE = Path(__file__).parent / "typed_example.py"


def run(*command, **more):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=SOURCE, **more)


def test_the_stubs_of_estimators_are_those_of_the_registry():
    made = run(sys.executable, SOURCE / "tools" / "estimator_stubs.py")
    assert made.returncode == 0, made.stderr
    assert made.stdout == (SOURCE / "python/starope/_estimators.pyi").read_text(), \
        "PYTHONPATH=build/python python tools/estimator_stubs.py > python/starope/_estimators.pyi"


def test_mypy(tmp_path):
    checked = run(sys.executable, "-m", "mypy", "--cache-dir", tmp_path, "-p", "starope", env={**os.environ, "MYPYPATH": str(BUILD / "python")})
    assert checked.returncode == 0, checked.stdout
    checked = run(sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path, EXAMPLE, env={**os.environ, "MYPYPATH": str(BUILD / "python")})
    assert checked.returncode == 0, checked.stdout


def test_pyright(tmp_path):
    pyright = Path(sys.executable).parent / "pyright"
    if run(pyright, "--version").returncode != 0:
        pytest.skip("pyright fetches itself when it is first run, and could not")
    (tmp_path / "pyrightconfig.json").write_text(
        f'{{"include": ["{EXAMPLE}"], "extraPaths": ["{BUILD / "python"}"], "typeCheckingMode": "standard", "pythonVersion": "3.11"}}')
    checked = run(pyright, "--project", tmp_path, "--pythonpath", sys.executable)
    assert checked.returncode == 0, checked.stdout


def test_the_example_runs():
    ran = run(sys.executable, EXAMPLE)
    assert ran.returncode == 0 and "starope.evaluate/1" in ran.stdout, ran.stderr
