"""Unit tests of check_repository.py: every rule must fire on what it forbids, and be silent on what it does not."""

import tempfile
import unittest
from pathlib import Path

import check_repository as hygiene


class Rules(unittest.TestCase):
    def expect(self, findings: list[str], *parts: str):
        self.assertEqual(len(findings), len(parts), findings)
        for finding, part in zip(findings, parts):
            self.assertIn(part, finding)

    def test_long_source_files(self):
        self.expect(hygiene.check_size("src/a.cpp", "x\n" * 451), "451 lines")
        self.expect(hygiene.check_size("src/a.cpp", "x\n" * 450))
        self.expect(hygiene.check_size("docs/a.md", "x\n" * 451))

    def test_units_without_a_test(self):
        self.expect(hygiene.check_units(["src/starope/base/a.cpp", "src/starope/base/b.cpp",
                                         "src/starope/base/b_test.cpp", "apps/starope/main.cpp"]), "base/a.cpp: no a_test.cpp")

    def test_test_files_that_expect_nothing(self):
        self.expect(hygiene.check_assertions("a_test.cpp", "TEST(A, B) {}\n"), "expects nothing")
        self.expect(hygiene.check_assertions("a_test.cpp", "TEST(A, B) { EXPECT_EQ(1, 1); }\n"))

    def test_folders_that_tests_share(self):
        self.expect(hygiene.check_folders("a_test.cpp", 'path = ::testing::TempDir() + "a.csv";\n'), "'TempDir'")
        self.expect(hygiene.check_folders("a_test.cpp", "fs::temp_directory_path() / name;\n"), "'temp_directory_path'")
        self.expect(hygiene.check_folders("a.cpp", "fs::temp_directory_path() / name;\n"))
        self.expect(hygiene.check_folders("a_test.cpp", "const TemporaryFolder folder;\n"))

    def test_one_version(self):
        cmake, citation = "project(a\n  VERSION 1.2.3)\n", "cff-version: 1.2.0\nversion: 1.2.3\n"
        self.expect(hygiene.check_versions({"CMakeLists.txt": cmake, "CITATION.cff": citation}))
        self.expect(hygiene.check_versions({"CMakeLists.txt": cmake, "CITATION.cff": citation.replace("1.2.3", "1.2.4")}),
                    "CITATION.cff has 1.2.4")
        self.expect(hygiene.check_versions({"CMakeLists.txt": cmake}))

    def test_workflows_that_run_what_is_not_there(self):
        texts = {"Makefile": "test: build ## all\n\ttrue\nasan:\n", ".ci/run": "make test\n"}
        workflow = 'target: [asan, "tsan SECONDS=2"]\n - run: make test\n - run: make tests\n - run: .ci/run\n - run: .ci/all\n'
        self.expect(hygiene.check_workflows(texts | {".github/workflows/a.yml": workflow}), "no target 'tsan'", "no target 'tests'", "no script '.ci/all'")
        self.expect(hygiene.check_workflows(texts | {"docs/a.yml": workflow}))

    def test_unfinished_words(self):
        self.expect(hygiene.check_lines("a.py", "x = 1  # TO" + "DO: more\n"), "a.py:1: 'TO" + "DO'")
        self.expect(hygiene.check_lines("a.py", "toDouble = METODOS\n"))

    def test_one_spelling(self):
        for word in ("behavi" + "our", "Col" + "ours", "cent" + "red", "label" + "ling", "normali" + "sed"):
            self.expect(hygiene.check_lines("a.cpp", f"// {word}\n"), "American spelling")
        for word in ("behavior", "LabelLeads", "programmed", "noise", "discentered", "concentrate", "promise"):
            self.expect(hygiene.check_lines("a.cpp", f"// {word}\n"))
        self.expect(hygiene.check_lines("tests/data/a.csv", "behavi" + "our\n"))

    def test_paths_of_one_machine(self):
        for path in ("/ho" + "me/joe/x", '"/ro' + 'ot/.cache"', "-I /wo" + "rk/main/src"):
            self.expect(hygiene.check_lines("a.sh", path + "\n"), "path of one machine")
        for path in ("${HOME}/srv/x", "/usr/share/x", "/etc/apt", "docs/home/x", "frame/srv/x", "../srv/x"):
            self.expect(hygiene.check_lines("a.sh", path + "\n"))

    def test_hosts_nobody_else_can_reach(self):
        self.expect(hygiene.check_lines("a.txt", "https" + "://registry.corp.example/simple\n"), "registry.corp.example")
        self.expect(hygiene.check_lines("a.txt", "http" + "://10.0.0.1:8080/x and http" + "://user@mirror.lan/y\n"),
                    "10.0.0.1", "mirror.lan")
        self.expect(hygiene.check_lines("a.txt", "https://arxiv.org/abs/2410.02172\n"))

    def test_libraries_in_public_headers(self):
        line = "#include <Eigen/Dense>\n"
        self.expect(hygiene.check_lines("include/starope/phi.hpp", line), "public header includes Eigen")
        self.expect(hygiene.check_lines("include/starope/phi.hpp", "#include <fmt/format.h>\n"), "public header includes fmt")
        self.expect(hygiene.check_lines("src/starope/arp/solve.hpp", line))
        self.expect(hygiene.check_lines("src/starope/arp/solve.cpp", line))

    def test_ends_of_lines_and_files(self):
        self.expect(hygiene.check_lines("a.md", "x \ny"), "a.md:1: blanks", "no newline")
        self.expect(hygiene.check_lines("data.csv", "x \ny"))

    def test_links(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "docs").mkdir()
            (root / "docs" / "cli.md").write_text("# The program\n\n## Exit codes\n", encoding="utf-8")
            good = "[a](docs/cli.md) [b](docs/cli.md#exit-codes) [c](https://arxiv.org) [d](#top)\n# Top\n```\n[x](nowhere)\n```\n"
            (root / "README.md").write_text(good, encoding="utf-8")
            self.expect(hygiene.check_links("README.md", good, root))
            self.expect(hygiene.check_links("README.md", "[a](docs/gone.md) [b](docs/cli.md#gone) ![c](docs/gone.svg)\n", root),
                        "'docs/gone.md' leads nowhere", "no heading for '#gone'", "'docs/gone.svg' leads nowhere")

    def test_a_whole_tree_without_git(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name in ("src/starope/base/a.cpp", "build/made.cpp", "README.md"):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text("fine\n", encoding="utf-8")
            (root / "big.bin").write_bytes(b"\0" * 1_000_001)
            self.expect(hygiene.check(root), "no a_test.cpp", "big.bin: 1000001 bytes")


if __name__ == "__main__":
    unittest.main()
