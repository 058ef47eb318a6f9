#!/usr/bin/env python3
"""The short form of `make lint`.

lint_changed.py format CLANG_FORMAT SOURCE              the format of all sources
lint_changed.py tidy CLANG_TIDY SOURCE CMAKE BUILD      clang-tidy on the sources that changed since main, or in the last commit
"""

import concurrent.futures
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


def check_changed(clang_tidy: str, source: pathlib.Path, cmake: str, build: str) -> int:
    base = base_of(source)
    if not base:
        print("no history: nothing says what changed")
        return SKIPPED
    changed = units(git(source, "diff", "--numstat", base), lambda path: (source / path).exists())
    configured = subprocess.run([cmake, "--preset", "tidy", "-B", build], cwd=source, capture_output=True, text=True)
    if configured.returncode != 0:
        print(configured.stdout, configured.stderr)
        return 1
    known = (pathlib.Path(build) / "compile_commands.json").read_text()
    changed = [path for path in changed if f'"{source / path}"' in known]
    if len(changed) > MOST:
        print(f"{len(changed) - MOST} of {len(changed)} changed sources are left to `make lint`")
    wrong = False
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        looks = pool.map(lambda path: subprocess.run([clang_tidy, "--quiet", "-p", build, path], cwd=source,
                                                     capture_output=True, text=True), changed[:MOST])
        for path, look in zip(changed, looks):
            print(path, "is wrong:\n" + look.stdout if look.returncode else "is fine")
            wrong = wrong or look.returncode != 0
    return 1 if wrong else 0


if __name__ == "__main__":
    what, program, where, *rest = sys.argv[1:]
    folder = pathlib.Path(where)
    sys.exit(check_format(program, folder) if what == "format" else check_changed(program, folder, *rest))
