#!/usr/bin/env python3
"""Which sources lint.py looks at."""

import contextlib
import io
import json
import pathlib
import subprocess
import tempfile
import unittest

import lint


class Units(unittest.TestCase):
    def test_headers_count_for_their_source_and_the_most_changed_come_first(self):
        stat = "3\t1\tsrc/a.cpp\n2\t0\tsrc/b.hpp\n9\t9\tsrc/b.cpp\n70\t0\tdocs/x.md\n-\t-\tx.npz\n5\t5\tsrc/gone.cpp\n1\t0\tsrc/h.hpp\n"
        there = {"src/a.cpp", "src/b.cpp"}
        self.assertEqual(lint.units(stat, there.__contains__), ["src/b.cpp", "src/a.cpp"])

    def test_the_base_is_main_or_the_commit_before(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder)

            def git(*arguments):
                subprocess.run(["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True,
                               capture_output=True)

            def commit(text):
                (source / "a.cpp").write_text(text)
                git("add", "-A")
                git("commit", "-m", text)
                return lint.git(source, "rev-parse", "HEAD").strip()

            self.assertEqual(lint.base_of(source), "")
            git("init", "-b", "main")
            first = commit("1")
            second = commit("2")
            self.assertEqual(lint.base_of(source), first)
            git("checkout", "-b", "other")
            commit("3")
            commit("4")
            self.assertEqual(lint.base_of(source), second)


class Joined(unittest.TestCase):
    """Sources that the build joins are known by their names, and can still be looked at alone."""

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.source = pathlib.Path(place.name).resolve()
        self.build = self.source / "build" / "tidy"
        rooms = self.build / "src" / "starope" / "a" / "together" / "a_0.cpp"
        laws = self.build / "tests" / "laws" / "together" / "laws_test_0.cpp"
        written = self.build / "src" / "starope" / "report" / "embedded_0.cpp"
        alone = self.source / "web" / "service.cpp"
        for path, text in ((rooms, '#include "starope/a/x.cpp"  // NOLINT(a)\n#include "starope/a/y.cpp"  // NOLINT(a)\n'),
                           (laws, '#include "x_test.cpp"\n'), (written, ""), (alone, ""),
                           *((self.source / name, "") for name in ("src/starope/a/x.cpp", "src/starope/a/y.cpp", "tests/laws/x_test.cpp"))):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self.build / "compile_commands.json").write_text(json.dumps(
            [{"directory": str(self.build), "file": str(path), "command": f"c++ -DWHERE={number} -o {number}.o -c {path}"}
             for number, path in enumerate((rooms, laws, written, alone))]))
        self.units = {str(rooms): ["src/starope/a/x.cpp", "src/starope/a/y.cpp"], str(laws): ["tests/laws/x_test.cpp"],
                      str(alone): ["web/service.cpp"]}

    def test_a_unit_is_its_sources(self):
        self.assertEqual(lint.sources_of_units(self.source, self.build), self.units)

    def test_each_alone(self):
        folder = pathlib.Path(lint.each_alone(self.source, str(self.build), self.units))
        commands = {unit["file"]: unit["command"] for unit in json.loads((folder / "compile_commands.json").read_text())}
        self.assertEqual(sorted(commands), sorted(str(self.source / path) for paths in self.units.values() for path in paths))
        y = str(self.source / "src/starope/a/y.cpp")
        self.assertEqual(commands[y], f"c++ -DWHERE=0 -o 0.o -c {y}")


class WhatWasFine(unittest.TestCase):
    """clang-tidy's place is taken by a script that notes each look and calls every source wrong that says so."""

    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.source = pathlib.Path(self.place.name).resolve()
        self.build = self.source / "build"
        self.build.mkdir()
        (self.source / ".clang-tidy").write_text("Checks: all")
        (self.source / "a.hpp").write_text("int one();\n")
        (self.source / "a.cpp").write_text('#include "a.hpp"\n')
        (self.source / "b.cpp").write_text("int two();\n")
        self.program = self.source / "tidy.sh"
        self.program.write_text('#!/bin/sh\necho "$4" >> looked\n! grep -q WRONG "$4"\n')
        self.program.chmod(0o755)
        self.commands("c++ -std=c++20")

    def commands(self, compiler):
        (self.build / "compile_commands.json").write_text(json.dumps(
            [{"directory": str(self.build), "file": str(self.source / name), "command": f"{compiler} -o x.o -c {self.source / name}"}
             for name in ("a.cpp", "b.cpp")]))

    def looked(self):
        (self.source / "looked").write_text("")
        with contextlib.redirect_stdout(io.StringIO()):
            code = lint.tidy(str(self.program), self.source, str(self.build), ["a.cpp", "b.cpp"], tell_fine=False)
        return sorted((self.source / "looked").read_text().split()), code

    def test_it_is_not_looked_at_again_until_something_changes(self):
        self.assertEqual(self.looked(), (["a.cpp", "b.cpp"], 0))
        self.assertEqual(self.looked(), ([], 0))
        (self.source / "a.hpp").write_text("int one(int);\n")
        self.assertEqual(self.looked(), (["a.cpp"], 0))
        (self.source / "b.cpp").write_text("int three();\n")
        self.assertEqual(self.looked(), (["b.cpp"], 0))
        self.commands("c++ -std=c++20 -DX")
        self.assertEqual(self.looked(), (["a.cpp", "b.cpp"], 0))
        (self.source / ".clang-tidy").write_text("Checks: none")
        self.assertEqual(self.looked(), (["a.cpp", "b.cpp"], 0))

    def test_what_is_wrong_is_looked_at_until_it_is_not(self):
        (self.source / "b.cpp").write_text("// WRONG\n")
        self.assertEqual(self.looked(), (["a.cpp", "b.cpp"], 1))
        self.assertEqual(self.looked(), (["b.cpp"], 1))
        (self.source / "b.cpp").write_text("// right\n")
        self.assertEqual(self.looked(), (["b.cpp"], 0))
        self.assertEqual(self.looked(), ([], 0))


if __name__ == "__main__":
    unittest.main()
