"""Makes the source distribution of the Python package: the sources of this clone, and what they need of others.

    python tools/make_sdist.py TO

Git holds no copies of others' code; a source distribution does, or it would build only where Debian's packages are. The headers
come from the packages that are installed, the few sources that must be compiled from Debian's source packages, the scripts of
reports from npm's packages: the versions that the tests of this clone ran with. Needs network access, dpkg and apt.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
STAGE = SOURCE / "build" / "sdist"
LEFT_OUT = ("tests/", "studies/", "benchmarks/", "examples/", "docs/", "python/tests/", "demo/")
HEADERS = {"libfmt-dev": "fmt", "libeigen3-dev": "eigen3", "libspectra-dev": "Spectra", "libcli11-dev": "CLI", "nlohmann-json3-dev": "nlohmann",
           "libtomlplusplus-dev": "toml++", "libfast-float-dev": "fast_float", "libhwy-dev": "hwy"}
# Of what has to be compiled: the source package, and what is taken of it.
SOURCES = {
    "highway": ["LICENSE*", "hwy/targets.cc"],
    "zlib": ["LICENSE", "adler32.c", "compress.c", "crc32.c", "deflate.c", "inf*.c", "trees.c", "uncompr.c", "zutil.c", "*.h"],
    "libzip": ["LICENSE", "CMakeLists.txt", "*.in", "cmake/*", "cmake-compat/*", "lib/*", "regress/nihtest.conf.in", "regress/runtest.in"],
}
SCRIPTS = ("vega/LICENSE", "vega/build/vega.min.js", "vega-lite/build/vega-lite.min.js", "vega-embed/build/vega-embed.min.js")


def run(*command: str | Path, **more: object) -> str:
    done = subprocess.run([str(each) for each in command], text=True, capture_output=True, **more)  # type: ignore[call-overload]
    if done.returncode != 0:
        raise SystemExit(f"make_sdist.py: {' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return str(done.stdout)


def copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)


def copy_clone() -> None:
    for name in run("git", "-c", "safe.directory=*", "ls-files", "-z", cwd=SOURCE).split("\0"):
        if name and not name.startswith(LEFT_OUT) and (SOURCE / name).is_file():
            copy(SOURCE / name, STAGE / name)


def copy_headers(to: Path) -> None:
    for package, folder in HEADERS.items():
        listed = [Path(each) for each in run("dpkg-query", "--listfiles", package).splitlines()]
        include = Path("/usr/include")
        found = [each for each in listed if each.is_relative_to(include / folder) and each.is_file()]
        if not found:
            raise SystemExit(f"make_sdist.py: the package {package} has no headers in {include / folder}")
        for each in found:
            copy(each, to / "include" / each.relative_to(include))
        copy(Path("/usr/share/doc") / package / "copyright", to / "licenses" / package)


def fetch_sources(folder: Path) -> None:
    """Debian's source packages, by the sources of apt as they are, in places of our own: nothing of the system changes."""
    lists = folder / "sources.list.d"
    for each in (lists, folder / "lists" / "partial", folder / "cache" / "archives" / "partial"):
        each.mkdir(parents=True)
    for given in [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]:
        if not given.is_file() or given.suffix not in (".list", ".sources"):
            continue
        text = given.read_text()
        text = text.replace("Types: deb\n", "Types: deb-src\n") if given.suffix == ".sources" else \
            "\n".join("deb-src" + line[3:] for line in text.splitlines() if line.startswith("deb ")) + "\n"
        (lists / given.name).write_text(text)
    apt = ["apt-get", "-q", "-o", f"Dir::Etc::sourceparts={lists}", "-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::State::lists={folder / 'lists'}",
           "-o", f"Dir::Cache={folder / 'cache'}", "-o", "APT::Sandbox::User=root"]
    run(*apt, "update")
    run(*apt, "source", *SOURCES, cwd=folder)  # unpacked, with the patches of Debian


def copy_sources(to: Path) -> None:
    folder = STAGE.parent / "sdist-sources"
    if not all(list(folder.glob(f"{name}-*/")) for name in SOURCES):
        shutil.rmtree(folder, ignore_errors=True)
        fetch_sources(folder)
    for name, patterns in SOURCES.items():
        (unpacked,) = (each for each in folder.glob(f"{name}-*") if each.is_dir())
        for pattern in patterns:
            found = [each for each in unpacked.glob(pattern) if each.is_file()]
            if not found:
                raise SystemExit(f"make_sdist.py: {name} has no {pattern}")
            for each in found:
                copy(each, to / name / each.relative_to(unpacked))


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    target = Path(sys.argv[1]).resolve()
    target.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(STAGE, ignore_errors=True)
    copy_clone()
    third_party = STAGE / "third_party"
    copy_headers(third_party)
    copy_sources(third_party)
    scripts = SOURCE / "build/npm/node_modules"
    if not all((scripts / script).is_file() for script in SCRIPTS):
        raise SystemExit("make_sdist.py: the scripts of reports are missing: tools/install_dependencies.sh web")
    for script in SCRIPTS:
        copy(scripts / script, third_party / "npm/node_modules" / script)
    os.chdir(STAGE)
    from scikit_build_core.build import build_sdist

    print(target / build_sdist(str(target)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
