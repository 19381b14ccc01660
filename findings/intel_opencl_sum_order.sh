#!/bin/sh
# SPDX-License-Identifier: MIT
# Intel's OpenCL reorders a sum of floats in work-items that do not fill a vector of work-items.
#
# Guess: without -cl-fast-relaxed-math or -cl-unsafe-math-optimizations s += a[i] in a loop adds in
# the order of the loop, so all work-items that read the same numbers get the same bits. Behaviour:
# Intel's runtime for CPUs 2026.2.0 computes work-items in vectors; those that are left over, or all
# of a group smaller than a vector, run alone, and in these it vectorizes the loop instead, with
# partial sums. 2^24 + 1 + 1 + ... stays 2^24 in one work-item and is 2^24 + 96 after 100 additions
# in the next of the same group. So do half and double, and s += a[i] * b[i]; s = fma(a[i], b[i], s)
# keeps the order, and so does -cl-opt-disable. A dot product in a group of one work-item differs
# from the same in a group of 16, and from PoCL 3.1's, which keeps the order. Seen on 2026-11-30
# with intel-opencl-rt 2026.2.0 and pyopencl 2026.1.4 from PyPI on x86-64 Linux.
#
# Exit status 0 if the runtime behaves as described, 1 if not, 2 if it cannot be tried.
set -u
grep -qw avx2 /proc/cpuinfo || exit 2
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
python3 -m venv venv || exit 2
venv/bin/pip install -q --disable-pip-version-check intel-opencl-rt==2026.2.0 \
    intel-cmplr-lib-rt==2026.2.0 pyopencl==2026.1.4 || exit 2
# The path in the wheel's own .icd file does not exist.
mkdir vendors
echo "$folder/venv/lib/libintelocl.so" >vendors/intel.icd
export OCL_ICD_VENDORS="$folder/vendors" PYOPENCL_NO_CACHE=1 XDG_CACHE_HOME="$folder"
export CL_CONFIG_CPU_TARGET_ARCH=core-avx2 # the same code on every processor that has AVX2

cat >order.py <<'END'
import numpy, pyopencl as cl
context = cl.Context(cl.get_platforms()[0].get_devices())
queue = cl.CommandQueue(context)
ones = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=numpy.ones(100, numpy.float32))
for name, step, option in (('+=', 's += a[i]', ''), ('+= a * b', 's += a[i] * a[99 - i]', ''),
                           ('fma', 's = fma(a[i], a[99 - i], s)', ''),
                           ('+=, -cl-opt-disable', 's += a[i]', '-cl-opt-disable')):
    kernel = cl.Program(context, '''
        kernel void total(global float *to, global const float *a, int n)
        {
            float s = 16777216.0f;
            for (int i = 0; i < n; i++)
                %s;
            to[get_global_id(0)] = s;
        }''' % step).build(option).total
    for size in 1, 16, 17:
        sums = numpy.empty(size, numpy.float32)
        to = cl.Buffer(context, cl.mem_flags.READ_WRITE, sums.nbytes)
        kernel(queue, (size,), (size,), to, ones, numpy.int32(100))
        cl.enqueue_copy(queue, sums, to)
        print(f'{name}, group of {size}: 2^24 +', *sorted(set(int(s) - 2**24 for s in sums)))
END
seen=$(venv/bin/python -W ignore order.py) || exit 2
echo "$seen"
expected='+=, group of 1: 2^24 + 96
+=, group of 16: 2^24 + 0
+=, group of 17: 2^24 + 0 96
+= a * b, group of 1: 2^24 + 96
+= a * b, group of 16: 2^24 + 0
+= a * b, group of 17: 2^24 + 0 96
fma, group of 1: 2^24 + 0
fma, group of 16: 2^24 + 0
fma, group of 17: 2^24 + 0
+=, -cl-opt-disable, group of 1: 2^24 + 0
+=, -cl-opt-disable, group of 16: 2^24 + 0
+=, -cl-opt-disable, group of 17: 2^24 + 0'
[ "$seen" = "$expected" ] && echo 'the work-item decides the order of the sum, as described' && exit
echo 'the behaviour has changed' >&2
exit 1
