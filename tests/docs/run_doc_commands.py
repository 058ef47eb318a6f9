#!/usr/bin/env python3
"""Runs the commands that the documentation shows, so that no reader is the first to try them.

Fenced blocks of these languages are run, each Markdown file in a fresh folder of its own, from top to bottom:

  sh       a bash script; it must succeed
  console  a transcript: lines "$ command", each followed by the output the reader will see. A line "..." stands for any
           lines, "..." within a line for any text.
  cpp      a whole program (one that has "int main"), if --cpp-program names its executable

A block that cannot run here has the comment <!-- not run: reason --> on the line before it. It is counted, not run.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

RUNNABLE = ("sh", "console", "cpp")
FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})\s*(?P<language>[^\s`]*)")
NOT_RUN = re.compile(r"^\s*<!--\s*not run:?\s*(?P<reason>.*?)\s*-->\s*$")


class DocError(Exception):
    """A mistake in the documentation; the message names file and line."""


@dataclass(frozen=True)
class Block:
    file: str
    line: int  # of the opening fence, from 1
    language: str
    text: str
    not_run: str | None = None  # the reason

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def is_program(self) -> bool:
        return self.language == "cpp" and "int main(" in self.text


@dataclass(frozen=True)
class Exchange:
    """One command of a transcript and the lines it is said to print."""

    command: str
    output: list[str]


def find_blocks(markdown: str, file: str) -> list[Block]:
    """All fenced blocks of the runnable languages, in order."""
    blocks = []
    lines = markdown.splitlines()
    reason, reason_line = None, 0  # of a "not run" comment that waits for its block
    i = 0
    while i < len(lines):
        comment, fence = NOT_RUN.match(lines[i]), FENCE.match(lines[i])
        if comment:
            if not comment["reason"]:
                raise DocError(f"{file}:{i + 1}: 'not run' needs a reason")
            reason, reason_line = comment["reason"], i + 1
        elif fence:
            closing = re.compile(rf"^ *{re.escape(fence['fence'][0])}{{{len(fence['fence'])},}}\s*$")
            end = next((j for j in range(i + 1, len(lines)) if closing.match(lines[j])), None)
            if end is None:
                raise DocError(f"{file}:{i + 1}: this block is never closed")
            indent = len(fence["indent"])
            body = [line[min(indent, len(line) - len(line.lstrip(" "))):] for line in lines[i + 1:end]]
            if fence["language"] in RUNNABLE:
                blocks.append(Block(file, i + 1, fence["language"], "\n".join(body) + "\n", reason))
                reason = None
            elif fence["language"] == "python":
                reason = None  # said to python/tests/test_docs.py, which runs these
            i = end
        if reason and reason_line != i + 1:
            raise DocError(f"{file}:{reason_line}: 'not run' stands before no block that would be run")
        i += 1
    if reason:
        raise DocError(f"{file}:{reason_line}: 'not run' stands before no block that would be run")
    return blocks


def parse_console(block: Block) -> list[Exchange]:
    """The commands of a transcript. A command that ends in a backslash goes on in the next line."""
    exchanges: list[Exchange] = []
    continued = False
    for offset, line in enumerate(block.text.splitlines(), start=1):
        if continued:
            last = exchanges[-1]
            exchanges[-1] = Exchange(last.command + "\n" + line, last.output)
        elif line.startswith("$ "):
            exchanges.append(Exchange(line[2:], []))
        elif exchanges:
            exchanges[-1].output.append(line)
            continue
        else:
            raise DocError(f"{block.file}:{block.line + offset}: a console block starts with '$ command'")
        continued = line.endswith("\\")
    if not exchanges:
        raise DocError(f"{block.where}: a console block without a command")
    return exchanges


def output_matches(expected: list[str], actual: list[str]) -> bool:
    """Line by line, trailing blanks aside; '...' as the module's description says."""
    parts = []
    for line in expected:
        if line.strip() == "...":
            parts.append(r"(?:[^\n]*\n)*")
        else:
            parts.append(r"[^\n]*".join(re.escape(piece) for piece in line.rstrip().split("...")) + r"\n")
    text = "".join(line.rstrip() + "\n" for line in actual)
    return re.fullmatch("".join(parts), text) is not None


