// SPDX-License-Identifier: MIT
// Kernels with arguments of each kind, one file with several kernels: arguments.c launches them.
typedef struct {
    int a;
    float b;
} small;
typedef struct {
    int a;
    float b[5];
    long c;
} large;

__kernel void values(char c, ushort s, double d, float4 v, float8 w, small t, large u,
                     __global float *out)
{
    out[0] = c;
    out[1] = s;
    out[2] = d;
    out[3] = v.x + 10 * v.w;
    out[4] = w.s0 + 10 * w.s7;
    out[5] = t.a + 10 * t.b;
    out[6] = u.a + 10 * u.b[4] + 100 * u.c;
}

// Each group reverses its part, by way of memory that the host sizes.
__kernel void reversed(__local float *tile, __constant float *in, __global float *out)
{
    const int x = get_local_id(0), last = get_local_size(0) - 1;
    tile[x] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[last - x];
}

__kernel void places(__global int *out)
{
    const size_t x = get_global_id(0) - get_global_offset(0);
    const size_t at = x + get_global_size(0) * (get_global_id(1) - get_global_offset(1));
    out[at] = get_global_id(0) + 100 * get_global_id(1) + 10000 * get_work_dim() +
              100000 * get_num_groups(1) * get_local_size(1);
}

__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void required(__global int *out)
{
    out[get_global_id(0) + get_global_size(0) * get_global_id(1)] =
        get_local_size(0) + 10 * get_local_size(1);
}
