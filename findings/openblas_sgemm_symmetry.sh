#!/bin/sh
# SPDX-License-Identifier: MIT
# OpenBLAS's sgemm of a matrix and its transpose is not symmetric.
#
# Guess: C = A * A' is symmetric to the last bit even from a general sgemm, since C[i][j] and
# C[j][i] add the same products in the same order of k. Behaviour: with the Haswell and Zen kernels
# of OpenBLAS 0.3.34 some blocks of C add up in another order than the rest from k = 8 on, so of
# 48 x 48 and 96 x 96 elements, with one thread, a fifth and an eighth differ from their mirror
# image in the last bits. Nehalem's and Sandybridge's kernels are symmetric. numpy hides this, since
# it calls ssyrk for A @ A.T, but A @ A.T.copy() shows it. Seen on 2026-11-30 with scipy-openblas32
# 0.3.34.481.3 from PyPI on x86-64 Linux with AVX2; numpy 2.2.6 (OpenBLAS 0.3.29) behaves alike.
#
# Exit status 0 if OpenBLAS behaves as described, 1 if not, 2 if it cannot be tried.
set -u
grep -qw avx2 /proc/cpuinfo || exit 2
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
python3 -m venv venv || exit 2
venv/bin/pip install -q --disable-pip-version-check scipy-openblas32==0.3.34.481.3 || exit 2
unset OPENBLAS_L2_SIZE
export OPENBLAS_NUM_THREADS=1

cat >symmetry.py <<'END'
import ctypes, glob, random
blas = ctypes.CDLL(glob.glob('venv/lib/python*/site-packages/scipy_openblas32/lib/*.so')[0])
ROW_MAJOR, PLAIN, TRANSPOSED = 101, 111, 112
random.seed(1)
for size in 48, 96:
    a = (ctypes.c_float * size**2)(*[random.gauss(0, 1) for _ in range(size**2)])
    c = (ctypes.c_float * size**2)()
    blas.scipy_cblas_sgemm(ROW_MAJOR, PLAIN, TRANSPOSED, size, size, size, ctypes.c_float(1),
                           a, size, a, size, ctypes.c_float(0), c, size)
    pairs = [(i, j) for i in range(size) for j in range(i)]
    unlike = sum(c[i * size + j] != c[j * size + i] for i, j in pairs)
    far = max(abs(c[i * size + j] - c[j * size + i]) for i, j in pairs)
    print(f'{size} x {size}: {unlike} of {len(pairs)} pairs differ, by {far:.1e} at most')
END
nehalem=$(OPENBLAS_CORETYPE=Nehalem venv/bin/python symmetry.py) || exit 2
haswell=$(OPENBLAS_CORETYPE=Haswell venv/bin/python symmetry.py) || exit 2
printf 'Nehalem\n%s\nHaswell\n%s\n' "$nehalem" "$haswell"
case $nehalem in *' 0 of 1128 '*' 0 of 4560 '*) ;; *) echo 'Nehalem has changed' >&2; exit 1 ;; esac
case $haswell in *' 0 of '*) echo 'the behaviour has changed' >&2; exit 1 ;; esac
echo 'Haswell: not symmetric, as described'
