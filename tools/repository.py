"""Which files are the project's own: what git tracks, or, in a tree without git, everything a build has not made."""

import os
import subprocess
from pathlib import Path

MADE_BY_BUILDS = {".git", "build", "demo", "dist", "__pycache__"}


def files(root: Path) -> list[str]:
    """Paths relative to `root`, sorted."""
    # The checkout may belong to another user than the one who runs the tests, as in containers: safe.directory.
    listed = subprocess.run(["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z"], capture_output=True,
                            text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        return sorted(name for name in listed.stdout.split("\0") if name and (root / name).is_file())
    found = []
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = [name for name in subfolders if name not in MADE_BY_BUILDS]
        found += [str((Path(folder) / name).relative_to(root)) for name in names]
    return sorted(found)


def folders(root: Path) -> set[str]:
    """The folders directly under `root`, hidden ones left out."""
    return {name.split("/")[0] for name in files(root) if "/" in name and not name.startswith(".")}
