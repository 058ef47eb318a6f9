#!/usr/bin/env python3
"""Every finding that the sources make is in the catalog, with its severities and parameters, and no other is.

  check_findings.py docs/findings.md SOURCE...      prints what differs; exit code 1

A finding is made with literals, so that it can be found: {Severity::info, "code", {{"parameter", value}, ...}}.
"""

import re
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

MADE = re.compile(r'(?P<severities>Severity::\w+\b[^"{};]*)"(?P<code>[a-z_]+)"\s*(?P<rest>,\s*\{\{)?')
ROW = re.compile(r"^\| `(?P<code>\w+)` \| (?P<severity>[\w/]+) \| .* \| (?P<sentence>.*) \|$", re.MULTILINE)
SHOWN = re.compile(r"\{(\w+)\}|(?:\[| / )(\w+)=\w+: ")


@dataclass
class Kind:
    severities: set[str] = field(default_factory=set)
    parameters: list[frozenset[str]] = field(default_factory=list)  # of every place that makes it


def braces(text: str, at: int) -> str:
    """The text from the opening brace at `at` to the one that closes it."""
    depth = 0
    for end in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            return text[at:end + 1]
    raise ValueError("a brace is not closed")


def made(source: str) -> dict[str, Kind]:
    kinds: dict[str, Kind] = defaultdict(Kind)
    for match in MADE.finditer(source):
        kind = kinds[match["code"]]
        kind.severities |= set(re.findall(r"Severity::(\w+)", match["severities"]))
        parameters = braces(source, match.end() - 2) if match["rest"] else ""
        kind.parameters.append(frozenset(re.findall(r'\{"(\w+)",', parameters)))
    return kinds


def listed(page: str) -> dict[str, Kind]:
    kinds = {}
    for row in ROW.finditer(page):
        names = frozenset(first or second for first, second in SHOWN.findall(row["sentence"]))
        kinds[row["code"]] = Kind(set(row["severity"].split("/")), [names])
    return kinds


def differences(page: str, sources: list[str]) -> list[str]:
    catalog, found = listed(page), made("\n".join(sources))
    wrong = [f"{code} is made but not in the catalog" for code in sorted(found.keys() - catalog.keys())]
    wrong += [f"{code} is in the catalog but never made" for code in sorted(catalog.keys() - found.keys())]
    for code in sorted(found.keys() & catalog.keys()):
        if found[code].severities != catalog[code].severities:
            wrong.append(f"{code} is made as {', '.join(sorted(found[code].severities))}, "
                         f"the catalog has {', '.join(sorted(catalog[code].severities))}")
        for parameters in found[code].parameters:
            if parameters != catalog[code].parameters[0]:
                wrong.append(f"{code} is made with {', '.join(sorted(parameters)) or 'no parameters'}, its sentence "
                             f"has {', '.join(sorted(catalog[code].parameters[0])) or 'none'}")
    return wrong


def main(arguments: list[str]) -> int:
    page, *folders = map(Path, arguments)
    files = [file for folder in folders for file in sorted(folder.rglob("*.cpp")) if not file.stem.endswith("_test")]
    wrong = differences(page.read_text(encoding="utf-8"), [file.read_text(encoding="utf-8") for file in files])
    for line in wrong:
        print(line)
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
