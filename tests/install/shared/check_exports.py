#!/usr/bin/env python3
"""check_exports.py NM LIBRARY: the shared library shows the door and nothing behind it."""

import re
import subprocess
import sys

SHOWN = ["starope::evaluate(", "starope::io::read(", "starope::domains::find_domain(", "typeinfo for starope::DataError"]
HIDDEN = ["starope::parallel_for(", "starope::fit_kmeans(", "starope::edit_distance(", "starope::io::InputFile::"]


def main(arguments: list[str]) -> int:
    nm, library = arguments
    listed = subprocess.run([nm, "-DC", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    names = [line.split(" ", 2)[2] for line in listed.splitlines() if re.match(r"[0-9a-f]+ [A-Z] ", line)]
    wrong = [f"{name}... is not shown" for name in SHOWN if not any(n.startswith(name) for n in names)]
    wrong += [f"{n} is shown" for n in names for name in HIDDEN if n.startswith(name)]
    print("\n".join(wrong) or f"{sum('starope::' in n for n in names)} names of starope are shown")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
