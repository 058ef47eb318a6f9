"""The program as it lies on the disk: position-independent, addresses fixed before it starts, a stack that notices."""

import shutil
import subprocess
import unittest

from support import PROGRAM, main


@unittest.skipUnless(shutil.which("readelf"), "binutils are not installed")
class Hardening(unittest.TestCase):
    def says(self, *flags):
        return subprocess.run(["readelf", "--wide", *flags, PROGRAM], capture_output=True, text=True, check=True).stdout

    def test_position_independent(self):
        self.assertRegex(self.says("--file-header"), r"Type:\s+DYN")

    def test_full_relro(self):
        self.assertIn("GNU_RELRO", self.says("--program-headers"))
        self.assertRegex(self.says("--dynamic"), r"BIND_NOW|FLAGS.*NOW")

    def test_no_executable_stack(self):
        self.assertRegex(self.says("--program-headers"), r"GNU_STACK.* RW ")

    def test_stack_protector_and_checked_functions(self):
        symbols = self.says("--dyn-syms")
        self.assertIn("__stack_chk_fail", symbols)
        self.assertRegex(symbols, r"__\w+_chk@")


if __name__ == "__main__":
    main()
