"""Unit tests of tools/docs_site.py and tools/doxygen_comments.py, and of the table of contents itself."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import docs_site  # noqa: E402
import doxygen_comments  # noqa: E402

HOME = """# Home

Read [this](sub/README.md) first.

## Guides

- [One](one.md): the first
- [Sub](sub/README.md): a folder

## More

- [Changes](../CHANGELOG.md): what changed
"""


class Site(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("docs/README.md", HOME)
        self.write("docs/one.md", "# One\n\n![p](p.png) [two](sub/two.md#b) [code](../src/a.cpp) [all](sub) [src](../src) [x](https://arxiv.org)\n"
                                  "```sh\n[two](sub/two.md)\n```\n")
        self.write("docs/p.png", "picture")
        self.write("docs/sub/README.md", "# Sub\n\n| [two](two.md) |\n\nSee [one](../one.md#a) and [home](../README.md).\n")
        self.write("docs/sub/two.md", "# Two\n\n## B\n\n[changes](../../CHANGELOG.md)\n")
        self.write("CHANGELOG.md", "# Changes\n")
        self.write("src/a.cpp", "int a;\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def staged(self, name):
        docs_site.stage(self.root, self.root / "build/out")
        return (self.root / "build/out" / name).read_text(encoding="utf-8")

    def test_the_contents_are_headings_and_items(self):
        self.assertEqual(docs_site.contents(HOME), [docs_site.Part("Guides", ("docs/one.md", "docs/sub/README.md")),
                                                    docs_site.Part("More", ("CHANGELOG.md",))])

    def test_a_front_page_brings_its_folder(self):
        self.assertEqual(docs_site.tree(self.root)["docs/sub/README.md"], ["docs/sub/two.md"])
        self.assertEqual(docs_site.missing_pages(self.root), [])

    def test_a_page_that_nobody_finds(self):
        self.write("docs/lost.md", "# Lost\n")
        self.write("docs/sub/three.md", "# Three\n")  # no front page links to it
        self.assertEqual(docs_site.missing_pages(self.root), ["docs/lost.md", "docs/sub/three.md"])

    def test_mistakes_in_the_contents(self):
        self.write("docs/README.md", HOME + "- [One again](one.md)\n")
        with self.assertRaisesRegex(docs_site.SiteError, "docs/one.md is listed twice"):
            docs_site.tree(self.root)
        self.write("docs/README.md", HOME + "- [Gone](gone.md)\n")
        with self.assertRaisesRegex(docs_site.SiteError, "no docs/gone.md"):
            docs_site.tree(self.root)

    def test_links_to_pages_that_are_not_in_the_site(self):
        self.write("notes.md", "# Notes\n")
        self.write("docs/one.md", "[notes](../notes.md)\n")
        self.assertEqual(docs_site.stray_links(self.root), ["docs/one.md links to notes.md, which is not in the table of contents"])

    def test_the_page_of_the_browser_is_shown_where_it_was_made(self):
        self.write("docs/README.md", HOME + "- [Browser](browser.md)\n")
        self.write("docs/browser.md", "# Browser\n\nA page.\n\n## What it does\n\nMuch.\n")
        without = self.staged("browser.md")
        self.assertNotIn("<iframe", without)
        self.assertIn("made without the page", without)
        self.write("build/starope.html", "<!doctype html>")
        shown = self.staged("browser.md")
        self.assertRegex(shown, r'(?s)A page\..*<a href="starope.html">.*<iframe [^>]*src="starope.html"[^>]*title=.*\n## What it does\n\nMuch')
        self.assertNotIn("made without", shown)

    def test_links_hold_after_the_move(self):
        self.assertIn("![p](p.png) [two](sub/two.md#b) [code](files/src/a.cpp) [all](sub/index.md) src [x](https://arxiv.org)", self.staged("one.md"))
        self.assertIn("```sh\n[two](sub/two.md)\n```", self.staged("one.md"))
        self.assertIn("See [one](../one.md#a) and [home](../index.md).", self.staged("sub/index.md"))
        self.assertIn("[changes](../project/CHANGELOG.md)", self.staged("sub/two.md"))
        self.assertEqual(self.staged("files/src/a.cpp"), "int a;\n")
        self.assertEqual(self.staged("p.png"), "picture")

    def test_every_page_is_in_a_tree(self):
        self.assertIn("```{toctree}\n:hidden:\n:caption: Guides\n:titlesonly:\n\none\nsub/index\n```", self.staged("index.md"))
        self.assertIn("```{toctree}\n:hidden:\n\ntwo\n```", self.staged("sub/index.md"))

    def test_what_is_gone_is_removed(self):
        self.staged("one.md")
        (self.root / "docs/p.png").unlink()
        self.write("docs/one.md", "# One\n")
        self.staged("one.md")
        self.assertFalse((self.root / "build/out/p.png").exists())
        self.assertFalse((self.root / "build/out/files").exists())

    def test_headers_have_pages_of_their_own(self):
        text, pages = docs_site.header_pages("# C++\n\n- `<starope/io.hpp>`: files\n")
        self.assertIn("- [`<starope/io.hpp>`](cpp/io.md): files\n", text)
        self.assertIn("```{toctree}\n:hidden:\n\ncpp/io\n```", text)
        self.assertEqual(pages["cpp/io.md"], "# `<starope/io.hpp>`\n\nFiles.\n\n```{doxygenfile} io.hpp\n```\n")

    def test_names_of_python_get_their_directive(self):
        text = docs_site.python_names("- `starope.evaluate`\n- `starope.Dataset`\n- `starope.spark.inspect`\n- `starope.statistics`\nplain\n")
        for said in (".. autofunction:: starope.evaluate", ".. autoclass:: starope.Dataset\n   :members:", ".. autofunction:: starope.spark.inspect", ".. automodule:: starope.statistics", "plain"):
            self.assertIn(said, text)


class Comments(unittest.TestCase):
    def test_comments_before_and_behind(self):
        header = ("#pragma once\n\n// About this.\n// More.\n\n#include <x>  // kept\n\nnamespace a {\n\n// ---- Part ----\n\n// A <thing>.\nstruct B {\n"
                  "  int c = 0;  // first\n              // goes on\n  // About d.\n  int d = 0;\n  E e = {.f = 1};\n};\nenum class G : int;\n}  // namespace a\n")
        self.assertEqual(doxygen_comments.for_doxygen(header),
                         "#pragma once\n\n\n\n\n#include <x>  // kept\n\nnamespace a {\n\n\n\n/// A \\<thing\\>.\n"
                         "struct B {\n  int c = 0;  ///< first\n              ///< goes on\n  /// About d.\n  int d = 0;\n  E e;\n};\n\n}  // namespace a\n")


class Repository(unittest.TestCase):
    """What `make docs-site` would build, without sphinx."""

    root = Path(__file__).resolve().parents[2]

    def test_every_page_can_be_found(self):
        self.assertEqual(docs_site.missing_pages(self.root), [])

    def test_no_link_leaves_the_site(self):
        self.assertEqual(docs_site.stray_links(self.root), [])

    def test_the_reference_is_complete(self):
        self.assertEqual(docs_site.undocumented(self.root), [])


if __name__ == "__main__":
    unittest.main()
