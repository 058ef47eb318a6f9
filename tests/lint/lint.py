#!/usr/bin/env python3
"""What `make lint` does, and the short form of it that `make test` has.

lint.py format CLANG_FORMAT SOURCE              the format of all sources
lint.py tidy CLANG_TIDY SOURCE CMAKE BUILD      clang-tidy on the sources that changed since main, or in the last commit
lint.py all CLANG_TIDY SOURCE CMAKE BUILD       clang-tidy on every source that is compiled, one by one
"""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

MOST = 8  # sources; clang-tidy takes up to half a minute for each
SKIPPED = 77


def git(source: pathlib.Path, *arguments: str) -> str:
    """What git says; nothing where this is no clone, or not as deep."""
    done = subprocess.run(["git", "-c", "safe.directory=*", "-C", source, *arguments], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def base_of(source: pathlib.Path) -> str:
    """Where the changes begin: at main, or one commit ago where main is what is checked."""
    head = git(source, "rev-parse", "HEAD").strip()
    for main in ("origin/main", "main"):
        shared = git(source, "merge-base", "HEAD", main).strip()
        if shared and shared != head:
            return shared
    return git(source, "rev-parse", "HEAD~1").strip()


def units(numstat: str, exists) -> list[str]:
    """Sources to look at, those with the most changed lines first; a header is looked at through the source of its unit."""
    lines_of: dict[str, int] = {}
    for line in numstat.splitlines():
        added, removed, path = line.split("\t", 2)
        if not path.endswith((".cpp", ".hpp")) or not added.isdigit():
            continue
        source = path.removesuffix(".hpp") + ".cpp" if path.endswith(".hpp") else path
        if exists(source):
            lines_of[source] = lines_of.get(source, 0) + int(added) + int(removed)
    return sorted(lines_of, key=lambda path: (-lines_of[path], path))


def check_format(clang_format: str, source: pathlib.Path) -> int:
    files = git(source, "ls-files", "*.cpp", "*.hpp").split()
    if not files:
        print("no clone: nothing says which files are ours")
        return SKIPPED
    return subprocess.run([clang_format, "--dry-run", "--Werror", *files], cwd=source).returncode


def configured(source: pathlib.Path, cmake: str, build: str) -> set[str]:
    """The sources that are compiled, by their paths in the repository; what the build writes itself is not ours to lint."""
    done = subprocess.run([cmake, "--preset", "tidy", "-B", build], cwd=source, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    named = {pathlib.Path(unit["file"]) for unit in json.loads((pathlib.Path(build) / "compile_commands.json").read_text())}
    return {str(path.relative_to(source)) for path in named
            if path.is_relative_to(source) and not path.is_relative_to(pathlib.Path(build).parent)}


def tidy(clang_tidy: str, source: pathlib.Path, build: str, paths: list[str], tell_fine: bool) -> int:
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        looks = pool.map(lambda path: subprocess.run([clang_tidy, "--quiet", "-p", build, path], cwd=source,
                                                     capture_output=True, text=True), paths)
        for number, (path, look) in enumerate(zip(paths, looks), start=1):
            if look.returncode != 0:
                wrong += 1
                print(f"{path} is wrong:\n{look.stdout}", flush=True)
            elif tell_fine or number % 50 == 0:
                print(f"{number} of {len(paths)}: {path} is fine", flush=True)
    print(f"{len(paths)} sources, {wrong} of them wrong")
    return 1 if wrong else 0


def check_all(clang_tidy: str, source: pathlib.Path, cmake: str, build: str) -> int:
    return tidy(clang_tidy, source, build, sorted(configured(source, cmake, build)), tell_fine=False)


def check_changed(clang_tidy: str, source: pathlib.Path, cmake: str, build: str) -> int:
    base = base_of(source)
    if not base:
        print("no history: nothing says what changed")
        return SKIPPED
    changed = units(git(source, "diff", "--numstat", base), lambda path: (source / path).exists())
    compiled = configured(source, cmake, build)
    changed = [path for path in changed if path in compiled]
    if len(changed) > MOST:
        print(f"{len(changed) - MOST} of {len(changed)} changed sources are left to `make lint`")
    return tidy(clang_tidy, source, build, changed[:MOST], tell_fine=True)


if __name__ == "__main__":
    what, program, where, *rest = sys.argv[1:]
    check = {"format": check_format, "tidy": check_changed, "all": check_all}[what]
    folder = pathlib.Path(where).resolve()
    if rest:
        rest = [rest[0], str((folder / rest[1]).resolve())]
    sys.exit(check(program, folder, *rest))
