#!/usr/bin/env python3
"""check_exports.py NM LIBRARY DOOR: the shared library shows what the headers in the folder DOOR declare, and nothing else.

A name that is shown must be built of words that the door declares: of functions, classes and namespaces, and of the types that
stand in arguments. What is behind the door may share the namespace: nobody outside can see or link it. Code of the standard
library's templates is not ours, whatever types it is made for.
"""

import pathlib
import re
import subprocess
import sys

SHOWN = ["starope::evaluate(", "starope::io::read(", "starope::domains::find_domain(", "typeinfo for starope::DataError"]
HIDDEN = ["starope::parallel_for(", "starope::fit_kmeans(", "starope::edit_distance(", "starope::io::InputFile::"]


def door_words(folder: pathlib.Path) -> set[str]:
    words: set[str] = set()
    for header in folder.glob("*.hpp"):
        code = re.sub(r"//[^\n]*|/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
        words.update(re.findall(r"[A-Za-z_]\w*", code))
    return words


def strangers(names: list[str], words: set[str]) -> list[str]:
    """Names with a part behind starope:: that the door does not declare."""
    found = []
    for name in names:
        paths = re.findall(r"\bstarope((?:::~?[A-Za-z_]\w*)+)", name)
        parts = {part.lstrip("~") for path in paths for part in path.split("::") if part}
        if not parts - {"operator"} <= words:
            found.append(name)
    return found


def of_std(name: str) -> bool:
    """A function of std, possibly behind the type that it returns (which a listing has for templates)."""
    return name.startswith("std::") and not re.search(r"[\w>*&] starope::\w+[(<]", name)


def main(arguments: list[str]) -> int:
    nm, library, door = arguments
    listed = subprocess.run([nm, "-DC", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    names = [line.split(" ", 2)[2] for line in listed.splitlines() if re.match(r"[0-9a-f]+ [A-Za-z] ", line)]
    ours = [n for n in names if "starope" in n and not of_std(n)]
    wrong = [f"{name}... is not shown" for name in SHOWN if not any(n.startswith(name) for n in names)]
    wrong += [f"{n} is shown" for n in names for name in HIDDEN if n.startswith(name)]
    wrong += [f"{n} is shown, but not in the door" for n in strangers(ours, door_words(pathlib.Path(door)))]
    print("\n".join(wrong) or f"{len(ours)} names of starope are shown, all of them in the door")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
