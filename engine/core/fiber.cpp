// SPDX-License-Identifier: MIT
// Changes stacks, and tells the sanitizers that it does.
#include "fiber.h"
#include "sanitizers.h"

#include <atomic>
#include <cstring>
#include <new>
#include <sys/mman.h>

// ---- contexts: emulation_switch() stops here and goes on there --------------------------------
#if defined __x86_64__ && defined __linux__ && !defined EMULATION_UCONTEXT
// swapcontext() does the same, but calls the operating system each time: 30 times as slow.
extern "C" void emulation_switch(context *here, const context *there);
__asm__(
    ".text\n"
    "emulation_switch:\n" // saves the registers that a function must leave as they were
    "    push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
    "    mov %rsp, (%rdi)\n"
    "    mov (%rsi), %rsp\n"
    "    pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
    "    pop %rcx\n" // not `ret`: the CPU expects it to go back to the call, and would lose time
    "    jmp *%rcx\n");

static void prepare(context *c, char *stack, size_t bytes, void (*start)())
{
    void **top = reinterpret_cast<void **>(stack + bytes / 16 * 16);
    memset(top - 8, 0, 8 * sizeof *top);
    top[-2] = reinterpret_cast<void *>(start); // where `jmp` goes to
    c->stack_pointer = top - 8;                // below it the six registers
}
#else
static void emulation_switch(context *here, const context *there)
{
    swapcontext(here, there);
}

static void prepare(context *c, char *stack, size_t bytes, void (*start)())
{
    getcontext(c);
    c->uc_stack.ss_sp = stack;
    c->uc_stack.ss_size = bytes;
    makecontext(c, start, 0);
}
#endif

// ---- fibers -----------------------------------------------------------------------------------
namespace emulation
{
const size_t fiber::stack_bytes = (tsan || asan ? 256 : 64) * 1024;

// Below each stack lies a guard that nobody can touch, wider than any frame (see compile): [guard |
// stack]. Linux allows 65530 mappings in a program, two a stack, and others need some: the stacks
// of the very many cores beyond that have no guard.
enum { GUARD_BYTES = 64 * 1024, PAGE_BYTES = 4096, MAX_GUARDS = 20000 };

static char *create_stack()
{
    static std::atomic<int> count;
    const int number = count++;
    const size_t bytes = GUARD_BYTES + fiber::stack_bytes + PAGE_BYTES;
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        throw std::bad_alloc();
    if (number < MAX_GUARDS)
        mprotect(memory, GUARD_BYTES, PROT_NONE);
    // Each three lines of the cache higher up in its page, so that their tops do not meet in one
    // set.
    return static_cast<char *>(memory) + GUARD_BYTES + number * 192 % PAGE_BYTES;
}

static const unsigned KEEP_UNORDERED = 1; // by itself, a switch orders nothing for ThreadSanitizer

// Where resume() was called: a thread of the operating system, on its own stack.
static thread_local struct {
    fiber *running;
    context stopped;
    void *tsan_fiber, *asan_stack;
    const void *stack_bottom;
    size_t stack_size;
} outside;

fiber::fiber()
    : stack(create_stack()), tsan_fiber(tsan ? __tsan_create_fiber(0) : nullptr),
      asan_stack(nullptr)
{
}

void fiber::start(void (*what)())
{
    function = what;
    prepare(&stopped, stack, stack_bytes, run);
}

void fiber::run() // the lowest function on every stack; it does not return
{
    if (asan)
        __sanitizer_finish_switch_fiber(nullptr, &outside.stack_bottom, &outside.stack_size);
    outside.running->function();
    suspend(true);
}

void fiber::resume()
{
    outside.running = this;
    if (asan)
        __sanitizer_start_switch_fiber(&outside.asan_stack, stack, stack_bytes);
    if (tsan) {
        outside.tsan_fiber = __tsan_get_current_fiber();
        __tsan_switch_to_fiber(tsan_fiber, KEEP_UNORDERED);
    }
    emulation_switch(&outside.stopped, &stopped);
    if (asan)
        __sanitizer_finish_switch_fiber(outside.asan_stack, nullptr, nullptr);
    outside.running = nullptr;
}

void fiber::suspend(bool for_ever)
{
    fiber *f = outside.running;
    if (asan)
        __sanitizer_start_switch_fiber(for_ever ? nullptr : &f->asan_stack, outside.stack_bottom,
                                       outside.stack_size);
    if (tsan)
        __tsan_switch_to_fiber(outside.tsan_fiber, KEEP_UNORDERED);
    emulation_switch(&f->stopped, &outside.stopped);
    if (asan)
        __sanitizer_finish_switch_fiber(f->asan_stack, &outside.stack_bottom, &outside.stack_size);
}

bool fiber::inside()
{
    return outside.running != nullptr;
}

bool fiber::overflows_at(const void *address)
{
    const char *a = static_cast<const char *>(address);
    return outside.running != nullptr && a < outside.running->stack &&
           a >= outside.running->stack - GUARD_BYTES - PAGE_BYTES;
}

bool fiber::owns(const void *address)
{
    const char *a = static_cast<const char *>(address);
    return outside.running != nullptr && a >= outside.running->stack &&
           a < outside.running->stack + stack_bytes;
}

void fiber::set_name(const char *name)
{
    __tsan_set_fiber_name(tsan_fiber, name);
}

void fiber::release(void *address)
{
    void *caller = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(tsan_fiber, KEEP_UNORDERED);
    __tsan_release(address);
    __tsan_switch_to_fiber(caller, KEEP_UNORDERED);
}
} // namespace emulation
