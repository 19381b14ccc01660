#!/bin/sh
# SPDX-License-Identifier: MIT
# -maxrregcount above the registers that a kernel uses makes ptxas use more of them.
#
# Guess: -maxrregcount is an upper limit, so with a limit of 255 a kernel that takes 48 registers
# without one is compiled to the same code. Behaviour: without a limit ptxas 13.5 holds a kernel
# without __launch_bounds__ to 48 registers on sm_90, though 75 would not spill either; with
# -maxrregcount=64 it takes 64 and with 80, 128 or 255 it takes 75. A limit of 256 is said to be
# "ignored", but the kernel then takes 75 as well and not 48. So the option, given as a precaution,
# lowers the number of warps per multiprocessor. On sm_80, 86, 89, 100 and 120 it is alike with 78
# to 80; on sm_75 it goes from 64 to 74. Seen on 2026-11-30 with nvidia-cuda-nvcc 13.5.37 from PyPI
# on x86-64 Linux without a GPU.
#
# Exit status 0 if ptxas behaves as described, 1 if not, 2 if it cannot be tried.
set -u
command -v g++ >/dev/null || exit 2
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
python3 -m venv venv || exit 2
venv/bin/pip install -q --disable-pip-version-check --no-deps nvidia-cuda-nvcc==13.5.37 \
    nvidia-nvvm==13.5.37 nvidia-cuda-crt==13.5.37 nvidia-cuda-runtime==13.5.37 || exit 2
PATH=$(echo "$folder"/venv/lib/python*/site-packages/nvidia/cu13/bin):$PATH

cat >tile.cu <<'END'
__global__ void tile(float *to, const float *a, const float *b, int n)
{
    float sum[32];
    for (int i = 0; i < 32; i++)
        sum[i] = a[i * 1024 + threadIdx.x];
    for (int k = 0; k < n; k++) {
        float x = b[k * blockDim.x + threadIdx.x];
#pragma unroll
        for (int i = 0; i < 32; i++)
            sum[i] += x * a[k * 32 + i];
    }
    for (int i = 0; i < 32; i++)
        to[i * 1024 + threadIdx.x] = sum[i];
}
END
nvcc -arch=sm_90 -ptx -o tile.ptx tile.cu || exit 2
for limit in none 64 80 128 255 256; do
    option=-maxrregcount=$limit
    [ "$limit" = none ] && option=
    ptxas -arch=sm_90 -v $option -o tile.cubin tile.ptx >log 2>&1 || exit 2
    sed -n "s/.*\(Used [0-9]* registers\).*/limit $limit: \1/p; s/.*\(will be ignored\)/\1/p" log
done >seen
expected='limit none: Used 48 registers
limit 64: Used 64 registers
limit 80: Used 75 registers
limit 128: Used 75 registers
limit 255: Used 75 registers
will be ignored
limit 256: Used 75 registers'
cat seen
[ "$(cat seen)" = "$expected" ] && echo 'a higher limit gives more registers, as described' && exit
echo 'the behaviour has changed' >&2
exit 1
