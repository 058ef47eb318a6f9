#!/usr/bin/env python3
"""A page of the documentation as a notebook: Python blocks become code, everything else stays text.

  python3 tools/page_to_notebook.py docs/gallery/health.md health.ipynb

Outputs are not taken along: run the notebook to have them.
"""

import hashlib
import json
import re
import sys
from pathlib import Path

BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```$\n?(?:\n*^```text\n.*?^```$\n?)?", re.MULTILINE | re.DOTALL)


def cells(page: str) -> list[dict]:
    found: list[tuple[str, str]] = []
    end = 0
    for block in BLOCK.finditer(page):
        found += [("markdown", page[end:block.start()].strip()), ("code", block["code"].strip("\n"))]
        end = block.end()
    found.append(("markdown", page[end:].strip()))
    made = []
    for i, (kind, text) in enumerate(found):
        if text:
            cell = {"cell_type": kind, "id": hashlib.sha256(f"{i} {text}".encode()).hexdigest()[:12], "metadata": {},
                    "source": text.splitlines(keepends=True)}
            made.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}))
    return made


def notebook(page: str) -> str:
    python = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps({"cells": cells(page), "metadata": {"kernelspec": python}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    Path(sys.argv[2]).write_text(notebook(Path(sys.argv[1]).read_text(encoding="utf-8")), encoding="utf-8")
