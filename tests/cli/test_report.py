"""Reports: from a study's folder, from its results, from an evaluation, and what cannot be one."""

import json
import re

from support import CliTest, main, small_table


class ReportTest(CliTest):
    def page(self, name):
        text = (self.folder / name).read_text()
        return text[text.index("<main>"):text.index("</main>")]

    def specs(self, name):
        """The charts of a page, as any Vega-Lite tool would get them."""
        found = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', self.page(name), flags=re.DOTALL)
        return [json.loads(text) for text in found]


class Studies(ReportTest):
    def test_folder_and_file_give_the_same(self):
        self.answer("study", "smoke", "--trials", "2", "-o", "smoke")
        result = self.answer("report", "smoke", "-o", "a.html")
        self.assertEqual(result.out, "")
        self.assertIn("wrote a.html", result.err)
        self.answer("report", "smoke/results.jsonl", "-o", "b.html")
        self.assertEqual((self.folder / "a.html").read_bytes(), (self.folder / "b.html").read_bytes())
        specs = self.specs("a.html")
        self.assertGreaterEqual(len(specs), 9)
        for spec in specs:
            self.assertTrue(spec["$schema"].startswith("https://vega.github.io/schema/vega-lite/"))
            self.assertTrue(spec["data"]["values"])

    def test_an_unfinished_study_can_be_looked_at(self):
        self.answer("study", "smoke", "--trials", "2", "--shard", "1/2", "-o", "part")
        self.answer("report", "part", "-o", "part.html")
        self.assertIn("Study smoke", self.page("part.html"))

    def test_mistakes(self):
        self.refused(1, "report", "nowhere", "-o", "r.html", says=["nowhere"])
        self.refused(1, "report", self.write("x.json", "{}"), "-o", "r.html", says=["x.json", "starope.evaluate/1"])
        self.refused(1, "report", self.write("x.jsonl", "nonsense\n"), "-o", "r.html", says=["x.jsonl", "row 1"])
        self.refused(2, "report", "nowhere", says=["--output"])
        self.assertFalse((self.folder / "r.html").exists())


class Evaluations(ReportTest):
    def test_report_beside_the_answer(self):
        data = self.write_table("d.csv", small_table())
        plain = self.answer("evaluate", data, "--estimators", "naive,star(phi=identity,clip=1)")
        both = self.answer("evaluate", data, "--estimators", "naive,star(phi=identity,clip=1)", "--report", "d.html")
        self.assertEqual(plain.out, both.out)
        self.assertIn("wrote d.html", both.err)
        self.assertEqual(len(self.specs("d.html")), 4)  # estimates, weights, and two of the process

    def test_report_of_printed_json(self):
        data = self.write_table("d.csv", small_table())
        estimators = ["--estimators", "naive,star(phi=identity,clip=1)"]
        short = self.answer("evaluate", data, *estimators, "--json")
        self.assertNotIn("processes", short.json())
        self.write("short.json", short.out)
        self.answer("report", "short.json", "-o", "short.html")
        self.assertEqual(len(self.specs("short.html")), 1)
        full = self.answer("evaluate", data, *estimators, "--json", "--details")
        self.assertEqual(full.json()["ess_by_step"][0]["t"], 1)
        process = full.json()["processes"][0]
        # Rows of the process: what moves and what ends is everything.
        for cell in process["shown"]:
            moves = sum(p for origin, _, p in process["moves"] if origin == cell["cell"])
            self.assertAlmostEqual(moves + cell["exit"], 1.0)
        self.write("full.json", full.out)
        self.answer("report", "full.json", "-o", "full.html")
        self.answer("evaluate", data, *estimators, "--report", "direct.html")
        self.assertEqual((self.folder / "full.html").read_bytes(), (self.folder / "direct.html").read_bytes())

    def test_names_are_escaped(self):
        rows = [dict(row, **{"<script>alert(1)</script>": row.pop("state")}) for row in small_table()]
        self.write_table("evil.csv", rows)
        self.answer("evaluate", "evil.csv", "--state", "<script>alert(1)</script>", "--state-kind", "continuous",
                    "--estimators", "star(clusters=2,clip=1)", "--report", "evil.html")
        page = self.page("evil.html")
        self.assertNotIn("<script>alert", page)
        self.assertIn("&lt;script&gt;alert(1)&lt;/script&gt;", page)

    def test_a_folder_that_does_not_exist_is_found_out_first(self):
        self.refused(1, "evaluate", "missing.csv", "--report", "nowhere/r.html", says=["nowhere"])


if __name__ == "__main__":
    main()
