#!/usr/bin/env bash
# The paper's CartPole study on a cluster with Slurm: eight parts, then one report.
#
#   parts=$(sbatch --parsable examples/study_slurm.sh)
#   sbatch --dependency=afterok:"$parts" --wrap 'starope merge part-* -o whole && starope report whole -o report.html'
#
# A part that was killed (time limit, preemption) goes on where it was when the job is queued again.
#SBATCH --job-name=starope-study
#SBATCH --array=1-8
#SBATCH --cpus-per-task=4
#SBATCH --time=01:00:00
#SBATCH --requeue
#SBATCH --signal=TERM@60
set -euo pipefail

study=${STUDY:-paper-cartpole}
task=${SLURM_ARRAY_TASK_ID:-1}
tasks=${SLURM_ARRAY_TASK_COUNT:-8}

# exec: Slurm's signal reaches the program, which finishes the cells in flight.
exec starope study "$study" --shard "$task/$tasks" -o "part-$task" --resume --threads "${SLURM_CPUS_PER_TASK:-1}" "$@"
