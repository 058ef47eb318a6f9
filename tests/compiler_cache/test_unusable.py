#!/usr/bin/env python3
"""test_unusable.py CMAKE SOURCE COMPILER: a build needs neither ccache nor a folder where ccache may write."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CMAKE, SOURCE, COMPILER = "", "", ""

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(one LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
include("{source}/cmake/StaropeFlags.cmake")
file(WRITE "${{CMAKE_BINARY_DIR}}/one.cpp" "int main() {{ return 0; }}\\n")
add_executable(one "${{CMAKE_BINARY_DIR}}/one.cpp")
target_precompile_headers(one PRIVATE <string>)
target_link_libraries(one PRIVATE starope_flags)
"""


class UnusableCache(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "CMakeLists.txt").write_text(PROJECT.format(source=SOURCE))

    def build(self, *options: str, **environment: str) -> str:
        """What configuring said; the program must be built and run."""
        surroundings = {k: v for k, v in os.environ.items() if not k.startswith("CCACHE")} | environment
        build = self.folder / "build"
        said = subprocess.run([CMAKE, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={COMPILER}", *options, "-S", self.folder, "-B", build],
                              check=True, capture_output=True, text=True, env=surroundings).stdout
        subprocess.run([CMAKE, "--build", build], check=True, capture_output=True, env=surroundings)
        subprocess.run([build / "one"], check=True)
        return said

    def test_without_ccache(self) -> None:
        self.assertNotIn("ccache", self.build("-DSTAROPE_CCACHE=OFF"))

    def test_with_a_home_that_cannot_be_written(self) -> None:
        # A file, not a folder: not even root can write below it.
        home = self.folder / "home"
        home.write_text("")
        said = self.build(HOME=str(home), XDG_CACHE_HOME=str(home), CCACHE_DIR=str(home / "cache"))
        self.assertIn("ccache does not work here", said)


if __name__ == "__main__":
    CMAKE, SOURCE, COMPILER = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1])
