"""The sources carry what they need of others: with the packages of the system hidden, everything is found and what others wrote compiles.

`make sdist` builds all of it that way; that takes as long as a first build, so here it is only configured."""

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from conftest import SOURCE


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    made = subprocess.run([sys.executable, SOURCE / "tools/make_sdist.py", folder], capture_output=True, text=True)
    if made.returncode != 0 and ("apt-get" in made.stderr or "tools/install_dependencies.sh web" in made.stderr):
        pytest.skip(f"what others wrote could not be fetched: {made.stderr[-500:]}")
    assert made.returncode == 0, made.stderr
    return next(folder.glob("starope-*.tar.gz"))


def test_what_is_in_it(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for name in ("PKG-INFO", "LICENSE", "CMakeLists.txt", "src/starope/base/text.cpp", "python/bind/module.cpp", "third_party/include/fmt/format.h",
                 "third_party/include/eigen3/Eigen/Core", "third_party/include/hwy/highway.h", "third_party/highway/hwy/targets.cc",
                 "third_party/zlib/inflate.c", "third_party/libzip/lib/zip.h", "third_party/npm/node_modules/vega/build/vega.min.js"):
        assert name in names, name
    assert not any(name.startswith(("build/", "tests/", "studies/", ".git/")) for name in names)
    assert sum(name.startswith("third_party/licenses/") for name in names) == 8, "everybody's license"
    assert sdist.stat().st_size < 8e6


def test_it_configures_where_the_packages_are_hidden(sdist: Path) -> None:
    if subprocess.run(["unshare", "--mount", "--map-root-user", "true"], capture_output=True).returncode != 0:
        pytest.skip("folders can be hidden only where mount namespaces are allowed")
    tried = subprocess.run([sys.executable, SOURCE / "tools/try_sdist.py", sdist.parent, "--configure"], capture_output=True, text=True)
    assert tried.returncode == 0 and "configures" in tried.stdout, tried.stdout + tried.stderr
