"""Unit tests of tools/page_to_notebook.py."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import page_to_notebook  # noqa: E402

PAGE = "# Title\n\nWords.\n\n```python\nx = 1\n\ny = x\n```\n\n```text\n1\n```\n\nMore.\n\n```sh\nls\n```\n"


class Notebook(unittest.TestCase):
    def test_code_and_text_take_turns(self):
        made = json.loads(page_to_notebook.notebook(PAGE))
        self.assertEqual([(cell["cell_type"], "".join(cell["source"])) for cell in made["cells"]],
                         [("markdown", "# Title\n\nWords."), ("code", "x = 1\n\ny = x"), ("markdown", "More.\n\n```sh\nls\n```")])
        self.assertEqual((made["nbformat"], made["nbformat_minor"]), (4, 5))
        self.assertEqual(made["cells"][1]["outputs"], [])

    def test_cells_have_ids_that_differ(self):
        ids = [cell["id"] for cell in page_to_notebook.cells("```python\na\n```\n```python\na\n```\n")]
        self.assertEqual(len(set(ids)), 2)

    def test_the_pages_of_the_gallery_have_code(self):
        pages = sorted((Path(__file__).resolve().parents[2] / "docs/gallery").glob("[a-z]*.md"))
        self.assertEqual(len(pages), 5)
        for page in pages:
            code = [cell for cell in page_to_notebook.cells(page.read_text(encoding="utf-8")) if cell["cell_type"] == "code"]
            self.assertGreaterEqual(len(code), 2, page)
            for cell in code:
                compile("".join(cell["source"]), str(page), "exec")


if __name__ == "__main__":
    unittest.main()
