// SPDX-License-Identifier: MIT
// Copies of a group from global to shared memory, which have come once all of it have waited.
#ifndef COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"
#include "../cuda_pipeline.h"

namespace cooperative_groups
{
// `bytes` of `from`, the same in all threads of the group, each of which copies some elements.
// Those of other than 4, 8 or 16 bytes a device copies, too, only not asynchronously.
template <class Group, class T>
__attribute__((always_inline)) inline void
memcpy_async(const Group &group, T *to, const T *from, std::size_t bytes,
             emulation::place at = emulation::place::here())
{
    for (std::size_t i = group.thread_rank(); i < bytes / sizeof(T); i += group.size())
        if constexpr (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16)
            __pipeline_memcpy_async(&to[i], &from[i], sizeof(T), 0, at);
        else
            to[i] = from[i];
    __pipeline_commit();
}

// All but the last `But` copies of the group have come.
template <unsigned But, class Group>
__attribute__((always_inline)) inline void
wait_prior(const Group &group, emulation::place at = emulation::place::here())
{
    __pipeline_wait_prior(But);
    group.sync(at);
}

template <class Group>
__attribute__((always_inline)) inline void wait(const Group &group,
                                                emulation::place at = emulation::place::here())
{
    wait_prior<0>(group, at);
}
} // namespace cooperative_groups
#endif
