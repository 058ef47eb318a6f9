#!/usr/bin/env bash
# A study on a cluster with Slurm: eight parts, then one report. Submit from the folder that shall hold the parts.
#
#   parts=$(sbatch --parsable examples/study_slurm.sh)
#   sbatch --dependency=afterok:"$parts" --wrap 'starope merge part-* -o whole && starope report whole -o report.html'
#
# Another study, with its options:  STUDY=paper sbatch examples/study_slurm.sh --dynamics FILE.npz
# A part that is preempted or reaches its time limit is queued again and goes on where it was. To run one part alone:
# sbatch --array=3 examples/study_slurm.sh
#SBATCH --job-name=starope-study
#SBATCH --array=1-8
#SBATCH --cpus-per-task=4
#SBATCH --time=01:00:00
#SBATCH --requeue
#SBATCH --signal=B:TERM@120
set -euo pipefail

study=${STUDY:-paper-cartpole}
parts=${PARTS:-8}  # as many as the array has when it is whole
task=${SLURM_ARRAY_TASK_ID:-1}

starope study "$study" --shard "$task/$parts" -o "part-$task" --resume --threads "${SLURM_CPUS_PER_TASK:-1}" "$@" &
program=$!
# Two minutes before the limit Slurm tells this shell, and the shell tells the program, which finishes the cells in
# flight and ends with 130.
trap 'kill -TERM "$program"' TERM
code=0
wait "$program" || code=$?
# A trapped signal ends the wait, not the program.
if [ "$code" -gt 128 ] && [ "$code" -ne 130 ]; then
  code=0
  wait "$program" || code=$?
fi
if [ "$code" -eq 130 ] && [ -n "${SLURM_ARRAY_JOB_ID:-}" ]; then
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_$task"
fi
exit "$code"
