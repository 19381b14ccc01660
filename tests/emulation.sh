#!/bin/sh
# SPDX-License-Identifier: MIT
# The CUDA labs on a CPU: no speed is ever printed, the order of threads is random and repeatable, and
# what is not emulated does not compile. Their kernels, right and broken, are run by correct and mutants.
set -u
. tests/lib
export CUDA=cpu
lab=lab09_cuda_shared

make -s -C $lab gemm >"$SCRATCH/log" 2>&1 || fail builds "$(grep -m 1 error "$SCRATCH/log"); next: make -C $lab CUDA=cpu"
(cd $lab && ./gemm 40 --csv "$SCRATCH/csv") >"$SCRATCH/out" 2>&1
expect no-speed-is-printed "next: make -C $lab run CUDA=cpu" \
    sh -c "grep -q 'correctness only' '$SCRATCH/out' && ! grep -q GFLOP '$SCRATCH/out'"
expect csv-says-emulated "next: see the CSV of $lab with CUDA=cpu" \
    grep -q '^lab09_cuda_shared,,emulated,"CUDA emulated on the CPU",.*,,full,' "$SCRATCH/csv"
make -s -C $lab bench SIZES=40 >"$SCRATCH/out" 2>&1
expect bench-says-right "$(in_short <"$SCRATCH/out")" grep -q 'gemm .* right .*emulated' "$SCRATCH/out"
make -s -C $lab check >"$SCRATCH/out" 2>&1
expect check-counts-it-as-run "$(in_short <"$SCRATCH/out")" grep -q '^1 passed, 0 failed, 0 skipped' "$SCRATCH/out"
expect table-says-emulated "$(in_short <"$SCRATCH/out")" grep -q "$lab *PASS .* emulated" "$SCRATCH/out"
expect json-says-emulated "see build/check.json" sh -c "grep -q '\"emulated\": true' build/check.json && grep -q '\"gflops\": null' build/check.json"
make -s -C $lab SIZE=40 CUDA=gpu >"$SCRATCH/out" 2>&1
expect cuda-is-cpu-or-nvcc "$(in_short <"$SCRATCH/out")" grep -q 'CUDA=gpu: choose nvcc' "$SCRATCH/out"

# A kernel whose result depends on which thread comes last: another seed, another result.
cp -R $lab order
cat >order/kernel.cu <<'END'
__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M * N; i++)
        C[i] = threadIdx.y * 32 + threadIdx.x + A[0] * 0 + B[0] * 0 + K * 0;
}
END
make -s -C order gemm >"$SCRATCH/log" 2>&1
said() { # SEED: what the verification says of a kernel that depends on the order
    (cd order && EMULATION_SEED=$1 ./gemm 16) 2>&1
}
said 1 >"$SCRATCH/first"
said 1 >"$SCRATCH/again"
said 2 >"$SCRATCH/other"
expect a-seed-repeats "next: EMULATION_SEED=1 ./gemm 16, twice" cmp -s "$SCRATCH/first" "$SCRATCH/again"
expect another-seed-another-order "next: EMULATION_SEED=2 ./gemm 16" test "$(cat "$SCRATCH/first")" != "$(cat "$SCRATCH/other")"

# What the emulation does not know: a name in a kernel, or a line before it.
while IFS='|' read -r name before inside; do
    printf '%s\n__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)\n{\n    %s\n}\n' \
        "$before" "$inside" >order/kernel.cu
    make -s -C order gemm >"$SCRATCH/out" 2>&1
    status=$?
    expect "refuses-$name" "status $status: $(in_short <"$SCRATCH/out")" \
        test $status != 0 -a "$(grep -c -F "$name" "$SCRATCH/out")" -gt 0 -a "$(grep -c 'needs nvcc' "$SCRATCH/out")" -gt 0
done <<'END'
__activemask||C[0] = __activemask();
__match_any_sync||C[0] = __match_any_sync(~0u, 1);
__shfl_down||C[0] = __shfl_down(A[0], 1);
atomicAdd||atomicAdd((short *)C, 1);
asm||asm("bar.sync 0;");
__managed__|__managed__ real table[4];|C[0] = table[0];
cudaStreamCreate|static void f() { cudaStream_t s; cudaStreamCreate(&s); }|C[0] = 0;
cooperative_groups|#include <cooperative_groups.h>|C[0] = 0;
cuda_fp16|#include <cuda_fp16.h>|C[0] = 0;
tex1Dfetch||C[0] = tex1Dfetch<float>(0, 1);
__shared__|__shared__ real tile[4];|C[0] = tile[0];
clock64||C[0] = clock64();
END