def run(command: list[str], folder: Path, environment: dict[str, str], timeout: float) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=timeout, check=False)


def run_block(block: Block, folder: Path, environment: dict[str, str], cpp_program: str | None,
              timeout: float = 300.0) -> None:
    """Runs one block; DocError if it fails or prints something else than the block shows."""

    def checked(command: list[str], shown: str) -> list[str]:
        done = run(command, folder, environment, timeout)
        if done.returncode != 0:
            raise DocError(f"{block.where}: exit code {done.returncode} of\n{shown.rstrip()}\n--- it printed\n{done.stdout}")
        return done.stdout.splitlines()

    if block.language == "cpp":
        checked([str(cpp_program)], "the program compiled from this block")
    elif block.language == "sh":
        checked(["bash", "-euo", "pipefail", "-c", block.text], block.text)
    else:
        for exchange in parse_console(block):
            actual = checked(["bash", "-euo", "pipefail", "-c", exchange.command], exchange.command)
            if not output_matches(exchange.output, actual):
                raise DocError("\n".join([f"{block.where}: $ {exchange.command}", "--- the documentation shows",
                                          *exchange.output, "--- it printed", *actual]))


def run_file(path: Path, environment: dict[str, str], cpp_program: str | None, only_list: bool) -> tuple[int, int]:
    """Runs all blocks of a file in one fresh folder. Returns how many were run and how many were not."""
    ran = skipped = 0
    with tempfile.TemporaryDirectory(prefix="starope-docs-") as folder:
        for block in find_blocks(path.read_text(encoding="utf-8"), path.name):
            reason = block.not_run
            if block.language == "cpp" and reason is None:
                if not block.is_program:
                    reason = "a fragment, not a program"
                elif cpp_program is None:
                    reason = "its program was not compiled"
            if reason is None and block.language == "console":
                parse_console(block)
            if reason is None and only_list:
                reason = "--list"
            if reason is not None:
                print(f"{block.where}: {block.language}: not run: {reason}")
                skipped += 1
                continue
            run_block(block, Path(folder), environment, cpp_program)
            print(f"{block.where}: {block.language}: ran")
            ran += 1
    return ran, skipped


def extract_program(path: Path) -> str:
    """The one C++ program that a file shows, with #line so that compiler messages point into the documentation."""
    programs = [block for block in find_blocks(path.read_text(encoding="utf-8"), path.name) if block.is_program]
    if len(programs) != 1:
        raise DocError(f"{path.name}: shows {len(programs)} C++ programs, expected one")
    return f'#line {programs[0].line + 1} "{path.name}"\n{programs[0].text}'


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.md")
    parser.add_argument("--path", metavar="FOLDER", help="put this folder first on PATH")
    parser.add_argument("--cpp-program", type=lambda name: str(Path(name).resolve()), metavar="EXECUTABLE",
                        help="run this where a file shows its C++ program")
    parser.add_argument("--at-least", type=int, default=0, metavar="N", help="fail if fewer blocks than this were run")
    parser.add_argument("--list", action="store_true", help="parse and list, run nothing")
    parser.add_argument("--extract-program", type=Path, metavar="OUT.cpp", help="write the C++ program, run nothing")
    options = parser.parse_args(arguments)

    # Programs that look at the width of the terminal must not print something else here than for the reader.
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")} | {"LC_ALL": "C.UTF-8"}
    if options.path:
        environment["PATH"] = str(Path(options.path).resolve()) + os.pathsep + environment.get("PATH", "")
    try:
        if options.extract_program:
            options.extract_program.write_text(extract_program(options.files[0]), encoding="utf-8")
            return 0
        counts = [run_file(file, environment, options.cpp_program, options.list) for file in options.files]
    except (DocError, OSError, subprocess.TimeoutExpired) as error:
        print(f"FAILED {error}", file=sys.stderr)
        return 1
    ran, skipped = (sum(column) for column in zip(*counts))
    print(f"{ran} blocks run, {skipped} not run")
    if ran < options.at_least:
        print(f"FAILED expected at least {options.at_least} blocks to run", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
