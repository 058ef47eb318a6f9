#!/usr/bin/env python3
"""The badges of README.md, from the files that they speak of.

  python3 tools/badges.py          writes docs/pictures/badge-*.svg
  python3 tools/badges.py --check  fails where one of them no longer says what is so

They are files of the repository and not pictures of a service: they are the same without a network, and a test compares them with their sources.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 6.6  # of a letter of 11 pixels, on average; text is stretched to what it says


def first(pattern: str, name: str) -> str:
    found = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise SystemExit(f"badges.py: {name} has nothing like '{pattern}'")
    return found[1]


def facts() -> dict[str, tuple[str, str]]:
    """Of each badge its two words."""
    pythons = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return {"version": ("version", first(r"^\s*VERSION\s+([\d.]+)", "CMakeLists.txt")),
            "cpp": ("C++", first(r"cxx_std_(\d+)", "src/starope/CMakeLists.txt")),
            "python": ("Python", f"{pythons[0]} to {pythons[-1]}"),
            "system": ("system", first(r'"Operating System :: (?:\w+ :: )*(\w+)"', "pyproject.toml")),
            "license": ("license", first(r"^(\w+) License", "LICENSE"))}


def svg(left: str, right: str) -> str:
    widths = [round(WIDTH * len(word) + 12) for word in (left, right)]
    total = sum(widths)
    words = "".join(f'<text x="{x}" y="14" textLength="{round(WIDTH * len(word))}">{word}</text>'
                    for word, x in ((left, widths[0] / 2), (right, widths[0] + widths[1] / 2)))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="20" role="img" aria-label="{left}: {right}"><title>{left}: {right}</title>'
            f'<clipPath id="round"><rect width="{total}" height="20" rx="3"/></clipPath><g clip-path="url(#round)">'
            f'<rect width="{widths[0]}" height="20" fill="#444c56"/><rect x="{widths[0]}" width="{widths[1]}" height="20" fill="#0969da"/></g>'
            f'<g fill="#ffffff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">{words}</g></svg>\n')


def main(arguments: list[str]) -> int:
    wrong = []
    for name, (left, right) in facts().items():
        path = ROOT / f"docs/pictures/badge-{name}.svg"
        if arguments != ["--check"]:
            path.write_text(svg(left, right), encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != svg(left, right):
            wrong.append(f"{path.relative_to(ROOT)} does not say '{left}: {right}': run python3 tools/badges.py")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
