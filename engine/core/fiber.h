// SPDX-License-Identifier: MIT
// A fiber is a function with a stack of its own, which can stop in the middle and go on later.
#ifndef FIBER_H
#define FIBER_H

#include <cstddef>

#if defined __x86_64__ && defined __linux__ && !defined EMULATION_UCONTEXT
struct context { // where a function stopped
    void *stack_pointer;
};
#else
#include <ucontext.h>
typedef ucontext_t context;
#endif

namespace emulation
{
class fiber
{
  public:
    fiber();
    // The next resume() calls this function; what the fiber did before is forgotten.
    void start(void (*what)());
    // Runs it until it suspends itself or its function returns.
    void resume();
    // Back to where the fiber that calls this was resumed.
    static void suspend(bool for_ever = false);
    // Is this called in a fiber?
    static bool inside();
    // Is this an address just past the end of the stack of the fiber that calls this?
    static bool overflows_at(const void *address);
    // Has the fiber that calls this its variables there?
    static bool owns(const void *address);
    // Only with ThreadSanitizer: a name for its reports.
    void set_name(const char *name);
    // The same, of one that will not go on: what it did is before what acquires this address.
    void release(void *address);

    static const std::size_t stack_bytes;

  private:
    static void run();

    char *stack; // never freed
    context stopped;
    void (*function)();
    void *tsan_fiber, *asan_stack;
};
} // namespace emulation
#endif
