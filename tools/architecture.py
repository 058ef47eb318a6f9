#!/usr/bin/env python3
"""Keeps docs/architecture.md true: its table of modules is written from what the modules declare to CMake.

  tools/architecture.py build/modules.tsv docs/architecture.md            writes the table
  tools/architecture.py --check build/modules.tsv docs/architecture.md    fails if the page does not say the same,
                                                                          or if its tree of folders is not the real one,
                                                                          or its walk leads where nothing is
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import repository

BEGIN = "<!-- modules: written by `make docs`, do not edit -->"
END = "<!-- end of modules -->"
MOST_HOPS = 10
TREE = re.compile(r"^<!-- folders -->\n```[a-z]*\n(?P<tree>.*?)^```$", re.MULTILINE | re.DOTALL)


class PageError(Exception):
    """What is wrong with the page, and what to do."""


@dataclass(frozen=True)
class Module:
    name: str
    depends: list[str]
    summary: str


def read_modules(table: str) -> list[Module]:
    """One module per line, in the order of declaration: name, dependencies separated by blanks, summary."""
    modules = []
    for line in table.splitlines():
        name, depends, summary = line.split("\t")
        modules.append(Module(name, depends.split(), summary))
    return modules


def module_table(modules: list[Module]) -> str:
    rows = ["| module | what it is for | may include |", "|---|---|---|"]
    for module in modules:
        rows.append(f"| `{module.name}` | {module.summary} | {', '.join(module.depends) or 'nothing'} |")
    return "\n".join(rows)


def with_table(page: str, table: str) -> str:
    """The page with the table between its two marks."""
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(BEGIN) > page.index(END):
        raise PageError(f"the page needs the lines '{BEGIN}' and '{END}', once each and in this order")
    before, rest = page.split(BEGIN)
    return before + BEGIN + "\n\n" + table + "\n\n" + END + rest.split(END)[1]


def folders_of_tree(page: str) -> set[str]:
    """The folders at the left edge of the block behind <!-- folders -->."""
    tree = TREE.search(page)
    if not tree:
        raise PageError("the page needs a block that follows the line '<!-- folders -->'")
    return {match[1] for match in re.finditer(r"^([\w.-]+)/(?:\s|$)", tree["tree"], re.MULTILINE)}


def walk(page: str) -> list[tuple[str, str]]:
    """Function and file of every step of the walk from row to report: `name`, `room/file`."""
    rows = re.findall(r"^\| \d+ \|.*\|(.*)\|$", page, re.MULTILINE)
    if not 1 <= len(rows) <= MOST_HOPS:
        raise PageError(f"the walk from row to report has {len(rows)} hops: it needs some, and at most {MOST_HOPS}")
    return [step for row in rows for step in re.findall(r"`([\w:]+)`, `([\w/.]+)`", row)]


def check_walk(page: str, source: Path) -> None:
    for name, file in walk(page):
        path = source / file
        if not path.exists() or not re.search(rf"(?<![\w:]){name}\(", path.read_text(encoding="utf-8")):
            raise PageError(f"the walk leads to {name} in {file}, which is not there")


def check(page: str, table: str, folders: set[str]) -> None:
    if with_table(page, table) != page:
        raise PageError("the table of modules is out of date: run `make docs`")
    told = folders_of_tree(page)
    if missing := sorted(folders - told):
        raise PageError(f"the tree of folders does not name {', '.join(missing)}: add a line for each")
    if gone := sorted(told - folders):
        raise PageError(f"the tree of folders names {', '.join(gone)}, which is not there")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("modules", type=Path)
    parser.add_argument("page", type=Path)
    options = parser.parse_args(arguments)
    page = options.page.read_text(encoding="utf-8")
    table = module_table(read_modules(options.modules.read_text(encoding="utf-8")))
    try:
        if options.check:
            root = options.page.resolve().parent.parent
            check(page, table, repository.folders(root))
            check_walk(page, root / "src/starope")
        else:
            options.page.write_text(with_table(page, table), encoding="utf-8")
    except PageError as error:
        print(f"{options.page.name}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
