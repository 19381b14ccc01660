// SPDX-License-Identifier: MIT
// Eight chains of dependent multiply-adds: full registers, nothing to wait for. They are on vectors
// of 8. With -DSCALAR they are on single elements, and the compiler may make vectors of several
// work-items. PoCL 7.1 is many times slower with vectors of 8.
#define VECTOR_OF(type) type##8
#define VECTOR(type) VECTOR_OF(type)
#ifdef SCALAR
typedef real vector;
#else
typedef VECTOR(real) vector;
#endif

__kernel void multiply_add(int steps, real x, __global vector *out)
{
    vector s0 = x, s1 = x + 1, s2 = x + 2, s3 = x + 3, s4 = x + 4, s5 = x + 5, s6 = x + 6,
           s7 = x + 7;
    for (int step = 0; step < steps; step++) {
        s0 = s0 * x + x;
        s1 = s1 * x + x;
        s2 = s2 * x + x;
        s3 = s3 * x + x;
        s4 = s4 * x + x;
        s5 = s5 * x + x;
        s6 = s6 * x + x;
        s7 = s7 * x + x;
    }
    out[get_global_id(0)] = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7;
}

__kernel void copy(__global const float4 *from, __global float4 *to)
{
    to[get_global_id(0)] = from[get_global_id(0)];
}
