"""The package is typed: mypy --strict and pyright agree, on the package and on how it is used."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import BUILD, SOURCE

TESTS = Path(__file__).parent
EXAMPLE = TESTS / "typed_example.py"


def run(*command: str | Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=SOURCE, env=env)


def test_the_stubs_of_estimators_are_those_of_the_registry() -> None:
    made = run(sys.executable, SOURCE / "tools" / "estimator_stubs.py")
    assert made.returncode == 0, made.stderr
    assert made.stdout == (SOURCE / "python/starope/_estimators.pyi").read_text(), \
        "PYTHONPATH=build/python python tools/estimator_stubs.py > python/starope/_estimators.pyi"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What mypy knows of the packages of others is learned once."""
    return tmp_path_factory.mktemp("mypy")


def mypy(cache: Path, *what: str | Path) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, *what,
               env={**os.environ, "MYPYPATH": f"{BUILD / 'python'}{os.pathsep}{TESTS}"})


def test_mypy(cache: Path) -> None:
    """How tests and examples call the package, and the package itself."""
    for what in ([TESTS, *(SOURCE / "examples").glob("*.py")], ["-p", "starope"]):
        checked = mypy(cache, *what)
        assert checked.returncode == 0, checked.stdout


WRONG = """import starope as so
so.evaluate("x.csv", rewards="r")
so.compare("x.csv", targets=3)
so.evaluate("x.csv", sort="yes")
so.evaluate(42)
so.evaluate("x.csv", target=lambda: 0.5)
so.record(None, policy=0.5, episodes=3)
so.evaluate("x.csv").interval.lower
so.Star(cluster=3)
"""


def test_wrong_calls_are_told(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(WRONG)
    checked = mypy(cache, tmp_path / "wrong.py")
    assert sorted({int(line.split(":")[1]) for line in checked.stdout.splitlines() if ": error:" in line}) == list(range(2, 10)), checked.stdout


def test_pyright(tmp_path: Path) -> None:
    pyright = Path(sys.executable).parent / "pyright"
    if run(pyright, "--version").returncode != 0:
        pytest.skip("pyright fetches itself when it is first run, and could not")
    files = [*TESTS.glob("*.py"), *(SOURCE / "examples").glob("*.py")]
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(
        {"include": [os.path.relpath(each, tmp_path) for each in files], "extraPaths": [str(BUILD / "python"), str(TESTS)],
         "typeCheckingMode": "standard", "pythonVersion": "3.11"}))
    checked = run(pyright, "--project", tmp_path, "--pythonpath", sys.executable, "--outputjson")
    said = json.loads(checked.stdout)
    assert checked.returncode == 0 and said["summary"]["filesAnalyzed"] == len(files) and said["summary"]["warningCount"] == 0, checked.stdout


def test_the_example_runs() -> None:
    ran = run(sys.executable, EXAMPLE)
    assert ran.returncode == 0 and "starope.evaluate/1" in ran.stdout, ran.stderr
