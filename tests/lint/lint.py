#!/usr/bin/env python3
"""What `make lint` does, and the short form of it that `make test` has.

lint.py format CLANG_FORMAT SOURCE              the format of all sources
lint.py tidy CLANG_TIDY SOURCE CMAKE BUILD      clang-tidy on the sources that changed since main, or in the last commit
lint.py all CLANG_TIDY SOURCE CMAKE BUILD       clang-tidy on everything that is compiled, several sources of a room at a time as
                                                the build joins them; those that were fine with the same rules, command and
                                                headers are not looked at again
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
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


def configured(source: pathlib.Path, cmake: str, build: str) -> dict[str, list[str]]:
    """What is compiled, by its path: a source of the repository, or several that the build joined; each with its sources."""
    done = subprocess.run([cmake, "--preset", "tidy", "-B", build], cwd=source, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    return sources_of_units(source, pathlib.Path(build))


def sources_of_units(source: pathlib.Path, build: pathlib.Path) -> dict[str, list[str]]:
    """The same from the compile commands. What else the build writes is not ours to lint."""
    units = {}
    for unit in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(unit["file"])
        if path.parent.name == "together" and path.is_relative_to(build):
            # It names its sources relative to src, or to the folder for whose targets the build wrote it.
            folder = source / path.relative_to(build).parent.parent
            names = re.findall(r'^#include "(.*?)"', path.read_text(), re.MULTILINE)
            found = [source / "src" / name if (source / "src" / name).exists() else folder / name for name in names]
            units[str(path)] = [str(each.relative_to(source)) for each in found]
        elif path.is_relative_to(source) and not path.is_relative_to(build.parent):
            units[str(path)] = [str(path.relative_to(source))]
    return units


def each_alone(source: pathlib.Path, build: str, units: dict[str, list[str]]) -> str:
    """A folder with commands that compile every source alone, as the unit that it is part of is compiled."""
    folder = pathlib.Path(build) / "alone"
    folder.mkdir(exist_ok=True)
    commands = []
    for unit in json.loads((pathlib.Path(build) / "compile_commands.json").read_text()):
        for path in units.get(unit["file"], []):
            alone = str(source / path)
            commands.append({"directory": unit["directory"], "file": alone, "command": unit["command"].replace(unit["file"], alone)})
    (folder / "compile_commands.json").write_text(json.dumps(commands))
    return str(folder)


class Known:
    """Sources that were fine, each with a digest of all that decides it: the rules, the command, the files it includes."""

    def __init__(self, source: pathlib.Path, build: str):
        self.source, self.folder = source, pathlib.Path(build) / "fine"
        self.folder.mkdir(parents=True, exist_ok=True)
        commands = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
        self.commands = {unit["file"]: unit for unit in commands}
        self.rules = (source / ".clang-tidy").read_text()

    @functools.lru_cache(maxsize=None)
    def digest_of(self, path: str) -> str:
        return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()

    def place(self, path: str) -> pathlib.Path:
        return self.folder / (path.replace("/", "+") + ".json")

    def unit(self, path: str) -> dict[str, str]:
        return self.commands[str(self.source / path)]

    def is_fine(self, path: str) -> bool:
        try:
            before = json.loads(self.place(path).read_text())
            return (before["rules"] == self.rules and before["command"] == self.unit(path)["command"]
                    and all(self.digest_of(file) == digest for file, digest in before["files"].items()))
        except (OSError, ValueError, KeyError):
            return False

    def note(self, path: str) -> None:
        """Remembers that it is fine. What it includes is asked of the compiler."""
        unit = self.unit(path)
        words, kept = shlex.split(unit["command"]), []
        while words:
            word = words.pop(0)
            if word == "-o":
                words.pop(0)
            elif word != "-c":
                kept.append(word)
        done = subprocess.run([*kept, "-MM"], cwd=unit["directory"], capture_output=True, text=True)
        if done.returncode != 0:
            return
        files = done.stdout.replace("\\\n", " ").split(":", 1)[1].split()
        where = pathlib.Path(unit["directory"])
        files = {str((where / file).resolve()): self.digest_of(str((where / file).resolve())) for file in files}
        text = json.dumps({"rules": self.rules, "command": unit["command"], "files": files})
        self.place(path).write_text(text)


def tidy(clang_tidy: str, source: pathlib.Path, build: str, paths: list[str], tell_fine: bool) -> int:
    known, wrong = Known(source, build), 0

    def look(path: str) -> tuple[bool, str]:
        if known.is_fine(path):
            return True, ""
        done = subprocess.run([clang_tidy, "--quiet", "-p", build, path, f"--config-file={source / '.clang-tidy'}"], cwd=source,
                              capture_output=True, text=True)
        if done.returncode == 0:
            known.note(path)
        return done.returncode == 0, done.stdout

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for number, (path, (fine, said)) in enumerate(zip(paths, pool.map(look, paths)), start=1):
            if not fine:
                wrong += 1
                print(f"{path} is wrong:\n{said}", flush=True)
            elif tell_fine or number % 50 == 0:
                print(f"{number} of {len(paths)}: {path} is fine", flush=True)
    print(f"{len(paths)} units, {wrong} of them wrong")
    return 1 if wrong else 0


def check_all(clang_tidy: str, source: pathlib.Path, cmake: str, build: str) -> int:
    units = configured(source, cmake, build)
    print(f"{sum(map(len, units.values()))} sources in {len(units)} units of compilation", flush=True)
    return tidy(clang_tidy, source, build, sorted(units), tell_fine=False)


def check_changed(clang_tidy: str, source: pathlib.Path, cmake: str, build: str) -> int:
    base = base_of(source)
    if not base:
        print("no history: nothing says what changed")
        return SKIPPED
    changed = units(git(source, "diff", "--numstat", base), lambda path: (source / path).exists())
    compiled = configured(source, cmake, build)
    sources = {path for paths in compiled.values() for path in paths}
    changed = [path for path in changed if path in sources]
    if len(changed) > MOST:
        print(f"{len(changed) - MOST} of {len(changed)} changed sources are left to `make lint`")
    return tidy(clang_tidy, source, each_alone(source, build, compiled), changed[:MOST], tell_fine=True)


if __name__ == "__main__":
    what, program, where, *rest = sys.argv[1:]
    check = {"format": check_format, "tidy": check_changed, "all": check_all}[what]
    folder = pathlib.Path(where).resolve()
    if rest:
        rest = [rest[0], str((folder / rest[1]).resolve())]
    sys.exit(check(program, folder, *rest))
