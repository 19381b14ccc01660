// SPDX-License-Identifier: MIT
// No tunables: the sizes are in cpu.c, opencl.c and cuda.cu. It is here as the host code for OpenCL
// reads one.
