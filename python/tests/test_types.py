"""The package is typed: mypy --strict and pyright agree, on the package and on how it is used."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import BUILD, SOURCE

EXAMPLE = Path(__file__).parent / "typed_example.py"


def run(*command: Any, **more: Any) -> Any:
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=SOURCE, **more)


def test_the_stubs_of_estimators_are_those_of_the_registry() -> None:
    made = run(sys.executable, SOURCE / "tools" / "estimator_stubs.py")
    assert made.returncode == 0, made.stderr
    assert made.stdout == (SOURCE / "python/starope/_estimators.pyi").read_text(), \
        "PYTHONPATH=build/python python tools/estimator_stubs.py > python/starope/_estimators.pyi"


def test_mypy(tmp_path: Any) -> None:
    checked = run(sys.executable, "-m", "mypy", "--cache-dir", tmp_path, "-p", "starope", env={**os.environ, "MYPYPATH": str(BUILD / "python")})
    assert checked.returncode == 0, checked.stdout
    checked = run(sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path, EXAMPLE, env={**os.environ, "MYPYPATH": str(BUILD / "python")})
    assert checked.returncode == 0, checked.stdout


def test_mypy_on_tests_and_examples(tmp_path: Any) -> None:
    """How tests call the package is how it may be called: strict, but that what may be missing (an interval, states) counts as there. A
    test that finds it missing fails anyway."""
    strict = ["--strict", "--no-strict-optional", "--follow-imports", "silent", "--ignore-missing-imports", "--disable-error-code", "import-untyped"]
    checked = run(sys.executable, "-m", "mypy", *strict, "--cache-dir", tmp_path, EXAMPLE.parent,
                  env={**os.environ, "MYPYPATH": f"{BUILD / 'python'}:{EXAMPLE.parent}"})
    assert checked.returncode == 0, checked.stdout
    checked = run(sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path, *(SOURCE / "examples").glob("*.py"),
                  env={**os.environ, "MYPYPATH": str(BUILD / "python")})
    assert checked.returncode == 0, checked.stdout


def test_a_wrong_call_is_told_by_mypy(tmp_path: Any) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text('import starope as so\nso.evaluate("x.csv", rewards="r")\nso.compare("x.csv", targets=3)\nso.evaluate("x.csv", sort="yes")\n')
    checked = run(sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", wrong, env={**os.environ, "MYPYPATH": str(BUILD / "python")})
    assert [line.split(":")[1] for line in checked.stdout.splitlines() if ": error:" in line] == ["2", "3", "4"], checked.stdout


def test_pyright(tmp_path: Any) -> None:
    pyright = Path(sys.executable).parent / "pyright"
    if run(pyright, "--version").returncode != 0:
        pytest.skip("pyright fetches itself when it is first run, and could not")
    included = [EXAMPLE, *(SOURCE / "examples").glob("*.py")]
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(
        {"include": [os.path.relpath(each, tmp_path) for each in included], "extraPaths": [str(BUILD / "python")], "typeCheckingMode": "standard",
         "pythonVersion": "3.11"}))
    checked = run(pyright, "--project", tmp_path, "--pythonpath", sys.executable, "--outputjson")
    assert checked.returncode == 0 and json.loads(checked.stdout)["summary"]["filesAnalyzed"] == len(included), checked.stdout


def test_the_example_runs() -> None:
    ran = run(sys.executable, EXAMPLE)
    assert ran.returncode == 0 and "starope.evaluate/1" in ran.stdout, ran.stderr
