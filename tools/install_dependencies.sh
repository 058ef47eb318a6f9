#!/usr/bin/env bash
# Installs the Debian 12 packages that starope's targets need. Silent, instant and offline when nothing is missing.
#
#   tools/install_dependencies.sh               what `make build` and `make test` need
#   tools/install_dependencies.sh lint bench    further groups by name
#   tools/install_dependencies.sh --list        every group with its packages; installs nothing
set -euo pipefail

groups=(build lint bench)

packages_of() {
  case "$1" in
    # libboost-math-dev: Boost.Math itself is headers only; the package brings libboost1.74-dev, which has BoostConfig.cmake.
    build) echo g++ make cmake ninja-build ccache git ca-certificates python3 \
                libeigen3-dev libfmt-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev librandom123-dev \
                libfast-float-dev libboost-math-dev libhwy-dev zlib1g-dev libgtest-dev libgmock-dev ;;
    # libclang-rt-14-dev: the sanitizer runtimes of clang.
    lint) echo clang-14 clang-tidy-14 clang-format-14 libclang-rt-14-dev ;;
    bench) echo libbenchmark-dev ;;
    *) return 1 ;;
  esac
}

fail() {
  echo "install_dependencies.sh: $*" >&2
  exit 1
}

if [ "${1:-}" = --list ]; then
  for group in "${groups[@]}"; do echo "$group: $(packages_of "$group")"; done
  exit 0
fi

[ $# -gt 0 ] || set -- build
wanted=()
for group in "$@"; do
  packages=$(packages_of "$group") || fail "unknown group '$group'. Known: ${groups[*]}"
  read -r -a names <<<"$packages"
  wanted+=("${names[@]}")
done

command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
  fail "this system has no dpkg and apt-get. Install the counterparts of these Debian packages by hand,
then call cmake as CONTRIBUTING.md says: ${wanted[*]}"

# One query for all; packages dpkg has never heard of only cost it a message and its exit code.
installed=$(dpkg-query --show --showformat='${Package}=${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null || true)
missing=()
for package in "${wanted[@]}"; do
  grep --quiet --line-regexp --fixed-strings "$package=installed" <<<"$installed" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

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
