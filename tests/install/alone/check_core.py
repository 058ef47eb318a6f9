#!/usr/bin/env python3
"""check_core.py SOURCE_DIR ROOM...: the core includes threads, files and memory maps only where STAROPE_THREADS or STAROPE_FILES
says so, and every line behind such a switch is behind the right one."""

import re
import sys
from pathlib import Path

GUARDS = {"STAROPE_THREADS": {"thread", "mutex", "condition_variable", "barrier", "semaphore", "latch", "future", "shared_mutex"},
          "STAROPE_FILES": {"filesystem", "fstream", "fcntl.h", "unistd.h", "sys/mman.h", "sys/stat.h", "sys/random.h", "sys/file.h"}}
GUARD_OF = {header: guard for guard, headers in GUARDS.items() for header in headers}


def check(name: str, text: str) -> list[str]:
    """Includes that stand outside of their #if."""
    wrong, open_guards = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        if match := re.match(r"\s*#\s*if(?:def|ndef)?\s+(.*)", line):
            open_guards.append(match[1].strip())
        elif re.match(r"\s*#\s*else", line):
            open_guards[-1] = open_guards[-1].removeprefix("!") if open_guards[-1].startswith("!") else "!" + open_guards[-1]
        elif re.match(r"\s*#\s*endif", line):
            open_guards.pop()
        elif (match := re.match(r"\s*#\s*include\s*<([^>]+)>", line)) and (guard := GUARD_OF.get(match[1])):
            if guard not in open_guards:
                wrong.append(f"{name}:{number}: <{match[1]}> outside of #if {guard}")
    return wrong


def main(arguments: list[str]) -> int:
    source, rooms = Path(arguments[0]), arguments[1:]
    assert check("x", "#include <mutex>\n") and not check("x", "#if STAROPE_THREADS\n#include <mutex>\n#endif\n")
    assert check("x", "#if !STAROPE_FILES\n#include <fstream>\n#else\n#endif\n")
    files = [f for room in rooms for f in sorted((source / room).glob("*.[ch]pp"))
             if not f.name.endswith("_test.cpp") and not f.name.startswith("testing")]
    wrong = [line for f in files for line in check(str(f.relative_to(source)), f.read_text(encoding="utf-8"))]
    print("\n".join(wrong) or f"{len(files)} files of {len(rooms)} rooms")
    return 1 if wrong or len(files) < 50 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
