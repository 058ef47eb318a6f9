"""What make_page.py puts together. Run by ctest (web.make_page)."""

import base64
import gzip
import hashlib
import json
import re
import tempfile
import unittest
from pathlib import Path

import make_examples
import make_page


class Page(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "engine.js").write_text('var starope_engine = "</script>";\n', encoding="utf-8")
        (self.folder / "engine.wasm").write_bytes(bytes(range(256)))
        (self.folder / "a.csv").write_text("episode\n", encoding="utf-8")
        (self.folder / "examples.json").write_text(json.dumps([{"name": "a.csv", "title": 'A "quoted"', "about": "<b>", "gamma": "0.9", "further": False}]), encoding="utf-8")
        for name in make_page.CHARTS:
            path = self.folder / "node_modules" / name
            path.parent.mkdir(parents=True)
            path.write_text(f"// {name}", encoding="utf-8")
        self.text = make_page.page(self.folder, self.folder, self.folder)

    def test_scripts_that_run_are_known_by_their_hashes(self) -> None:
        policy = re.search(r'Content-Security-Policy" content="([^"]+)"', self.text)[1]
        scripts = re.findall(r"<script>(.*?)</script>", self.text, flags=re.DOTALL)
        self.assertEqual(len(scripts), 1)
        digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
        self.assertIn(f"'sha256-{digest}'", policy)
        self.assertEqual(policy.count("'sha256-"), 5)  # this one and the four of a report, whose frame inherits the policy
        self.assertIn("default-src 'none'", policy)
        for loose in ("'unsafe-eval'", "connect-src", "http", "*", "script-src 'unsafe-inline'"):
            self.assertNotIn(loose, policy)

    def test_nothing_is_left_open_and_nothing_is_loaded(self) -> None:
        self.assertNotIn("{{", self.text)
        self.assertFalse(re.search(r"<(link|img|script|iframe)[^>]*\s(src|href)=", self.text))
        self.assertFalse(re.search(r"^\s*(import|export)\b", self.text, flags=re.MULTILINE))

    def test_the_parts_come_back_as_they_were(self) -> None:
        engine = re.search(r'id="engine-bytes">([^<]*)<', self.text)[1]
        self.assertEqual(gzip.decompress(base64.b64decode(engine)), bytes(range(256)))
        self.assertIn('var starope_engine = "<\\/script>";', self.text)
        example = re.search(r'class="example"[^>]*data-name="a.csv" data-title="A &quot;quoted&quot;" data-about="&lt;b&gt;" data-gamma="0.9">([^<]*)<', self.text)[1]
        self.assertEqual(gzip.decompress(base64.b64decode(example)), b"episode\n")

    def test_the_same_parts_give_the_same_bytes(self) -> None:
        self.assertEqual(make_page.page(self.folder, self.folder, self.folder), self.text)

    def test_modules_with_the_same_name_twice_are_refused(self) -> None:
        with self.assertRaisesRegex(SystemExit, "two modules have a 'f'"):
            make_page.joined(["export function f() {}\n", "const f = 1;\n"])


class Examples(unittest.TestCase):
    def test_domains_that_need_no_file(self) -> None:
        listed = "a-1: what it is\n  length  5\n\nb: two\n  lines: of it\n  needs         --dynamics FILE\n\nc: last\n"
        self.assertEqual(make_examples.domains(listed), ["a-1", "c"])


if __name__ == "__main__":
    unittest.main()
