"""The command `starope`: the program that comes with the package."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def program() -> Path:
    return Path(__file__).parent / "bin" / ("starope.exe" if os.name == "nt" else "starope")


def main() -> None:
    os.execv(program(), ["starope", *sys.argv[1:]])


if __name__ == "__main__":
    main()
