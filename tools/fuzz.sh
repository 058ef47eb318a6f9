#!/usr/bin/env bash
# Runs the fuzzers of build/fuzz one after the other, each for SECONDS seconds (default 300), or only those that are named:
#
#   tools/fuzz.sh [SECONDS [TARGET...]]
#
# What a fuzzer learns stays in build/fuzz/corpus. An input that breaks something is left in build/fuzz/broken; it belongs into
# tests/fuzz/corpus, under a name that says what it was, where every `make test` reads it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-300}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(csv npz arrow estimators toml results tables statistics)
mkdir -p build/fuzz/broken
export ASAN_OPTIONS=allocator_may_return_null=0:detect_leaks=1
for target in "${targets[@]}"; do
  mkdir -p "build/fuzz/corpus/$target"
  echo "== $target: $seconds s"
  # No input may take more than 10 seconds or 1 GB: declared sizes cost nothing before they are checked.
  build/fuzz/bin/starope_fuzz_"$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=1024 \
    -max_len=65536 -print_final_stats=1 -verbosity=0 -artifact_prefix="build/fuzz/broken/$target-" \
    "build/fuzz/corpus/$target" "tests/fuzz/corpus/$target"
done
