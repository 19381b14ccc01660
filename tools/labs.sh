# SPDX-License-Identifier: MIT
# What the tools know about labs. The one who sources this sets top, the workbook's folder.
# shellcheck shell=sh disable=SC2154

# backend LAB: c, cl or cu, as its kernel is named.
backend() {
    for kernel in c cl cu; do
        [ -e "$1/kernel.$kernel" ] && echo $kernel && return
    done
}

# programs LAB: gemm, and gemm_VARIANT for every kernel_VARIANT.*
programs() {
    echo gemm
    for kernel in "$1"/kernel_*."$(backend "$1")"; do
        kernel=${kernel##*/kernel} && kernel=${kernel%.*}
        [ "$kernel" = '_*' ] || echo "gemm$kernel"
    done
}

# variant PROGRAM: VARIANT of gemm_VARIANT, nothing of gemm.
variant() {
    name_without_gemm=${1#gemm}
    echo "${name_without_gemm#_}"
}

# make_says LAB 'TEXT' [SETTING ...]: a text with make's variables in it, as make sees it in that lab.
make_says() {
    says_lab=$1 says_text=$2
    shift 2
    make -s -C "$says_lab" --eval "print: ; @echo $says_text" print "$@"
}

# lab_before LAB (a full path): the one before it in the ladder, or nothing.
lab_before() {
    before=
    for other in "$top"/lab[0-9]*; do
        [ "$other" = "$1" ] && echo "$before" && return
        before=$other
    done
}
