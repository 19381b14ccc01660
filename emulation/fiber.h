// SPDX-License-Identifier: MIT
// A fiber is a function with a stack of its own, which can stop in the middle and go on later.
#ifndef FIBER_H
#define FIBER_H

#include <cstddef>
#include <memory>

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
    // Has it used more stack than it has?
    bool overflowed() const
    {
        return stack[0] != CANARY;
    }
    // Only with ThreadSanitizer: a name for its reports.
    void set_name(const char *name);

    static const std::size_t stack_bytes;

  private:
    static const char CANARY = 0x5A; // at the far end of the stack
    static void run();

    std::unique_ptr<char[]> stack;
    context stopped;
    void (*function)();
    void *tsan_fiber, *asan_stack;
};
} // namespace emulation
#endif
