#!/usr/bin/env bash
# An evaluation on a cluster with Slurm: every task counts one file of whole episodes, and the sums are added. Submit from the
# folder that shall hold the parts. Cells and models are fitted to the first file, so it is counted first.
#
#   first=$(sbatch --parsable --array=1 examples/evaluate_slurm.sh logs/*.parquet)
#   others=$(sbatch --parsable --array=2-8 --dependency=afterok:"$first" examples/evaluate_slurm.sh logs/*.parquet)
#   sbatch --dependency=afterok:"$others" --wrap 'starope merge part-*.star -o whole.star && starope evaluate whole.star --json > answer.json'
#
# Other estimators:  ESTIMATORS=auto sbatch ... ; a part that failed is counted again by itself: sbatch --array=3 ...
#SBATCH --job-name=starope-evaluate
#SBATCH --array=1-8
#SBATCH --cpus-per-task=4
#SBATCH --time=01:00:00
set -euo pipefail

logs=("$@")
task=${SLURM_ARRAY_TASK_ID:-1}
how=(--estimators "${ESTIMATORS:-naive,wpdis,star(clusters=32,clip=2)}")
[ "$task" -eq 1 ] || how=(--like part-1.star)
starope evaluate "${logs[task - 1]}" "${how[@]}" --emit "part-$task.star" --threads "${SLURM_CPUS_PER_TASK:-1}"
