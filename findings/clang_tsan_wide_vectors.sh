#!/bin/sh
# SPDX-License-Identifier: MIT
# clang's ThreadSanitizer does not see accesses to vectors of more than 16 bytes.
#
# Guess: -fsanitize=thread reports a race on a float8 as it does on a float4, since each store of a
# vector is one access. Behaviour: clang 18.1.6 calls __tsan_write16 for a vector of 16 bytes and
# nothing at all for one of 32 or 64, so two threads that store to one such vector have no race.
# gcc calls __tsan_write_range there. Kernels in OpenCL C with float8 or float16, and AVX code, are
# affected. Seen on 2026-11-29 with ziglang 0.13.0 from PyPI, which is clang 18.1.6, on x86-64
# Linux; Debian's clang 14, 15 and 19 behave alike.
#
# Exit status 0 if clang behaves as described, 1 if not, 2 if it cannot be tried.
set -u
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
python3 -m venv venv || exit 2
venv/bin/pip install -q --disable-pip-version-check ziglang==0.13.0 || exit 2
export ZIG_GLOBAL_CACHE_DIR="$folder/cache"

cat >stores.c <<'END'
typedef float float4 __attribute__((vector_size(16)));
typedef float float8 __attribute__((vector_size(32)));
typedef float float16 __attribute__((vector_size(64)));
void store4(float4 *to, const float4 *from) { *to = *from; }
void store8(float8 *to, const float8 *from) { *to = *from; }
void store16(float16 *to, const float16 *from) { *to = *from; }
END
venv/bin/python -m ziglang clang -O1 -mavx512f -fsanitize=thread -S -emit-llvm -o stores.ll \
    stores.c || exit 2

# The sanitizer's calls in each function, in order.
seen=$(awk '/^define.*@store/ { sub(/.*@/, ""); sub(/\(.*/, ""); name = $0 }
    match($0, /@__tsan_(read|write)[a-z0-9_]*/) && name != "" {
        print name, substr($0, RSTART + 1, RLENGTH - 1) }
    /^}/ { name = "" }' stores.ll)
expected='store4 __tsan_read16
store4 __tsan_write16'
echo "$seen"
[ "$seen" = "$expected" ] && echo 'float8 and float16: no call, as described' && exit
echo 'the behaviour has changed' >&2
exit 1
