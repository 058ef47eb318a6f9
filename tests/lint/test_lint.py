#!/usr/bin/env python3
"""Which sources lint.py looks at."""

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


if __name__ == "__main__":
    unittest.main()
