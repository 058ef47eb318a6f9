"""Unit tests of tools/architecture.py."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import architecture  # noqa: E402

DECLARED = "base\t\tErrors and types\nfold\tbase data\tThe one driver\n"
PAGE = f"""# Architecture

<!-- folders -->
```text
src/starope/  the library
tests/        what crosses modules
  install/    not at the left edge
Makefile      not a folder
```

{architecture.BEGIN}
old
{architecture.END}
The end.
"""


class Architecture(unittest.TestCase):
    def setUp(self):
        self.table = architecture.module_table(architecture.read_modules(DECLARED))
        self.page = architecture.with_table(PAGE.replace("src/starope/", "src/        "), self.table)

    def test_the_table_has_a_row_per_module_in_order(self):
        self.assertEqual(self.table.splitlines()[2:], ["| `base` | Errors and types | nothing |",
                                                       "| `fold` | The one driver | base, data |"])

    def test_the_walk_leads_to_functions_that_are_there(self):
        page = "| hop | what | where |\n|---|---|---|\n| 1 | a | `parse`, `io/a.cpp`, called by `x` |\n| 2 | b | `Phi::label`, `p.cpp` |\n"
        self.assertEqual(architecture.walk(page), [("parse", "io/a.cpp"), ("Phi::label", "p.cpp")])
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder)
            (source / "io").mkdir()
            (source / "io/a.cpp").write_text("int parse(int);")
            (source / "p.cpp").write_text("void Phi::label() {}")
            architecture.check_walk(page, source)
            (source / "p.cpp").write_text("void Phi::relabel() {}")
            with self.assertRaisesRegex(architecture.PageError, "Phi::label in p.cpp"):
                architecture.check_walk(page, source)
        for hops in (0, 11):
            with self.assertRaises(architecture.PageError):
                architecture.walk("".join(f"| {i} | a | `b`, `c` |\n" for i in range(hops)))

    def test_writing_keeps_the_rest_of_the_page_and_is_stable(self):
        self.assertTrue(self.page.startswith("# Architecture\n"))
        self.assertTrue(self.page.endswith(architecture.END + "\nThe end.\n"))
        self.assertNotIn("\nold\n", self.page)
        self.assertEqual(architecture.with_table(self.page, self.table), self.page)

    def test_a_true_page_passes(self):
        architecture.check(self.page, self.table, {"src", "tests"})

    def test_a_new_arrow_makes_the_page_wrong(self):
        changed = architecture.module_table(architecture.read_modules(DECLARED.replace("base data", "base data rng")))
        with self.assertRaisesRegex(architecture.PageError, "run `make docs`"):
            architecture.check(self.page, changed, {"src", "tests"})

    def test_folders_must_be_told_and_exist(self):
        with self.assertRaisesRegex(architecture.PageError, "does not name python"):
            architecture.check(self.page, self.table, {"src", "tests", "python"})
        with self.assertRaisesRegex(architecture.PageError, "names tests, which is not there"):
            architecture.check(self.page, self.table, {"src"})

    def test_a_page_without_marks_is_refused(self):
        with self.assertRaisesRegex(architecture.PageError, "needs the lines"):
            architecture.with_table("# Architecture\n", self.table)


if __name__ == "__main__":
    unittest.main()
