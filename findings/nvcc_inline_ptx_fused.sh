#!/bin/sh
# SPDX-License-Identifier: MIT
# A mul and an add in two asm statements of PTX become one fused multiply-add.
#
# Guess: asm volatile("mul.f32 ...") and asm volatile("add.f32 ...") are two instructions with two
# roundings: the compiler does not look into an asm statement, and -fmad is about expressions in
# C++. Behaviour: ptxas, which assembles the PTX, fuses them into FFMA: a PTX instruction without
# .rn may be contracted, and volatile does not prevent it. With .rn in one of them, or -fmad=false,
# FMUL and FADD remain. So a hand-written reference for "multiply, round, add" computes an fma.
# __hmul and __hadd of cuda_fp16.h become HFMA2 likewise, unlike __hmul_rn and __hadd_rn. Seen on
# 2026-11-30 with nvidia-cuda-nvcc 13.5.37 from PyPI on x86-64 Linux without a GPU.
#
# Exit status 0 if nvcc behaves as described, 1 if not, 2 if it cannot be tried.
set -u
command -v g++ >/dev/null || exit 2
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
python3 -m venv venv || exit 2
venv/bin/pip install -q --disable-pip-version-check --no-deps nvidia-cuda-nvcc==13.5.37 \
    nvidia-nvvm==13.5.37 nvidia-cuda-crt==13.5.37 nvidia-cuda-runtime==13.5.37 \
    nvidia-cuda-cuobjdump==13.5.37 nvidia-cuda-nvdisasm==13.5.37 || exit 2
PATH=$(echo "$folder"/venv/lib/python*/site-packages/nvidia/cu13/bin):$PATH

cat >fused.cu <<'END'
__global__ void fused(float *c, const float *a, const float *b)
{
    float product, sum;
    asm volatile("mul" MUL ".f32 %0, %1, %2;" : "=f"(product) : "f"(a[threadIdx.x]), "f"(b[0]));
    asm volatile("add" ADD ".f32 %0, %1, %2;" : "=f"(sum) : "f"(product), "f"(c[threadIdx.x]));
    c[threadIdx.x] = sum;
}
END
# The instructions on floats for the modifiers of mul and add and an option of nvcc.
instructions()
{
    nvcc -arch=sm_90 -cubin -DMUL="\"$1\"" -DADD="\"$2\"" ${3:+"$3"} \
        -o fused.cubin fused.cu || exit 2
    found=$(cuobjdump -sass fused.cubin | grep -oE '\b(FMUL|FADD|FFMA)\b' | paste -sd ' ')
    echo "mul$1 add$2 $3: $found"
}
{
    instructions '' '' ''
    instructions .rn '' ''
    instructions '' .rn ''
    instructions .rn .rn ''
    instructions '' '' -fmad=false
} >seen
expected='mul add : FFMA
mul.rn add : FMUL FADD
mul add.rn : FMUL FADD
mul.rn add.rn : FMUL FADD
mul add -fmad=false: FMUL FADD'
cat seen
[ "$(cat seen)" = "$expected" ] && echo 'two asm statements become one FFMA, as described' && exit
echo 'the behaviour has changed' >&2
exit 1
