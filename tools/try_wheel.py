"""Tries a wheel as a stranger meets it: in a fresh environment of a Python, with numpy alone.

    python tools/try_wheel.py WHEEL PYTHON [REQUIREMENT...]

Runs README's example, and compares what the package answers with the program that the wheel brings, to the bit. REQUIREMENT: such as
numpy==1.26.4, beside the wheel.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
TRIED = """
import starope as so
logs = so.simulate("cartpole", episodes=100, seed=1)
logs.write("logs.npz")
e = so.evaluate("logs.npz", horizon=50)
e.report("page.html")
assert len(open("page.html").read()) > 100_000
print(e.to_json(), end="")
"""


def run(*command: str | Path, cwd: Path | None = None) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "COLUMNS")}
    done = subprocess.run([str(each) for each in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd, env=environment)
    if done.returncode != 0:
        raise SystemExit(f"{Path(sys.argv[0]).name}: {' '.join(map(str, command))} failed:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def readme_example() -> str:
    found = re.search(r"^```python\n(.*?)^```$", (SOURCE / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def fresh_environment(python: str | Path, folder: Path, *packages: str | Path) -> Path:
    """The Python of a new environment that has these packages, and what they need."""
    run(python, "-m", "venv", folder)
    run(folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    return folder / "bin/python"


def try_out(python: Path, folder: Path) -> str:
    """What was seen of the package that this environment has; it ends the process where something is wrong."""
    listed = {each["name"]: each["version"] for each in json.loads(run(python, "-m", "pip", "list", "--format", "json", "--disable-pip-version-check"))}
    if set(listed) - {"pip", "setuptools"} != {"numpy", "starope"}:
        raise SystemExit(f"numpy should be all it needs, but there are {', '.join(listed)}")
    printed = run(python, "-c", readme_example(), cwd=folder)
    for words in ("1,000 episodes, 22,015 steps", "auto", "Interval(lower="):
        if words not in printed:
            raise SystemExit(f"README's example does not print '{words}':\n{printed}")
    by_package = run(python, "-c", TRIED, cwd=folder)
    by_program = run(python.parent / "starope", "evaluate", "logs.npz", "--horizon", "50", "--json", cwd=folder)
    if by_package != by_program:
        raise SystemExit("the package and its program do not say the same")
    version = run(python, "-c", "import platform; print(platform.python_version())").strip()
    return f"Python {version}, numpy {listed['numpy']}: README's example, and the same bits as the program"


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        python = fresh_environment(sys.argv[2], folder / "venv", Path(sys.argv[1]).resolve(), *sys.argv[3:])
        print(f"{Path(sys.argv[1]).name}: {try_out(python, folder)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
