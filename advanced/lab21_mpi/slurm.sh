#!/bin/sh
# SPDX-License-Identifier: MIT
# A job for a cluster with Slurm:  sbatch slurm.sh [SIZE]
# Adapt the lines with ADAPT; sinfo says which partitions there are, and module avail which MPI.
#SBATCH --job-name=gemm
#SBATCH --output=gemm-%j.txt
#SBATCH --nodes=2             # ADAPT: machines
#SBATCH --ntasks-per-node=16  # ADAPT: ranks on each, one for each of its cores
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=2G      # ADAPT: the first machine holds A, B and C whole as well
#SBATCH --time=00:10:00       # ADAPT: more waits longer in the queue
##SBATCH --partition=compute  # ADAPT, where there is no default: one # less
##SBATCH --account=mycourse   # ADAPT, where time is accounted: one # less
set -eu

# module load openmpi         # ADAPT: the MPI that srun knows; the same to build and to run

cd "${SLURM_SUBMIT_DIR:?is set by sbatch: sbatch slurm.sh}"
make gemm
# A rank of its own core: without binding, ranks move to each other's. MPI_TYPE: srun --mpi=list
exec srun --mpi="${MPI_TYPE:-pmix}" --cpu-bind=cores \
    ./gemm "${1:-8192}" --json "gemm-${SLURM_JOB_ID:-0}.json"
