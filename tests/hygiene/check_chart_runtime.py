#!/usr/bin/env python3
"""check_chart_runtime.py CMAKE SOURCE NPM COMPILER: what goes into every report from npm is what was looked at, or there is no build."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

CMAKE, SOURCE, NPM, COMPILER = "", pathlib.Path(), pathlib.Path(), ""


class Checksums(unittest.TestCase):
    def test_every_package_is_locked_with_one(self):
        packages = json.loads((SOURCE / "tools/npm/package-lock.json").read_text())["packages"]
        named = {name: package for name, package in packages.items() if name}  # the one without a name is the list itself
        self.assertGreater(len(named), 3)
        for name, package in named.items():
            self.assertRegex(package.get("integrity", ""), "^sha512-.{86}==$", name)

    def configured(self, npm):
        with tempfile.TemporaryDirectory() as build:
            return subprocess.run([CMAKE, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={COMPILER}", "-DSTAROPE_BUILD_TESTS=OFF",
                                   f"-DSTAROPE_NPM_DIR={npm}", "-S", SOURCE, "-B", build], capture_output=True, text=True)

    def test_other_bytes_are_refused(self):
        files = [line.split()[1] for line in (SOURCE / "src/starope/report/runtime.sha256").read_text().splitlines()]
        self.assertEqual(len(files), 3)
        modules = NPM / "node_modules"
        if not all((modules / file).exists() for file in files):
            self.skipTest(f"no Vega in {NPM}: tools/install_dependencies.sh web")
        with tempfile.TemporaryDirectory() as copy:
            for file in (*files, "vega/LICENSE"):
                target = pathlib.Path(copy) / "node_modules" / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(modules / file, target)
            right = self.configured(copy)
            self.assertEqual(right.returncode, 0, right.stderr)
            changed = pathlib.Path(copy) / "node_modules" / files[1]
            changed.write_bytes(changed.read_bytes() + b"\n")
            wrong = self.configured(copy)
            self.assertNotEqual(wrong.returncode, 0)
            said = " ".join(wrong.stderr.split())
            self.assertIn("has the SHA-256", said)
            self.assertIn("runtime.sha256", said)


if __name__ == "__main__":
    CMAKE, COMPILER = sys.argv[1], sys.argv[4]
    SOURCE, NPM = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    unittest.main(argv=sys.argv[:1])
