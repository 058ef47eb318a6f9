"""Unit tests of run_doc_commands.py: python3 -m unittest, in this folder."""

import contextlib
import io
import os
import tempfile
import unittest
from pathlib import Path

import run_doc_commands as docs


def block(language: str, text: str) -> docs.Block:
    return docs.Block("page.md", 1, language, text)


class FindBlocks(unittest.TestCase):
    def test_finds_runnable_languages_with_their_lines(self):
        page = "# Title\n\n```sh\necho a\necho b\n```\n\n```json\n{}\n```\n\n```console\n$ echo c\nc\n```\n"
        found = docs.find_blocks(page, "page.md")
        self.assertEqual([(b.line, b.language, b.text) for b in found],
                         [(3, "sh", "echo a\necho b\n"), (12, "console", "$ echo c\nc\n")])

    def test_a_reason_belongs_to_the_next_line_only(self):
        page = "<!-- not run: needs the network -->\n```sh\nfetch\n```\n```sh\necho\n```\n"
        self.assertEqual([b.not_run for b in docs.find_blocks(page, "page.md")], ["needs the network", None])

    def test_a_reason_that_excuses_nothing_is_an_error(self):
        for page in ("<!-- not run: why -->\n\ntext\n", "<!-- not run: why -->\n```json\n{}\n```\n",
                     "<!-- not run: why -->\n\n```sh\necho\n```\n", "<!-- not run: why -->"):
            with self.assertRaisesRegex(docs.DocError, "page.md:1: 'not run' stands before no block"):
                docs.find_blocks(page, "page.md")

    def test_a_reason_is_required(self):
        python = "<!-- not run: needs a cluster -->\n```python\nx\n```\n```sh\necho\n```\n"  # another test runs those
        self.assertEqual([(block.language, block.not_run) for block in docs.find_blocks(python, "page.md")], [("sh", None)])
        with self.assertRaisesRegex(docs.DocError, "page.md:2: 'not run' needs a reason"):
            docs.find_blocks("\n<!-- not run: -->\n```sh\necho\n```\n", "page.md")

    def test_an_open_block_is_an_error(self):
        with self.assertRaisesRegex(docs.DocError, "page.md:1: this block is never closed"):
            docs.find_blocks("```sh\necho\n", "page.md")

    def test_blocks_in_lists_lose_their_indentation(self):
        page = "1. step\n\n   ```sh\n   if true; then\n     echo\n   fi\n   ```\n"
        self.assertEqual(docs.find_blocks(page, "page.md")[0].text, "if true; then\n  echo\nfi\n")

    def test_a_longer_fence_holds_shorter_ones(self):
        page = "````text\n```sh\nrm -rf everything\n```\n````\n"
        self.assertEqual(docs.find_blocks(page, "page.md"), [])


class ParseConsole(unittest.TestCase):
    def test_splits_commands_and_outputs(self):
        parsed = docs.parse_console(block("console", "$ a \\\n    b\nout 1\n\nout 2\n$ c\n"))
        self.assertEqual(parsed, [docs.Exchange("a \\\n    b", ["out 1", "", "out 2"]), docs.Exchange("c", [])])

    def test_output_before_any_command_is_an_error(self):
        with self.assertRaisesRegex(docs.DocError, "page.md:2: a console block starts with"):
            docs.parse_console(block("console", "out\n$ a\n"))


class OutputMatches(unittest.TestCase):
    def test_exact_lines(self):
        self.assertTrue(docs.output_matches(["a", "b"], ["a ", "b"]))
        self.assertFalse(docs.output_matches(["a", "b"], ["a"]))
        self.assertFalse(docs.output_matches(["a"], ["a", "b"]))
        self.assertFalse(docs.output_matches(["39.3"], ["3993"]))  # no character is a wildcard
        self.assertTrue(docs.output_matches([], []))

    def test_dots_stand_for_lines_or_text(self):
        self.assertTrue(docs.output_matches(["a", "...", "z"], ["a", "b", "c", "z"]))
        self.assertTrue(docs.output_matches(["a", "...", "z"], ["a", "z"]))
        self.assertFalse(docs.output_matches(["a", "...", "z"], ["a", "b"]))
        self.assertTrue(docs.output_matches(["took ... s"], ["took 0.3 s"]))
        self.assertFalse(docs.output_matches(["took ... s"], ["took 0.3", "s"]))


