#!/bin/sh
# SPDX-License-Identifier: MIT
# make asm shows the loop that does the work, says from which line it comes, and names the others.
set -u
. tests/lib

says() { # NAME WORDS: the end of what inner_loop.awk says of $SCRATCH/code
    awk -v kernel="$kernel" -f tools/inner_loop.awk "$SCRATCH/code" >"$SCRATCH/out" 2>&1
    expect "$1" "$(tail -n 3 "$SCRATCH/out" | in_short)" grep -q -F -e "$2" "$SCRATCH/out"
}
line() { # ADDRESS INSTRUCTION: as objdump prints it
    printf '  %s:\t%s\n' "$@"
}

# At the edge one instruction of four lanes and little else; in the main loop six of one lane, and more to load.
kernel=kernel.c
{
    printf '0000000000000000 <gemm>:\n/x/kernel.c:30\n'
    line 10 'vfmadd231ps (%r11,%rbx,4),%xmm7,%xmm5'
    line 16 'jne    10 <gemm+0x10>'
    printf '/usr/include/avxintrin.h:980\ninlined by /x/kernel.c:12 (gemm)\ninlined by /x/kernel.c:50 (main)\n'
    for i in 0 1 2 3 4 5; do
        line "2$i" "vmovss (%r$i),%xmm1"
        line "3$i" 'nop'
        line "4$i" 'nop'
        line "5$i" "vfmadd231ss %xmm1,%xmm0,%xmm$i"
        [ $i != 2 ] || line 60 'jl     20 <gemm+0x20>' # a `continue`
    done
    line 61 'jne    20 <gemm+0x20>'
} >"$SCRATCH/code"
says most-work 'kernel.c:12, 6 multiply-adds a turn'
says edge-is-named 'another loop: kernel.c:30, 4 multiply-adds a turn'
# What is left of an unrolled loop, before it, and after it a copy that has no lines.
{
    printf '0000000000000000 <gemm>:\n/x/kernel.c:12\n'
    line 10 'vfmadd231ps %ymm1,%ymm2,%ymm3'
    line 11 'jne    10 <gemm+0x10>'
    for i in 0 1 2 3; do line "2$i" "vfmadd231ps %ymm1,%ymm2,%ymm$i"; done
    line 24 'jne    20 <gemm+0x20>'
    printf '0000000000000100 <copy>:\n'
    for i in 0 1 2 3; do line "12$i" "vfmadd231ps %ymm1,%ymm2,%ymm$i"; done
    line 124 'jne    120 <gemm+0x120>'
} >"$SCRATCH/code"
says unrolled 'kernel.c:12, 32 multiply-adds a turn, in 5 instructions'
expect copies-are-not-named "$(in_short <"$SCRATCH/out")" sh -c "! grep -q 'loop: 32' '$SCRATCH/out'"
printf '0000000000000000 <gemm>:\n  10:\tadd    %%eax,%%ebx\n  11:\tjne    10 <gemm+0x10>\n' >"$SCRATCH/code"
says no-arithmetic 'no loop that multiplies'
kernel=kernel.cu
# shellcheck disable=SC2016 # no variable
printf '%s\n' '$L__BB0_1:' '	.loc	1 21 5' '	fma.rn.f32 	%f1, %f2, %f3, %f4;' '	mad.lo.s32 	%r1, %r2, %r3, %r4;' \
    '	@%p1 bra 	$L__BB0_1;' '	.file	1 "/x/kernel.cu"' >"$SCRATCH/code"
says ptx 'kernel.cu:21, 1 multiply-add a turn, in 3 instructions'

# The labs: the line with the sum, and as many multiply-adds as the kernel's tile has.
asm() { # LAB WORDS PATTERN [SETTING ...]: make asm says the words, of the line of kernel.* with the pattern
    lab=$1 words=$2
    at=$(grep -n "$3" "$lab"/kernel.c* | cut -d : -f 1 | paste -s -d '|' -)
    shift 3
    make --no-print-directory -s -C "$lab" asm "$@" >"$SCRATCH/out" 2>&1
    status=$?
    if grep -q -E 'skipped|no machine code' "$SCRATCH/out"; then
        skip "asm-$lab" "$(tail -n 1 "$SCRATCH/out")"
    else
        expect "asm-$lab" "$status, $(tail -n 2 "$SCRATCH/out" | in_short); next: make -C $lab asm $*" \
            sh -c "test $status = 0 && grep -q -E '^  kernel[.][a-z]*:($at).*, $words' '$SCRATCH/out'"
    fi
}
asm lab01_cpu_naive '1 multiply-add a turn' 'sum += '
asm lab02_avx '8 multiply-adds a turn' 'fmadd_ps\|maskload_ps'
asm lab03_avx_block '96 multiply-adds a turn' 'sum\[r\]\[.\] = _mm256_fmadd_ps'
asm lab05_ocl_coarsen '[0-9]* multiply-add' 'sum\[c\] += '
asm lab09_cuda_shared '[0-9]* multiply-add' 'sum += ' CUDA=nvcc
