// SPDX-License-Identifier: MIT
// What the 32 threads of a warp, its lanes, do together: they wait for those that a mask names.
#ifndef WARP_H
#define WARP_H

#include <cstring>

enum { warpSize = 32 };

namespace emulation
{
unsigned lane();
// The lanes in the mask meet in a call. Each says yes or no and gives a value; each gets the votes
// of all, and the value of the lane `source`, or a NaN where that one is not there. What takes all
// 32 lanes at once is done by the last that comes.
struct given {
    bool vote;
    unsigned source;
    unsigned long long value;
    void *part = nullptr;                              // of this lane
    void (*together)(void *const lanes[32]) = nullptr; // what is done with the parts of all
};
struct received {
    unsigned votes;
    unsigned long long value;
};
received meet(const char *call, unsigned mask, given mine, place at);

// Has a shuffle values of this type? Those of 16 bits say so themselves: see narrow.h.
template <class T> constexpr bool is_shuffled = std::is_arithmetic<T>::value;

// What C++ makes of the smaller types where they are used.
template <class T> auto shuffle(const char *call, unsigned mask, T small, unsigned source, place at)
{
    static_assert(is_shuffled<T> && sizeof(T) <= 8, "there is no shuffle of this type in CUDA");
    typedef std::conditional_t<std::is_arithmetic<T>::value && sizeof(T) < 4, int, T> type;
    type value = small;
    given mine = {false, source, 0, nullptr, nullptr};
    memcpy(&mine.value, &value, sizeof value);
    received theirs = meet(call, mask, mine, at);
    memcpy(&value, &theirs.value, sizeof value);
    return value;
}
} // namespace emulation

// A warp may be taken as groups of `width` lanes, a power of two. Who would reach over the end of
// its group gets its own value.
template <class T>
auto __shfl_sync(unsigned mask, T value, int source, int width = 32,
                 emulation::place at = emulation::place::here())
{
    const unsigned inner = unsigned(width) - 1;
    return emulation::shuffle("__shfl_sync", mask, value,
                              (emulation::lane() & ~inner) | (unsigned(source) & inner), at);
}

template <class T>
auto __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                    emulation::place at = emulation::place::here())
{
    const unsigned lane = emulation::lane(), inner = unsigned(width) - 1;
    return emulation::shuffle("__shfl_up_sync", mask, value,
                              (lane & inner) < delta ? lane : lane - delta, at);
}

template <class T>
auto __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                      emulation::place at = emulation::place::here())
{
    const unsigned lane = emulation::lane(), inner = unsigned(width) - 1;
    return emulation::shuffle("__shfl_down_sync", mask, value,
                              (lane & inner) + delta > inner ? lane : lane + delta, at);
}

template <class T>
auto __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32,
                     emulation::place at = emulation::place::here())
{
    const unsigned lane = emulation::lane(), inner = unsigned(width) - 1;
    const unsigned source = lane ^ unsigned(lanes);
    return emulation::shuffle("__shfl_xor_sync", mask, value,
                              source > (lane | inner) ? lane : source, at);
}

inline unsigned __ballot_sync(unsigned mask, int vote,
                              emulation::place at = emulation::place::here())
{
    return emulation::meet("__ballot_sync", mask,
                           {vote != 0, emulation::lane(), 0, nullptr, nullptr}, at)
        .votes;
}

inline int __any_sync(unsigned mask, int vote, emulation::place at = emulation::place::here())
{
    return emulation::meet("__any_sync", mask, {vote != 0, emulation::lane(), 0, nullptr, nullptr},
                           at)
               .votes != 0;
}

inline int __all_sync(unsigned mask, int vote, emulation::place at = emulation::place::here())
{
    return emulation::meet("__all_sync", mask, {vote == 0, emulation::lane(), 0, nullptr, nullptr},
                           at)
               .votes == 0;
}

inline void __syncwarp(unsigned mask = ~0u, emulation::place at = emulation::place::here())
{
    emulation::meet("__syncwarp", mask, {false, emulation::lane(), 0, nullptr, nullptr}, at);
}
#endif
