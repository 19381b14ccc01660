// SPDX-License-Identifier: MIT
// Groups of threads: the block, and parts of a warp, by the calls of warp.h. A grid that waits for
// itself is not emulated.
#ifndef COOPERATIVE_GROUPS_H
#define COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

namespace cooperative_groups
{
// A block, or the lanes of a warp that are in a mask: as many as a power of two, side by side.
class thread_group
{
  public:
    thread_group(unsigned lanes) : count(lanes)
    {
    }
    unsigned size() const
    {
        return count <= 32 ? count : blockDim.x * blockDim.y * blockDim.z;
    }
    unsigned num_threads() const
    {
        return size();
    }
    unsigned thread_rank() const
    {
        const unsigned rank = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
        return count <= 32 ? rank % count : rank;
    }
    // Barriers that are macros are counted from 0 on.
    void sync(emulation::place at = emulation::place::here()) const
    {
        if (count <= 32)
            __syncwarp(mask(), at);
        else
            emulation::barrier(at, -at.line, false);
    }

  protected:
    unsigned mask() const
    {
        return (count == 32 ? ~0u : (1u << count) - 1) << emulation::lane() / count * count;
    }
    unsigned count; // more than 32: the block
};

class thread_block : public thread_group
{
  public:
    thread_block() : thread_group(~0u)
    {
    }
    static dim3 thread_index()
    {
        return threadIdx;
    }
    static dim3 group_index()
    {
        return blockIdx;
    }
    static dim3 group_dim()
    {
        return blockDim;
    }
    static dim3 dim_threads()
    {
        return blockDim;
    }
};

inline thread_block this_thread_block()
{
    return {};
}

template <unsigned Size, class Parent = thread_block> class thread_block_tile : public thread_group
{
    static_assert(Size <= 32 && (Size & (Size - 1)) == 0 && Size > 0,
                  "a tile of more than 32 threads is not emulated: it needs nvcc and a GPU");
    typedef emulation::place place;

  public:
    thread_block_tile() : thread_group(Size)
    {
    }
    static constexpr unsigned size()
    {
        return Size;
    }
    static constexpr unsigned num_threads()
    {
        return Size;
    }
    static unsigned meta_group_rank()
    {
        return thread_block().thread_rank() / Size;
    }
    static unsigned meta_group_size()
    {
        return (thread_block().size() - 1) / Size + 1;
    }
    template <class T> T shfl(T value, int source, place at = place::here()) const
    {
        return __shfl_sync(mask(), value, source, Size, at);
    }
    template <class T> T shfl_up(T value, unsigned delta, place at = place::here()) const
    {
        return __shfl_up_sync(mask(), value, delta, Size, at);
    }
    template <class T> T shfl_down(T value, unsigned delta, place at = place::here()) const
    {
        return __shfl_down_sync(mask(), value, delta, Size, at);
    }
    template <class T> T shfl_xor(T value, unsigned lanes, place at = place::here()) const
    {
        return __shfl_xor_sync(mask(), value, int(lanes), Size, at);
    }
    int any(int vote, place at = place::here()) const
    {
        return __any_sync(mask(), vote, at);
    }
    int all(int vote, place at = place::here()) const
    {
        return __all_sync(mask(), vote, at);
    }
    unsigned ballot(int vote, place at = place::here()) const
    {
        return __ballot_sync(mask(), vote, at) >> emulation::lane() / Size * Size &
               (Size == 32 ? ~0u : (1u << Size % 32) - 1);
    }
};

template <unsigned Size, class Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
    return {};
}

// Of a size that is known when it runs: threads of a warp.
inline thread_group tiled_partition(const thread_group &, unsigned size,
                                    emulation::place at = emulation::place::here())
{
    if (size == 0 || size > 32 || (size & (size - 1)) != 0)
        emulation::refuse(at, "a tile of more than 32 threads");
    return {size};
}

template <class Group> void sync(const Group &group, emulation::place at = emulation::place::here())
{
    group.sync(at);
}

// ---- reductions -------------------------------------------------------------------------------
#define EMULATION_OPERATION(name, value)                                                           \
    template <class T> struct name {                                                               \
        T operator()(T a, T b) const                                                               \
        {                                                                                          \
            return value;                                                                          \
        }                                                                                          \
    };
EMULATION_OPERATION(plus, a + b)
EMULATION_OPERATION(less, b < a ? b : a)
EMULATION_OPERATION(greater, a < b ? b : a)
EMULATION_OPERATION(bit_and, a &b)
EMULATION_OPERATION(bit_or, a | b)
EMULATION_OPERATION(bit_xor, a ^ b)
#undef EMULATION_OPERATION

template <unsigned Size, class Parent, class T, class Operation>
T reduce(const thread_block_tile<Size, Parent> &tile, T value, Operation operation,
         emulation::place at = emulation::place::here())
{
    for (unsigned lanes = Size / 2; lanes > 0; lanes /= 2)
        value = operation(value, tile.shfl_xor(value, lanes, at));
    return value;
}

// ---- a grid -----------------------------------------------------------------------------------
class grid_group
{
  public:
    // Its blocks would have to run at the same time.
    __attribute__((
        error("a grid that waits for itself is not emulated: it needs nvcc and a GPU"))) void
    sync() const;
    unsigned long long size() const
    {
        return 1ull * gridDim.x * gridDim.y * gridDim.z * thread_block().size();
    }
    unsigned long long thread_rank() const
    {
        const unsigned long long block =
            (blockIdx.z * 1ull * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        return block * thread_block().size() + thread_block().thread_rank();
    }
};

inline grid_group this_grid()
{
    return {};
}
} // namespace cooperative_groups
#endif
