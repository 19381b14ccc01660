#!/bin/sh
# SPDX-License-Identifier: MIT
# What can go wrong between an OpenCL lab and its device is said in words.
set -u
. tests/lib

lab=lab04_ocl_naive
if ! make -C $lab -s gemm >"$SCRATCH/log" 2>&1; then
    fail "$lab-builds" "next: make -C $lab"
    exit
fi
if ! (cd $lab && ./gemm --list-devices) >"$SCRATCH/out" 2>&1; then
    skip opencl "$(in_short <"$SCRATCH/out")"
    exit
fi

gives() { # NAME STATUS WORDS FOLDER SETTING ...: ./gemm 64 in the folder, with the environment set
    name=$1 wanted=$2 words=$3 folder=$4
    shift 4
    (cd "$folder" && limit 60 env "$@" ./gemm 64 --reps 1) >"$SCRATCH/out" 2>&1
    status=$?
    if [ $status = "$wanted" ] && grep -q -E -e "$words" "$SCRATCH/out"; then
        ok "$name"
    else
        fail "$name" "status $status, $(in_short <"$SCRATCH/out"); next: cd $folder && env $* ./gemm 64"
    fi
}
gives no-device 77 'skipped: no OpenCL device' $lab OCL_ICD_VENDORS=/nonexistent
if (cd $lab && ./gemm --list-devices) | grep -q -E '^\*.*(pthread|cpu-)'; then
    gives group-too-large 2 \
        'not supported by the device: work-group limit 64' $lab POCL_MAX_WORK_GROUP_SIZE=64
else
    skip group-too-large "only PoCL can be told to allow smaller groups"
fi

# From here on a copy of the lab, with its kernel broken or gone.
cp -R $lab broken
make -C broken -s gemm >"$SCRATCH/log" 2>&1
sed '/real sum = 0;/s/sum/sun/' $lab/kernel.cl >broken/kernel.cl
line=$(grep -n 'sum +=' broken/kernel.cl | cut -d : -f 1)
gives compile-error-names-file 2 'broken/kernel\.cl does not compile' broken LC_ALL=C
gives compile-error-names-line 2 "(^|[^0-9])$line:[0-9]" broken LC_ALL=C
rm broken/kernel.cl
gives kernel-gone 2 'cannot read .*kernel\.cl' broken LC_ALL=C
