// SPDX-License-Identifier: MIT
// What the sanitizers have to be told. Their functions are null where the program is linked without
// them: these files are compiled without -fsanitize, and find out at run time which one there is.
#ifndef SANITIZERS_H
#define SANITIZERS_H

#include <cstddef>

extern "C" {
#define WEAK __attribute__((weak))
WEAK void *__tsan_get_current_fiber();
WEAK void *__tsan_create_fiber(unsigned flags);
WEAK void __tsan_switch_to_fiber(void *fiber, unsigned flags);
WEAK void __tsan_set_fiber_name(void *fiber, const char *name);
WEAK void __tsan_acquire(void *address);
WEAK void __tsan_release(void *address);
WEAK void __tsan_func_entry(const void *called_from);
WEAK void __tsan_func_exit();
WEAK void __tsan_read_range(const void *start, std::size_t bytes);
WEAK void __tsan_write_range(void *start, std::size_t bytes);
WEAK void __asan_loadN(const void *start, std::size_t bytes);
WEAK void __asan_storeN(void *start, std::size_t bytes);
WEAK void __sanitizer_start_switch_fiber(void **save, const void *bottom, std::size_t bytes);
WEAK void __sanitizer_finish_switch_fiber(void *saved, const void **bottom, std::size_t *bytes);
WEAK void __asan_poison_memory_region(const void *start, std::size_t bytes);
WEAK void *__asan_get_report_address();
WEAK void __ubsan_get_current_report_data(const char **kind, const char **message,
                                          const char **file, unsigned *line, unsigned *column,
                                          char **address);
WEAK void __asan_unpoison_memory_region(const void *start, std::size_t bytes);
#undef WEAK
}

namespace emulation
{
const bool tsan = __tsan_create_fiber != nullptr;
const bool asan = __asan_poison_memory_region != nullptr;

// AddressSanitizer: what touches forbidden memory is an error.
inline void forbid(const void *start, std::size_t bytes)
{
    if (asan)
        __asan_poison_memory_region(start, bytes);
}

inline void allow(const void *start, std::size_t bytes)
{
    if (asan)
        __asan_unpoison_memory_region(start, bytes);
}

// ThreadSanitizer: who acquires an address comes after everybody who has released it.
inline void release(void *address)
{
    if (tsan)
        __tsan_release(address);
}

inline void acquire(void *address)
{
    if (tsan)
        __tsan_acquire(address);
}
} // namespace emulation
#endif
