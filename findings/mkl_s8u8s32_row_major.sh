#!/bin/sh
# SPDX-License-Identifier: MIT
# MKL's cblas_gemm_s8u8s32 takes A as unsigned and B as signed if the matrices are row-major.
#
# Guess: s8u8s32 means that A is signed, B unsigned and C has 32 bits, and the first argument of a
# CBLAS call says how matrices lie in memory and nothing about their types, as in every other call.
# Behaviour: in column-major order A is signed and B unsigned; in row-major order A is unsigned and
# B signed, as if the call were passed on as the column-major product of B' and A'. The arguments
# are void pointers, so no compiler warns. There is no call for a signed A and an unsigned B in
# row-major order. Seen on 2026-11-30 with mkl 2026.2.0 from PyPI on x86-64 Linux.
#
# Exit status 0 if MKL behaves as described, 1 if not, 2 if it cannot be tried.
set -u
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
python3 -m venv venv || exit 2
venv/bin/pip install -q --disable-pip-version-check --no-deps mkl==2026.2.0 || exit 2
export MKL_THREADING_LAYER=SEQUENTIAL

cat >signs.py <<'END'
import ctypes, glob
mkl = ctypes.CDLL(glob.glob('venv/lib/libmkl_rt.so*')[0])
PLAIN, FIXED = 111, 171
for name, order in ('column-major', 102), ('row-major', 101):
    for size in 1, 40:
        byte, c = ctypes.c_ubyte * size**2, (ctypes.c_int * size**2)()
        def product(a, b):
            """Element 0 of A * B over size, where A is full of the byte a and B of b."""
            mkl.cblas_gemm_s8u8s32(
                order, PLAIN, PLAIN, FIXED, size, size, size, ctypes.c_float(1),
                byte(*[a] * size**2), size, ctypes.c_byte(0), byte(*[b] * size**2), size,
                ctypes.c_byte(0), ctypes.c_float(0), c, size, ctypes.byref(ctypes.c_int(0)))
            return c[0] // size
        print(f'{name}, {size} x {size}:',
              f'byte 255 in A is {product(255, 1)}, in B {product(1, 255)}')
END
seen=$(venv/bin/python signs.py) || exit 2
expected='column-major, 1 x 1: byte 255 in A is -1, in B 255
column-major, 40 x 40: byte 255 in A is -1, in B 255
row-major, 1 x 1: byte 255 in A is 255, in B -1
row-major, 40 x 40: byte 255 in A is 255, in B -1'
echo "$seen"
[ "$seen" = "$expected" ] && echo 'row-major swaps the types, as described' && exit
echo 'the behaviour has changed' >&2
exit 1
