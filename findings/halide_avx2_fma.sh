#!/bin/sh
# SPDX-License-Identifier: MIT
# Halide uses fused multiply-adds for a target that names avx2 and not fma.
#
# Guess: the features of a Halide target are what the generated code may use, fma is one of them,
# and so x86-64-linux-sse41-avx-avx2 has no FMA: it multiplies, rounds and adds, as
# x86-64-linux-sse41-avx does. Behaviour: Halide 21.0.0 emits vfmadd for avx2 alone, as if fma were
# named; only strict_float prevents it. So bits change between avx and avx2 and not between avx2
# and avx2-fma. Seen on 2026-11-30 with halide 21.0.0 from PyPI on x86-64 Linux.
#
# Exit status 0 if Halide behaves as described, 1 if not, 2 if it cannot be tried.
set -u
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
python3 -m venv venv || exit 2
venv/bin/pip install -q --disable-pip-version-check halide==21.0.0 || exit 2

cat >target.py <<'END'
import halide, re
x = halide.Var('x')
for features in 'avx', 'avx-fma', 'avx-avx2', 'avx-avx2-fma', 'avx-avx2-strict_float':
    a = halide.ImageParam(halide.Float(32), 1, 'a')
    product = halide.Func('product')
    product[x] = a[x] * a[x] + 1.5
    product.vectorize(x, 8)
    target = halide.Target('x86-64-linux-sse41-' + features + '-no_runtime')
    product.compile_to_assembly('product.s', [a], 'product', target)
    found = re.findall(r'\b(?:vmulps|vaddps|vfmadd)', open('product.s').read())
    print(features + ':', *sorted(set(found)))
END
seen=$(venv/bin/python target.py) || exit 2
expected='avx: vaddps vmulps
avx-fma: vfmadd
avx-avx2: vfmadd
avx-avx2-fma: vfmadd
avx-avx2-strict_float: vaddps vmulps'
echo "$seen"
[ "$seen" = "$expected" ] && echo 'avx2 brings fma along, as described' && exit
echo 'the behaviour has changed' >&2
exit 1
