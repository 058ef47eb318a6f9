#!/usr/bin/env python3
"""Shows doxygen the comments of our headers, which are plain ones: `//` before a declaration or behind it on the line.

  python3 tools/doxygen_comments.py HEADER.hpp     what doxygen reads instead, on standard output (INPUT_FILTER of docs/Doxyfile)

The first comment of a file, before its includes, is left out: docs/reference/cpp.md says what a header is for.
"""

import re
import sys
from pathlib import Path

WHOLE = re.compile(r"^(?P<indent>\s*)//(?!/) ?(?P<text>.*)$")
BEHIND = re.compile(r"^(?P<code>.*?\S)(?P<blanks>\s+)//(?!/) ?(?P<text>.*)$")
LOUD = re.compile(r"^-{3,}.*-{3,}$")  # a heading inside a file
# What the C++ parser of sphinx does not know: values of members by name, and enumerations that are only announced.
DESIGNATED = re.compile(r"^(?P<member>\s+[\w:<>]+ \w+)\s*=?\s*\{\.[^{}]*\};")
ANNOUNCED = re.compile(r"^enum class \w+ : [\w:]+;")


def quoted(text: str) -> str:
    """What doxygen would take for commands of its own."""
    return re.sub(r"([\\@<>#%\"])", r"\\\1", text)


def for_doxygen(header: str) -> str:
    lines: list[str] = []
    in_head, column = True, -1  # column: where the comment behind the line above begins
    for line in header.splitlines():
        line = DESIGNATED.sub(r"\g<member>;", "" if ANNOUNCED.match(line) else line)
        whole, behind = WHOLE.match(line), BEHIND.match(line)
        if whole and LOUD.match(whole["text"]):
            lines.append("")
        elif whole and len(whole["indent"]) == column:  # that comment goes on
            lines.append(f"{whole['indent']}///< {quoted(whole['text'])}")
            continue
        elif whole and in_head:
            lines.append("")
        elif whole:
            lines.append(f"{whole['indent']}/// {quoted(whole['text'])}")
        elif behind and not in_head and not behind["code"].lstrip().startswith(("}", "#")) and '"' not in behind["code"]:
            lines.append(f"{behind['code']}{behind['blanks']}///< {quoted(behind['text'])}")
            column = behind.end("blanks")
            continue
        else:
            in_head = in_head and not line.startswith("namespace ")
            lines.append(line)
        column = -1
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(for_doxygen(Path(sys.argv[1]).read_text(encoding="utf-8")))
