#!/bin/sh
# SPDX-License-Identifier: MIT
# numpy.einsum adds float16 products in float32 or in float16, by the layout of the operands.
#
# Guess: einsum accumulates float16 in one type, whatever the order of the letters: in float32, as
# @ does. Behaviour: numpy 2.2.6 adds in float32 where the summed index is the contiguous one of
# both operands, and else rounds to float16 after each addition, so a sum of ones ends at 2048. Two
# calls with the same letters and numbers give 5000 and 2048, as the second operand is a transposed
# view or its contiguous copy. With optimize=True, which is said to choose the order of
# contractions, the product of two operands is done as @ does it and all are right. Seen on
# 2026-11-30 with numpy 2.2.6 from PyPI.
#
# Exit status 0 if numpy behaves as described, 1 if not, 2 if it cannot be tried.
set -u
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
python3 -m venv venv || exit 2
venv/bin/pip install -q --disable-pip-version-check numpy==2.2.6 || exit 2

cat >einsum.py <<'END'
import numpy
rows = numpy.ones((4, 5000), numpy.float16)
columns = numpy.ones((5000, 4), numpy.float16)
for letters, a, b, layout in (('ik,jk->ij', rows, rows, 'k contiguous'),
                              ('ik,kj->ij', rows, columns, 'j contiguous'),
                              ('ik,kj->ij', rows, rows.T, 'k contiguous'),
                              ('ki,kj->ij', columns, columns, 'i and j contiguous')):
    print(letters, layout + ':', *(numpy.einsum(letters, a, b, optimize=optimize)[0, 0]
                                   for optimize in (False, True)))
print('@:', (rows @ columns)[0, 0])
END
seen=$(venv/bin/python einsum.py) || exit 2
expected='ik,jk->ij k contiguous: 5000.0 5000.0
ik,kj->ij j contiguous: 2048.0 5000.0
ik,kj->ij k contiguous: 5000.0 5000.0
ki,kj->ij i and j contiguous: 2048.0 5000.0
@: 5000.0'
echo 'without and with optimize=True:'
echo "$seen"
[ "$seen" = "$expected" ] && echo 'as described' && exit
echo 'the behaviour has changed' >&2
exit 1
