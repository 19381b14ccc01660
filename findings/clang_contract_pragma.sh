#!/bin/sh
# SPDX-License-Identifier: MIT
# clang ignores the pragmas against fused multiply-adds if -ffast-math is given.
#
# Guess: #pragma STDC FP_CONTRACT OFF in a function holds there whatever the options say, since the
# source is nearer to the code than the command line; so a checksum, or an error-free product like
# Dekker's, can be kept exact in a file of fast kernels. Behaviour: with -ffast-math or
# -ffp-contract=fast clang 18.1.6 fuses a * b + c in that function all the same, and as well under
# its own #pragma clang fp contract(off), without a warning. Only -ffp-contract=fast-honor-pragmas,
# of which its name speaks, obeys them. Seen on 2026-11-30 with ziglang 0.13.0 from PyPI, which is
# clang 18.1.6, on x86-64 Linux.
#
# Exit status 0 if clang behaves as described, 1 if not, 2 if it cannot be tried.
set -u
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
python3 -m venv venv || exit 2
venv/bin/pip install -q --disable-pip-version-check ziglang==0.13.0 || exit 2
export ZIG_GLOBAL_CACHE_DIR="$folder/cache"

cat >pragmas.c <<'END'
float none(float a, float b, float c)
{
    return a * b + c;
}
float stdc(float a, float b, float c)
{
#pragma STDC FP_CONTRACT OFF
    return a * b + c;
}
float clang(float a, float b, float c)
{
#pragma clang fp contract(off)
    return a * b + c;
}
END
for option in '' -ffp-contract=fast -ffast-math -ffp-contract=fast-honor-pragmas; do
    venv/bin/python -m ziglang clang -O2 -mfma -Wall $option -S -o pragmas.s pragmas.c || exit 2
    awk -v option="${option:-no option}" '/^(none|stdc|clang):/ { line = line " " $1 }
        /vfmadd/ { line = line " fused" }
        /vmulss/ { line = line " separate" }
        END { print option ":" line }' pragmas.s
done >seen
expected='no option: none: fused stdc: separate clang: separate
-ffp-contract=fast: none: fused stdc: fused clang: fused
-ffast-math: none: fused stdc: fused clang: fused
-ffp-contract=fast-honor-pragmas: none: fused stdc: separate clang: separate'
cat seen
[ "$(cat seen)" = "$expected" ] && echo 'the pragmas are ignored, as described' && exit
echo 'the behaviour has changed' >&2
exit 1
