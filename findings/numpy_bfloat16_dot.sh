#!/bin/sh
# SPDX-License-Identifier: MIT
# numpy's A @ B and numpy.dot(A, B) of bfloat16 or float8 matrices have different types.
#
# Guess: for two matrices @ and numpy.dot are the same product, so with the types of ml_dtypes both
# give the type of the operands, as both give float16 for float16. Behaviour: @ gives float32, the
# sum as it is, and dot gives bfloat16 or float8, the sum rounded once: 5000 ones are 5000 by @ and
# by dot 4992 in bfloat16, 5120 in float8_e5m2 and nan in float8_e4m3fn, which ends at 448. inner,
# tensordot and einsum with optimize=True follow dot; einsum without it is an error. A reference
# written with @ is thus exact in float32 where one with dot is rounded. Seen on 2026-11-30 with
# numpy 2.2.6 and ml_dtypes 0.6.0 from PyPI.
#
# Exit status 0 if numpy behaves as described, 1 if not, 2 if it cannot be tried.
set -u
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
python3 -m venv venv || exit 2
venv/bin/pip install -q --disable-pip-version-check numpy==2.2.6 ml_dtypes==0.6.0 || exit 2

cat >dot.py <<'END'
import ml_dtypes, numpy
for dtype in numpy.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn:
    a, b = numpy.ones((2, 5000), dtype), numpy.ones((5000, 2), dtype)
    results = [a @ b, numpy.dot(a, b), numpy.einsum('ik,kj->ij', a, b, optimize=True)]
    print(dtype.__name__, *(f'{float(r[0, 0]):g} {r.dtype}' for r in results), sep=', ')
END
seen=$(venv/bin/python dot.py) || exit 2
expected='float16, 5000 float16, 5000 float16, 5000 float16
bfloat16, 5000 float32, 4992 bfloat16, 4992 bfloat16
float8_e5m2, 5000 float32, 5120 float8_e5m2, 5120 float8_e5m2
float8_e4m3fn, 5000 float32, nan float8_e4m3fn, nan float8_e4m3fn'
echo '@, dot, einsum:'
echo "$seen"
[ "$seen" = "$expected" ] && echo '@ gives float32 and dot does not, as described' && exit
echo 'the behaviour has changed' >&2
exit 1
