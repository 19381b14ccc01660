#!/bin/sh
# SPDX-License-Identifier: MIT
# MKL's sgemm multiplies alpha into A, into B or into the sum, by size and transposition.
#
# Guess: alpha * A * B is alpha times the finished sum, at every size: so does OpenBLAS, and so do
# the usual kernels, which multiply a tile by alpha when they store it. Behaviour: MKL 2026.2.0
# multiplies alpha into B for column-major 7 x 7, into A from 8 x 8, and with A transposed into the
# sum up to 7 x 7. With alpha = 1e-30, A full of 1e20 and B full of 1e-20 each element should be
# N * 1e-30, which float holds; it is 0 where alpha * B is formed first, and right elsewhere. So the
# same product of the same numbers vanishes or not by N. dgemm does the same with 1e-200 and 1e200.
# Seen on 2026-11-30 with mkl 2026.2.0 from PyPI on x86-64 Linux, with MKL_CBWR=COMPATIBLE, which
# takes one code path on every processor; the AVX2 path changes over between 10 and 12 instead. The
# reference BLAS (Debian's libblas3 3.11.0) forms alpha * B at every size, but with A transposed
# alpha times the sum.
#
# Exit status 0 if MKL behaves as described, 1 if not, 2 if it cannot be tried.
set -u
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
python3 -m venv venv || exit 2
venv/bin/pip install -q --disable-pip-version-check --no-deps mkl==2026.2.0 || exit 2
export MKL_CBWR=COMPATIBLE MKL_THREADING_LAYER=SEQUENTIAL

cat >alpha.py <<'END'
import ctypes, glob
mkl = ctypes.CDLL(glob.glob('venv/lib/libmkl_rt.so*')[0])
COLUMN_MAJOR, PLAIN, TRANSPOSED = 102, 111, 112

def product(first, second, size, transposed):
    """Element 0 of 1e-30 * A * B, where A is full of first and B of second."""
    a, b, c = ((ctypes.c_float * size**2)(*[value] * size**2) for value in (first, second, 0))
    mkl.cblas_sgemm(COLUMN_MAJOR, transposed, PLAIN, size, size, size, ctypes.c_float(1e-30),
                    a, size, b, size, ctypes.c_float(0), c, size)
    return c[0]

for name, transposed in ('A*B', PLAIN), ("A'*B", TRANSPOSED):
    for size in 2, 7, 8, 32:
        right = [abs(product(*pair, size, transposed) / (size * 1e-30) - 1) < 1e-5
                 for pair in ((1e20, 1e-20), (1e-20, 1e20))]
        where = {(True, True): 'the sum', (False, True): 'B', (True, False): 'A'}
        print(f'{name} {size}: alpha goes into {where.get(tuple(right), "?")},',
              '1e20 * 1e-20 gives',
              'N * 1e-30' if right[0] else product(1e20, 1e-20, size, transposed))
END
seen=$(venv/bin/python alpha.py) || exit 2
expected="A*B 2: alpha goes into B, 1e20 * 1e-20 gives 0.0
A*B 7: alpha goes into B, 1e20 * 1e-20 gives 0.0
A*B 8: alpha goes into A, 1e20 * 1e-20 gives N * 1e-30
A*B 32: alpha goes into A, 1e20 * 1e-20 gives N * 1e-30
A'*B 2: alpha goes into the sum, 1e20 * 1e-20 gives N * 1e-30
A'*B 7: alpha goes into the sum, 1e20 * 1e-20 gives N * 1e-30
A'*B 8: alpha goes into A, 1e20 * 1e-20 gives N * 1e-30
A'*B 32: alpha goes into A, 1e20 * 1e-20 gives N * 1e-30"
echo "$seen"
[ "$seen" = "$expected" ] && echo 'alpha goes into A, B or the sum by size, as described' && exit
echo 'the behaviour has changed' >&2
exit 1