class RunFile(unittest.TestCase):
    def run_page(self, page: str, *options: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page.md"
            path.write_text(page, encoding="utf-8")
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = docs.main([*options, str(path)])
        return code, out.getvalue(), err.getvalue()

    def test_blocks_of_a_page_share_a_folder_and_nothing_is_left(self):
        code, out, err = self.run_page("```sh\necho hello > made_here\n```\n\n```console\n$ cat made_here\nhello\n```\n")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("2 blocks run, 0 not run", out)
        self.assertFalse(os.path.exists("made_here"))

    def test_a_failing_command_fails_the_page_and_is_named(self):
        code, _, err = self.run_page("text\n```sh\necho before; false\necho not reached\n```\n")
        self.assertEqual(code, 1)
        self.assertIn("page.md:2: exit code 1", err)
        self.assertIn("--- it printed\nbefore\n", err)
        self.assertEqual(self.run_page("```sh\nfalse | cat\n```\n")[0], 1)
        self.assertEqual(self.run_page("```console\n$ false\n```\n")[0], 1)

    def test_another_output_than_shown_fails_the_page(self):
        code, _, err = self.run_page("```console\n$ echo 2\n1\n```\n")
        self.assertEqual(code, 1)
        self.assertIn("--- the documentation shows\n1\n--- it printed\n2", err)

    def test_skipped_blocks_are_counted_but_not_run(self):
        code, out, _ = self.run_page("<!-- not run: it would fail -->\n```sh\nfalse\n```\n")
        self.assertEqual(code, 0)
        self.assertIn("page.md:2: sh: not run: it would fail", out)
        self.assertIn("0 blocks run, 1 not run", out)

    def test_a_page_that_runs_too_little_fails(self):
        code, _, err = self.run_page("<!-- not run: why -->\n```sh\nfalse\n```\n", "--at-least", "1")
        self.assertEqual(code, 1)
        self.assertIn("expected at least 1 blocks", err)

    def test_list_runs_nothing(self):
        self.assertEqual(self.run_page("```sh\nfalse\n```\n", "--list")[0], 0)

    def test_the_folder_given_comes_first_on_the_path(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "starope"
            program.write_text("#!/bin/sh\necho found\n", encoding="utf-8")
            program.chmod(0o755)
            code, _, err = self.run_page("```console\n$ starope\nfound\n```\n", "--path", folder)
            self.assertEqual((code, err), (0, ""))

    def test_the_cpp_program_runs_in_its_place(self):
        page = "```sh\necho data > logs.csv\n```\n```cpp\nint main() {}\n```\n```cpp\nint fragment;\n```\n"
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program"
            program.write_text("#!/bin/sh\ncat logs.csv && touch program_was_here\n", encoding="utf-8")
            program.chmod(0o755)
            page += "```sh\nls program_was_here\n```\n"
            code, out, err = self.run_page(page, "--cpp-program", str(program))
        self.assertEqual((code, err), (0, ""))
        self.assertIn("3 blocks run, 1 not run", out)
        self.assertIn("page.md:4: cpp: not run: its program was not compiled", self.run_page(page, "--list")[1])


class ExtractProgram(unittest.TestCase):
    def test_points_compiler_messages_into_the_page(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page.md"
            path.write_text("text\n```cpp\nint main() {}\n```\n", encoding="utf-8")
            self.assertEqual(docs.extract_program(path), '#line 3 "page.md"\nint main() {}\n')
            path.write_text("no program\n", encoding="utf-8")
            with self.assertRaisesRegex(docs.DocError, "shows 0 C\\+\\+ programs"):
                docs.extract_program(path)


if __name__ == "__main__":
    unittest.main()
