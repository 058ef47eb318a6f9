"""What tools/install_dependencies.sh asks a clean machine's package manager for; nothing is installed."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "install_dependencies.sh"
TOOLS = ("bash", "sh", "sed", "uname", "grep", "tr", "dirname", "cat", "env")


class Packages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in TOOLS:
            (self.folder / name).symlink_to(shutil.which(name))
        self.tool("id", "echo 0")
        self.tool("dpkg-query", "exit 1")  # knows of no package
        self.tool("apt-get", 'echo "$*"')
        self.tool("python3", "exit 1")  # has neither headers nor environments

    def tool(self, name, script):
        (self.folder / name).write_text(f"#!{shutil.which('sh')}\n{script}\n")
        (self.folder / name).chmod(0o755)

    def asked_for(self, group):
        done = subprocess.run([shutil.which("bash"), SCRIPT, group], env={"PATH": str(self.folder), "STAROPE_WITHOUT_PYTHON": "1"},
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line for line in done.stdout.splitlines() if " install " in line][0].split("--no-install-recommends ")[1].split()

    def test_java_and_python_come_together(self):
        self.assertEqual(self.asked_for("python"), ["openjdk-17-jre-headless", "python3-dev", "python3-venv"])

    def test_a_java_that_is_there_is_kept_if_spark_likes_it(self):
        for version, missing in (("11.0.2", True), ("17.0.9", False), ("21", False), ("1.8.0_382", True)):
            self.tool("java", f"echo 'openjdk version \"{version}\" 2023-10-17' >&2")
            self.assertEqual("openjdk-17-jre-headless" in self.asked_for("python"), missing, version)


if __name__ == "__main__":
    unittest.main()
