// SPDX-License-Identifier: MIT
// Groups of threads: the block, parts of a warp, by the calls of warp.h, and several warps. A grid
// that waits for itself is not emulated.
#ifndef COOPERATIVE_GROUPS_H
#define COOPERATIVE_GROUPS_H

#include "../../core/copies.h"
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
            emulation::__barrier(at, -at.line, false);
    }

  protected:
    unsigned mask() const
    {
        return (count == 32 ? ~0u : (1u << count) - 1) << emulation::lane() / count * count;
    }
    unsigned count; // more than 32: the block
};

// Tiles of several warps have this in shared memory: where the threads of each wait for each other
// (of all that there are of 64 threads, of 128 and so on up to 1024), and a value of each warp.
struct memory_of_tiles {
    emulation::barrier_state barriers[32];
    unsigned long long values[32][4];
};
template <unsigned Threads = 1024> struct block_tile_memory : memory_of_tiles {
};

class thread_block : public thread_group
{
  public:
    explicit thread_block(memory_of_tiles *m = nullptr) : thread_group(~0u), memory(m)
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
    memory_of_tiles *memory;
};

inline thread_block this_thread_block()
{
    return thread_block();
}

template <unsigned Threads> thread_block this_thread_block(block_tile_memory<Threads> &memory)
{
    return thread_block(&memory);
}

// What a tile's shuffles take: any plain data of 32 bytes and fewer. Eight of them go at a time.
template <class T, class F> T shuffle_in_words(T value, F shuffle)
{
    static_assert(std::is_trivially_copyable<T>::value && sizeof value <= 32,
                  "a shuffle takes plain data of no more than 32 bytes");
    unsigned long long words[(sizeof value + 7) / 8] = {};
    memcpy(words, &value, sizeof value);
    for (auto &word : words)
        word = shuffle(word);
    memcpy(static_cast<void *>(&value), words, sizeof value);
    return value;
}

template <unsigned Size> class tile_in_warp : public thread_group
{
    typedef emulation::place place;

  public:
    template <class Parent> explicit tile_in_warp(const Parent &) : thread_group(Size)
    {
    }
    template <class T> T shfl(T value, int source, place at = place::here()) const
    {
        return shuffle_in_words(value, [&](unsigned long long word) {
            return __shfl_sync(mask(), word, source, Size, at);
        });
    }
    template <class T> T shfl_up(T value, unsigned delta, place at = place::here()) const
    {
        return shuffle_in_words(value, [&](unsigned long long word) {
            return __shfl_up_sync(mask(), word, delta, Size, at);
        });
    }
    template <class T> T shfl_down(T value, unsigned delta, place at = place::here()) const
    {
        return shuffle_in_words(value, [&](unsigned long long word) {
            return __shfl_down_sync(mask(), word, delta, Size, at);
        });
    }
    template <class T> T shfl_xor(T value, unsigned lanes, place at = place::here()) const
    {
        return shuffle_in_words(value, [&](unsigned long long word) {
            return __shfl_xor_sync(mask(), word, int(lanes), Size, at);
        });
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
    template <class T, class Operation> T reduce(T value, Operation operation, place at) const
    {
        for (unsigned lanes = Size / 2; lanes > 0; lanes /= 2)
            value = operation(value, shfl_xor(value, lanes, at));
        return value;
    }
};

template <unsigned Size> class tile_of_warps
{
    typedef emulation::place place;

  public:
    explicit tile_of_warps(const thread_block &block) : memory(block.memory)
    {
        if (block.thread_rank() % Size == 0)
            *barrier() = {Size, 0, 0, {}};
    }
    static unsigned thread_rank()
    {
        return thread_block().thread_rank() % Size;
    }
    void sync(place at = place::here()) const
    {
        const unsigned phase = barrier()->phase;
        if (emulation::is_last_to_arrive(barrier(), at))
            emulation::end_phase(barrier());
        emulation::wait_for_phase(barrier(), phase, at);
    }
    template <class T, class Operation> T reduce(T value, Operation operation, place at) const
    {
        static_assert(sizeof value <= sizeof *memory->values, "a reduction takes 32 bytes at most");
        const unsigned warp = thread_block().thread_rank() / 32,
                       first = warp / (Size / 32) * (Size / 32);
        value = tile_in_warp<32>(thread_block()).reduce(value, operation, at);
        if (emulation::lane() == 0)
            memcpy(memory->values[warp], &value, sizeof value);
        sync(at);
        memcpy(&value, memory->values[first], sizeof value);
        for (unsigned w = first + 1; w < first + Size / 32; w++) {
            T other;
            memcpy(&other, memory->values[w], sizeof other);
            value = operation(value, other);
        }
        sync(at);
        return value;
    }

  private:
    emulation::barrier_state *barrier() const
    {
        return &memory->barriers[1024 / Size + thread_block().thread_rank() / Size];
    }
    memory_of_tiles *memory;
};

template <unsigned Size, class Parent = thread_block>
class thread_block_tile
    : public std::conditional_t<(Size <= 32), tile_in_warp<Size>, tile_of_warps<Size>>
{
    static_assert(Size <= 1024 && (Size & (Size - 1)) == 0 && Size > 0,
                  "a tile has a power of 2 of threads, 1024 at most");

  public:
    explicit thread_block_tile(const Parent &parent)
        : std::conditional_t<(Size <= 32), tile_in_warp<Size>, tile_of_warps<Size>>(parent)
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
};

// All threads of the block come to this where a tile has several warps.
template <unsigned Size, class Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent &parent,
                                                emulation::place at = emulation::place::here())
{
    if constexpr (Size > 32)
        if (parent.memory == nullptr)
            emulation::refuse(at, "a tile of more than 32 threads without a block_tile_memory");
    const thread_block_tile<Size, Parent> tile(parent);
    if constexpr (Size > 32)
        emulation::__barrier(at, -at.line, false);
    return tile;
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
    return tile.reduce(value, operation, at);
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
