// SPDX-License-Identifier: MIT
// The group that is a block. Others are not emulated.
#ifndef COOPERATIVE_GROUPS_H
#define COOPERATIVE_GROUPS_H

namespace cooperative_groups
{
class thread_block
{
  public:
    static unsigned thread_rank()
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    static unsigned size()
    {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    static dim3 thread_index()
    {
        return threadIdx;
    }
    static dim3 group_index()
    {
        return blockIdx;
    }
    // Barriers that are macros are counted from 0 on.
    static void sync(emulation::place at = emulation::place::here())
    {
        emulation::barrier(at, -at.line, false);
    }
};

inline thread_block this_thread_block()
{
    return {};
}

inline void sync(const thread_block &, emulation::place at = emulation::place::here())
{
    thread_block::sync(at);
}
} // namespace cooperative_groups
#endif
