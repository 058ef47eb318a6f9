"""Builds the newest source distribution of a folder where none of the packages of others are to be seen, and tries what came out.

    python tools/try_sdist.py FOLDER [--configure]

The folders of their headers and CMake files are covered by empty ones in a mount namespace of this process, so that only
what the distribution carries can be found. --configure: only what is quick, the configuration and a few sources. Needs root, or user
namespaces.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from try_wheel import fresh_environment, run, try_out

HIDDEN = ["/usr/include/fmt", "/usr/include/eigen3", "/usr/include/Spectra", "/usr/include/CLI", "/usr/include/nlohmann", "/usr/include/toml++",
          "/usr/include/Random123", "/usr/include/fast_float", "/usr/include/hwy", "/usr/share/cmake", "/usr/share/eigen3", "/usr/lib/cmake",
          "/usr/lib/x86_64-linux-gnu/cmake", "/usr/lib/x86_64-linux-gnu/pkgconfig", "/usr/share/pkgconfig"]
FILES = ["/usr/include/zip.h", "/usr/include/zipconf.h", "/usr/include/x86_64-linux-gnu/zipconf.h", "/usr/include/zlib.h", "/usr/include/zconf.h",
         "/usr/include/x86_64-linux-gnu/zconf.h", *(f"/usr/lib/x86_64-linux-gnu/lib{name}.a" for name in ("fmt", "hwy", "hwy_contrib", "z", "zip"))]


def hide() -> None:
    """This process and those it starts see empty folders and files."""
    for each in HIDDEN:
        if Path(each).is_dir():
            subprocess.run(["mount", "-t", "tmpfs", "none", each], check=True)
    for each in FILES:
        if Path(each).exists():
            subprocess.run(["mount", "--bind", "/dev/null", each], check=True)


def configure(source: Path, folder: Path) -> None:
    """Everything is found, and what others wrote compiles, with a source that uses most of it."""
    run("cmake", "-S", source, "-B", folder, "-G", "Ninja", "-D", "CMAKE_BUILD_TYPE=Release", "-D", "STAROPE_BUILD_TESTS=OFF",
        "-D", "STAROPE_BUILD_EXAMPLES=OFF", "-D", "STAROPE_WERROR=OFF", "-D", "CMAKE_DISABLE_PRECOMPILE_HEADERS=ON")
    cache = (folder / "CMakeCache.txt").read_text()
    for name in ("fmt_DIR", "hwy_DIR", "LibZip_LIBRARY", "Eigen3_DIR"):
        if f"{name}:" in cache:
            raise SystemExit(f"try_sdist.py: {name} was looked for outside of the distribution")
    run("ninja", "-C", folder, "starope_hwy", "starope_zlib", "zip")


def expect_no_libraries_of_others(python: Path) -> None:
    """What others wrote is part of the module and the program, as it is of the distribution."""
    place = Path(run(python, "-c", "import starope, os; print(os.path.dirname(starope.__file__))").strip())
    for binary in (*place.glob("_core.*.so"), place / "bin/starope"):
        needed = re.findall(r"NEEDED\s+(\S+)", run("objdump", "-p", binary))
        strange = [each for each in needed if not each.startswith(("libstdc++.", "libm.", "libgcc_s.", "libc.", "ld-linux"))]
        if not needed or strange:
            raise SystemExit(f"try_sdist.py: {binary.name} needs {', '.join(strange) or 'nothing'}")


def main() -> int:
    if os.environ.get("STAROPE_HIDDEN") != "1":
        own = [] if os.geteuid() == 0 else ["--map-root-user"]
        return subprocess.run(["unshare", "--mount", *own, sys.executable, *sys.argv], env={**os.environ, "STAROPE_HIDDEN": "1"}).returncode
    newest = max(Path(sys.argv[1]).resolve().glob("starope-*.tar.gz"), key=lambda path: path.stat().st_mtime)
    hide()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if "--configure" in sys.argv:
            with tarfile.open(newest) as archive:
                archive.extractall(folder, filter="data")
            configure(folder / newest.name.removesuffix(".tar.gz"), folder / "build")
            print(f"{newest.name}: configures")
            return 0
        # As a user does it: pip fetches what builds the package, and numpy.
        python = fresh_environment(sys.executable, folder / "venv", newest)
        expect_no_libraries_of_others(python)
        print(f"{newest.name}: {try_out(python, folder)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
