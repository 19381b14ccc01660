// SPDX-License-Identifier: MIT
// Atomics and fences. They are atomic here as well: several cores run blocks at the same time, and
// to ThreadSanitizer an atomic access and another one to the same place are a race.
#ifndef ATOMICS_H
#define ATOMICS_H

#include <type_traits>

namespace emulation
{
// Before an atomic: now and then other threads come first, also those of another block.
void before_atomic(void *address);
void after_atomic(void *address);
void fence();

template <class T, class... Allowed>
constexpr bool is_one_of = (std::is_same<T, Allowed>::value || ...);

// On a device an atomic orders nothing else; before_atomic() does, where the thread has called a
// fence.
template <class T, class F> T update(T *p, F change)
{
    T before, after;
    before_atomic(p);
    __atomic_load(p, &before, __ATOMIC_RELAXED);
    do
        after = change(before);
    while (
        !__atomic_compare_exchange(p, &before, &after, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
    after_atomic(p);
    return before;
}

// What an atomicCAS then compares.
template <class T> T __first_read(const T &from)
{
    T x;
    __atomic_load(&from, &x, __ATOMIC_RELAXED);
    return x;
}
} // namespace emulation

// The function `name` for the types that CUDA has it for. `now` is what is there, `x` the argument.
#define EMULATION_ATOMIC(name, result, ...)                                                        \
    template <class T> T name(T *p, typename std::enable_if<true, T>::type x)                      \
    {                                                                                              \
        static_assert(emulation::is_one_of<T, __VA_ARGS__>, #name                                  \
                      " of this type needs nvcc, if there is one: here it has " #__VA_ARGS__);     \
        return emulation::update(p, [x](T now) -> T { return result; });                           \
    }
EMULATION_ATOMIC(atomicAdd, now + x, int, unsigned, unsigned long long, float, double)
EMULATION_ATOMIC(atomicSub, now - x, int, unsigned)
EMULATION_ATOMIC(atomicExch, (void(now), x), int, unsigned, unsigned long long, float)
EMULATION_ATOMIC(atomicMin, x < now ? x : now, int, unsigned, long long, unsigned long long)
EMULATION_ATOMIC(atomicMax, now < x ? x : now, int, unsigned, long long, unsigned long long)
EMULATION_ATOMIC(atomicAnd, now &x, int, unsigned, unsigned long long)
EMULATION_ATOMIC(atomicOr, now | x, int, unsigned, unsigned long long)
EMULATION_ATOMIC(atomicXor, now ^ x, int, unsigned, unsigned long long)
EMULATION_ATOMIC(atomicInc, now >= x ? 0 : now + 1, unsigned)
EMULATION_ATOMIC(atomicDec, now == 0 || now > x ? x : now - 1, unsigned)
#undef EMULATION_ATOMIC

template <class T>
T atomicCAS(T *p, typename std::enable_if<true, T>::type expected,
            typename std::enable_if<true, T>::type x)
{
    static_assert(emulation::is_one_of<T, int, unsigned, unsigned long long>,
                  "atomicCAS of this type needs nvcc");
    return emulation::update(p, [=](T now) { return now == expected ? x : now; });
}

template <class T>
T atomicCAS_block(T *p, typename std::enable_if<true, T>::type expected,
                  typename std::enable_if<true, T>::type x)
{
    return atomicCAS(p, expected, x);
}

template <class T>
T atomicCAS_system(T *p, typename std::enable_if<true, T>::type expected,
                   typename std::enable_if<true, T>::type x)
{
    return atomicCAS(p, expected, x);
}

inline void __threadfence()
{
    emulation::fence();
}

inline void __threadfence_block()
{
    emulation::fence();
}

inline void __threadfence_system()
{
    emulation::fence();
}

// Of a block's threads alone, and of the host's as well: an atomic is one for all.
#define EMULATION_SCOPES(name)                                                                     \
    template <class T> T name##_block(T *p, typename std::enable_if<true, T>::type x)              \
    {                                                                                              \
        return name(p, x);                                                                         \
    }                                                                                              \
    template <class T> T name##_system(T *p, typename std::enable_if<true, T>::type x)             \
    {                                                                                              \
        return name(p, x);                                                                         \
    }
EMULATION_SCOPES(atomicAdd)
EMULATION_SCOPES(atomicMin)
EMULATION_SCOPES(atomicMax)
EMULATION_SCOPES(atomicExch)
EMULATION_SCOPES(atomicAnd)
EMULATION_SCOPES(atomicOr)
EMULATION_SCOPES(atomicXor)
EMULATION_SCOPES(atomicInc)
EMULATION_SCOPES(atomicDec)
#undef EMULATION_SCOPES
#endif
