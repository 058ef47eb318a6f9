#!/usr/bin/env bash
# Runs a script with the Python that has the libraries of others; skips it where there is none.
set -euo pipefail
python=$1
shift
"$python" -c 'import numpy, pandas, polars, pyarrow, duckdb' 2>/dev/null || {
  echo "skipped: $python lacks numpy, pandas, polars, pyarrow or duckdb (tools/install_dependencies.sh python)"
  exit 77
}
exec env PYTHONDONTWRITEBYTECODE=1 "$python" "$@"
