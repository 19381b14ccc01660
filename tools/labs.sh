# SPDX-License-Identifier: MIT
# What the tools know about labs. The one who sources this sets top, the workbook's folder.
# shellcheck shell=sh disable=SC2154

# What was set on make's command line reaches the makes that a tool runs; make's flags, as -w, -n and -B,
# would change what they print or do.
case ${MAKEFLAGS-} in
*'-- '*) MAKEFLAGS="-- ${MAKEFLAGS#*-- }" ;;
*) MAKEFLAGS= ;;
esac

# backend LAB: c, cl or cu, as its kernel is named.
backend() {
    for kernel in c cl cu; do
        [ -e "$1/kernel.$kernel" ] && echo $kernel && return
    done
}

# programs LAB: its steps in their order, gemm, and gemm_VARIANT of the other variants.
programs() {
    # shellcheck disable=SC2016 # make's variable
    make_says "$1" '$(programs)' VARIANT=
}

# steps LAB: the variants that lead from the lab before to this one's kernel, in their order.
steps() {
    # shellcheck disable=SC2016 # make's variable
    make_says "$1" '$(steps)' VARIANT=
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
    make -s -C "$says_lab" --no-print-directory --eval "print: ; @echo $says_text" print "$@"
}

# lab_before LAB (a full path): the one before it in the ladder, or nothing.
lab_before() {
    before=
    for other in "$top"/lab[0-9]*; do
        [ "$other" = "$1" ] && echo "$before" && return
        before=$other
    done
}
