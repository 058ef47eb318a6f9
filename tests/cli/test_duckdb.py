"""What DuckDB reads and writes, where its library is (tools/install_dependencies.sh duckdb)."""

import gzip
import json
import unittest

from support import CliTest, main, random_episodes, steps


class WithoutTheLibrary(CliTest):
    def test_one_line_says_how_to_get_it(self):
        (self.folder / "d.parquet").write_bytes(b"PAR1")
        result = self.refused(1, "evaluate", "d.parquet", STAROPE_DUCKDB="/there/is/none.so",
                              says=("d.parquet", "/there/is/none.so"))
        self.assertEqual(result.err.count("\n"), 1)
        self.refused(1, "inspect", "d.parquet", "--duckdb-library", "/nor/here.so", says=("/nor/here.so",))

    def test_what_is_not_there_is_said_first(self):
        self.refused(1, "evaluate", "none.parquet", says=("there is no such file",))


class WithTheLibrary(CliTest):
    def setUp(self):
        super().setUp()
        self.write_table("d.csv", steps(random_episodes(300)))
        if self.run_cli("convert", "d.csv", "d.parquet").code != 0:
            raise unittest.SkipTest("DuckDB's library is not here")
        self.expected = self.answer("evaluate", "d.csv", "--json").json()["estimates"]

    def check(self, *arguments):
        result = self.answer("evaluate", *arguments, "--json")
        self.assertEqual(result.json()["estimates"], self.expected)
        return result

    def test_files_and_queries_give_the_same_numbers(self):
        self.check("d.parquet")
        self.check("*.parquet")
        self.check(".")
        self.check("--sql", "select * from 'd.parquet'")
        self.check("--sql", "select episode as e, * exclude (episode) from 'd.csv'", "--episode", "e")
        with gzip.open(self.folder / "d.csv.gz", "wt") as file:
            file.write((self.folder / "d.csv").read_text())
        self.check("d.csv.gz")
        for name in "d.jsonl", "d.csv.zst", "again.npz", "again.csv":
            self.answer("convert", "d.parquet", name)
            self.check(name)

    def test_a_query_does_not_lose_its_files(self):
        before = (self.folder / "d.csv").read_bytes()
        for arguments in (("convert", "--sql", "from 'd.csv'", "d.csv"),
                          ("evaluate", "--sql", "from 'd.csv'", "--report", "d.csv"),
                          ("compare", "--sql", "from 'd.csv'", "--target-prob", "target_prob", "--report", "d.csv")):
            self.refused(2, *arguments, says=("never written over",))
        self.assertEqual((self.folder / "d.csv").read_bytes(), before)
        self.refused(2, "evaluate", "d.csv", "--table", "steps", says=("d.csv", "--table"))
        self.refused(2, "evaluate", "d.csv", "--sql", "from 'd.parquet'", says=("d.csv", "--sql"))

    def test_rows_of_texts_are_lines(self):
        lines = (self.folder / "d.csv").read_text().splitlines()
        names = lines[0].split(",")
        cells = lines[6].split(",")
        cells[names.index("reward")] = "lots"
        (self.folder / "bad.csv").write_text("\n".join([*lines[:6], ",".join(cells), *lines[7:]]) + "\n")
        with gzip.open(self.folder / "bad.csv.gz", "wt") as file:
            file.write((self.folder / "bad.csv").read_text())
        for name in "bad.csv", "bad.csv.gz":
            self.refused(1, "evaluate", name, says=(f"{name}, row 7, column 'reward'", "'lots'"))
        rows = [dict(zip(names, map(float, line.split(",")))) for line in lines[1:]]
        rows[5]["behavior_prob"] = 1.7
        for row in rows:
            row.update(episode=int(row["episode"]), action=int(row["action"]))
        (self.folder / "bad.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        self.refused(1, "evaluate", "bad.jsonl", says=("bad.jsonl, row 6, column 'behavior_prob'", "'1.7'"))

    def test_actions_that_a_program_wrote_as_real_numbers(self):
        lines = (self.folder / "d.csv").read_text().splitlines()
        names = lines[0].split(",")
        rows = [dict(zip(names, map(float, line.split(",")))) for line in lines[1:]]
        for row in rows:
            row["episode"] = int(row["episode"])
        (self.folder / "real.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        result = self.answer("evaluate", "real.jsonl", "--estimators", "wpdis")
        self.assertIn("--action-kind discrete", result.out)
        self.check("real.jsonl", "--action-kind", "discrete")

    def test_studies_of_own_logs(self):
        def study(name, *lines):
            (self.folder / f"{name}.toml").write_text("\n".join(
                ["trials = 2", "sizes = [50]", 'estimators = "naive,wpdis"', "[[data]]", 'name = "mine"', *lines]))
            self.answer("study", f"{name}.toml", "-o", name)
            return sorted((row["estimator"], row["trial"], row["value"])
                          for row in map(json.loads, (self.folder / name / "results.jsonl").read_text().splitlines())
                          if row["kind"] == "result")

        expected = study("csv", 'file = "d.csv"')
        self.assertEqual(len(expected), 4)
        self.assertEqual(study("parquet", 'file = "*.parquet"'), expected)
        query = "sql = \"select episode as e, * exclude (episode) from 'd.parquet' where episode >= 0\""
        self.assertEqual(study("query", query, 'episode = "e"'), expected)
        # Other logs under the same pattern are another study.
        self.write_table("e.csv", steps(random_episodes(310)))
        self.answer("convert", "e.csv", "d.parquet")
        self.refused(2, "study", "parquet.toml", "-o", "parquet", "--resume", says=("checksum",))

    def test_rows_in_any_order(self):
        # The sums of the same episodes in the order of their ids.
        self.check("--sql", "select * from 'd.csv' order by hash(episode * 31 + t)")

    def test_blocks(self):
        blocks = self.answer("evaluate", "d.parquet", "--estimators", "wpdis", "--memory", "1kB", "--json").json()
        expected = next(each for each in self.expected if each["estimator"] == "wpdis")
        self.assertEqual(blocks["estimates"][0]["value"], expected["value"])
        self.refused(1, "evaluate", "d.parquet", "--estimators", "mb", "--memory", "1kB", says=("mb cannot answer",))

    def test_groups_by_any_column_in_blocks_as_well(self):
        rows = steps(random_episodes(300))
        for row in rows:
            # A text, which is empty in some; only the first row of an episode counts.
            row["ward"] = ("icu", "er", "")[row["episode"] % 3] if row["t"] == 0 else "elsewhere"
        self.write_table("w.csv", rows)
        self.answer("convert", "--sql", "select * from 'd.csv'", "q.parquet")
        self.check("q.parquet")
        expected = self.answer("evaluate", "w.csv", "--estimators", "wpdis", "--by", "ward", "--json").json()["groups"]
        self.assertEqual([each["group"] for each in expected], ["ward = (empty)", "ward = er", "ward = icu"])
        for sql in "select * from 'w.csv'", "select * from 'w.csv' order by hash(episode * 31 + t)":
            for memory in (), ("--memory", "1kB"):
                found = self.answer("evaluate", "--sql", sql, "--estimators", "wpdis", "--by", "ward", "--json", *memory).json()
                self.assertEqual(found["groups"], expected)

    def test_packed_texts_are_not_guessed_at(self):
        def packed(name, text):
            with gzip.open(self.folder / name, "wb") as file:
                file.write(text.encode())

        rows = "".join(f"{i},{i}.5\n" for i in range(40))
        packed("note.csv.gz", "a note\nepisode,reward\n" + rows)  # DuckDB by itself passes over the first line
        self.refused(1, "inspect", "note.csv.gz", says=("note.csv.gz", "fields than the header", "Unpack"))
        packed("short.csv.gz", "episode,reward\n" + rows + "40\n" + rows.replace("\n", "0\n"))
        self.refused(1, "inspect", "short.csv.gz", says=("short.csv.gz", "fields than the header"))
        packed("quotes.csv.gz", "episode,reward\n'a',1\n'b',2\n")
        packed("tabs.tsv.gz", "episode\treward\tnote\na\t1\tx,y\nb\t2\tz,w\n")
        self.answer("convert", "quotes.csv.gz", "quotes.csv")
        self.assertIn("'a'", (self.folder / "quotes.csv").read_text())
        self.answer("convert", "tabs.tsv.gz", "tabs.csv")
        self.assertIn("a,", (self.folder / "tabs.csv").read_text())
        whole = gzip.compress(("episode,reward\n" + "".join(f"{i},{i * 7919 % 10007}.25\n" for i in range(200000))).encode())
        (self.folder / "cut.csv.gz").write_bytes(whole[:len(whole) // 2])
        said = self.refused(1, "inspect", "cut.csv.gz", says=("cut.csv.gz",)).err
        self.assertNotIn("pending query", said)
        (self.folder / "none.jsonl").write_text("")
        self.refused(1, "inspect", "none.jsonl", says=("none.jsonl: has no rows",))

    def test_errors(self):
        self.refused(1, "evaluate", "--sql", "select nothing", says=("the query", "nothing"))
        self.refused(1, "evaluate", "d.parquet", "--reward", "gain", says=("d.parquet", "column 'gain'"))
        self.refused(1, "convert", "d.csv", "d.xlsx", says=("d.xlsx", ".parquet"))

    def test_inspect(self):
        self.answer("convert", "d.parquet", "again.csv")
        csv, parquet = (self.answer("inspect", name, "--json").out for name in ("again.csv", "d.parquet"))
        self.assertEqual(parquet.replace("d.parquet", "again.csv"), csv)


if __name__ == "__main__":
    main()
