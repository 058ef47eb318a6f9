#!/usr/bin/env python3
"""test_compiler_cache.py LAUNCHER CCACHE COMPILER: two clones share what they compile, and only what is the same."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

LAUNCHER, CCACHE, COMPILER = "", "", ""


class Clone:
    """A tree with a header, which is precompiled, and a source that uses it."""

    def __init__(self, folder: pathlib.Path, cache: pathlib.Path):
        self.tree, self.cache = folder, cache
        (folder / "build").mkdir(parents=True)
        self.write("common.hpp", "#include <string>\ninline int answer() { return 41; }\n")
        self.write("unit.cpp", "int unit() { return answer(); }\n")

    def write(self, name: str, text: str) -> None:
        (self.tree / name).write_text(text)

    def run(self, *arguments: str, **environment: str) -> None:
        command = [LAUNCHER, str(self.tree), CCACHE, COMPILER, "-std=c++20", "-O0", "-Winvalid-pch", *arguments]
        subprocess.run(command, check=True, cwd=self.tree / "build",
                       env={**os.environ, "CCACHE_DIR": str(self.cache), "CCACHE_CONFIGPATH": os.devnull, **environment})

    def precompile(self, anew: bool) -> bytes:
        self.run("-x", "c++-header", "-MD", "-MF", "common.d", "-o", "common.hpp.gch", "-c", str(self.tree / "common.hpp"),
                 **({"CCACHE_RECACHE": "1"} if anew else {}))
        return (self.tree / "build/common.hpp.gch").read_bytes()

    def compile(self, *options: str) -> str:
        """'hit' or 'miss'."""
        before = self.hits()
        self.run(*options, "-include", str(self.tree / "build/common.hpp"), "-MD", "-MF", "unit.d", "-o", "unit.o", "-c",
                 str(self.tree / "unit.cpp"))
        return "hit" if self.hits() > before else "miss"

    def hits(self) -> int:
        listed = subprocess.run([CCACHE, "--print-stats"], check=True, capture_output=True, text=True,
                                env={**os.environ, "CCACHE_DIR": str(self.cache), "CCACHE_CONFIGPATH": os.devnull}).stdout
        counts = dict(line.split("\t") for line in listed.splitlines())
        return int(counts["direct_cache_hit"]) + int(counts["preprocessed_cache_hit"])


class CompilerCache(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        folder = pathlib.Path(scratch.name)
        cache = folder / "cache"
        self.one, self.two = Clone(folder / "one", cache), Clone(folder / "a second clone", cache)

    def test_clones_that_precompiled_for_themselves_share_the_rest(self) -> None:
        first = self.one.precompile(anew=True)
        self.assertEqual(self.one.compile(), "miss")
        second = self.two.precompile(anew=True)
        if first == second:
            self.skipTest("this compiler precompiles to the same bytes every time")
        self.assertEqual(self.two.compile(), "hit")

    def test_another_header_is_another_result(self) -> None:
        self.one.precompile(anew=False)
        self.assertEqual(self.one.compile(), "miss")
        self.two.write("common.hpp", "#include <string>\ninline int answer() { return 42; }\n")
        self.two.precompile(anew=False)
        self.assertEqual(self.two.compile(), "miss")
        self.assertNotEqual((self.one.tree / "build/unit.o").read_bytes(), (self.two.tree / "build/unit.o").read_bytes())

    def test_how_much_memory_the_compiler_fills_is_no_difference(self) -> None:
        self.one.precompile(anew=False)
        self.assertEqual(self.one.compile("--param=ggc-min-heapsize=600000"), "miss")
        self.assertEqual(self.one.compile(), "hit")
        self.assertEqual(self.one.compile("--param=ggc-min-heapsize=500000", "--param=ggc-min-expand=400"), "hit")
        self.assertEqual(self.one.compile("--param=max-inline-insns-auto=3"), "miss")

    def test_a_compiler_that_fails_fails(self) -> None:
        self.one.write("common.hpp", "int answer( { }\n")
        with self.assertRaises(subprocess.CalledProcessError):
            self.one.precompile(anew=False)
        self.assertFalse((self.one.tree / "build/common.hpp.gch.sum").exists())


if __name__ == "__main__":
    LAUNCHER, CCACHE, COMPILER = sys.argv[1:4]
    if not os.access(CCACHE, os.X_OK) or "clang" in COMPILER:
        print("no ccache here, or a compiler that precompiles in another way")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
