#!/usr/bin/env python3
"""test_joined.py BUILD SOURCE: the joined sources of a build name no folder of this machine, so that every clone compiles the same bytes."""

import pathlib
import sys

build, source = pathlib.Path(sys.argv[1]), sys.argv[2]
joined = [path for path in build.glob("**/together/*.cpp") if "install" not in path.parts]
wrong = [path for path in joined if source in path.read_text() or str(build) in path.read_text()]
for path in wrong:
    print(f"{path} names a folder of this clone")
print(f"{len(joined)} joined sources, {len(wrong)} of them wrong")
sys.exit(1 if wrong or not joined else 0)
