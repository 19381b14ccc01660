// SPDX-License-Identifier: MIT
// A kernel that touches memory that is not there, or divides by 0: which thread, and in which line.
// And one that computes with what nobody wrote, which goes on.
#include "emulation.h"
#include "sanitizers.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <mutex>
#include <set>
#include <string>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace emulation
{
struct call_stack { // the instruction, and the calls that led to it, the innermost first
    std::uintptr_t at[24];
    unsigned depth;
};

static struct {
    int signal; // 0: there was none
    const void *address;
    bool
        // the CPU tells none that cannot be, nor of a vector on a stack that is misaligned
        is_address;
    bool writes, overflows; // the stack
    const void *outside;    // what the compiler knows of an array, out_of_bounds below
    std::uintptr_t index;   // past its end
    uint3 thread, block;
    call_stack where;
} crash;
static std::mutex first;

// Did the CPU want to write?
static bool wants_to_write(const void *context)
{
#if defined __x86_64__ && defined __linux__
    return static_cast<const ucontext_t *>(context)->uc_mcontext.gregs[REG_ERR] & 2;
#else
    (void)context;
    return false;
#endif
}

static _Unwind_Reason_Code add_call(_Unwind_Context *caller, void *to)
{
    call_stack &s = *static_cast<call_stack *>(to);
    int is_exact = 0; // or it is the instruction after the call
    const std::uintptr_t at = _Unwind_GetIPInfo(caller, &is_exact);
    if (at == 0 || s.depth == sizeof s.at / sizeof *s.at)
        return _URC_END_OF_STACK;
    s.at[s.depth++] = at - !is_exact;
    return _URC_NO_REASON;
}

// Of who calls this; from a signal on, of who was interrupted.
static call_stack calls()
{
    call_stack s = {};
    _Unwind_Backtrace(add_call, &s);
    return s;
}

// As -fsanitize=bounds has it: the file and the line, and of the array its type by name.
struct out_of_bounds {
    const char *file;
    std::uint32_t line, column;
    const struct type {
        std::uint16_t kind, info;
        char name[64];
    } * array;
};
static thread_local const void *outside; // an array, in this thread
static thread_local std::uintptr_t outside_index;

// The kernel has lost the device, as on a GPU; so has a wrong assert(), which has said so.
static void kernel_trapped(int signal_number, siginfo_t *info, void *context)
{
    if (!fiber::inside()) { // it was the host program: let it happen again, and end the program
        signal(signal_number, SIG_DFL);
        return;
    }
    const uint3 t = __thread_index(), b = __block_index();
    lost_at = info->si_addr;
    lost = signal_number == SIGFPE || signal_number == SIGILL ? cudaErrorLaunchFailure
           : signal_number == SIGABRT                         ? cudaErrorAssert
                                                              : cudaErrorIllegalAddress;
    first.lock();
    if (crash.signal == 0 && signal_number != SIGABRT)
        crash = {signal_number,
                 info->si_addr,
                 info->si_code != SI_KERNEL,
                 wants_to_write(context),
                 fiber::overflows_at(info->si_addr),
                 outside,
                 outside_index,
                 t,
                 b,
                 calls()};
    first.unlock();
    now.stop = true;
    release(&now.ended);
    fiber::suspend();
}

// ---- computing with what nobody wrote, a signalling NaN ---------------------------------------
static call_stack computed[32]; // where kernels have
static unsigned places, told;
static struct sigaction of_sanitizer;
enum { STOPS = 1000 }; // of a launch, at 20 microseconds each
static std::atomic<int> stops_left(STOPS);

void trap_nan(bool trap)
{
#ifdef __SSE__
    if (asan)
        _mm_setcsr(trap ? _mm_getcsr() & ~_MM_MASK_INVALID : _mm_getcsr() | _MM_MASK_INVALID);
#else
    (void)trap;
#endif
}

// A right kernel may: it drops what comes of it. So it goes on, past this one instruction; after so
// many stops of all threads it is not stopped again before it has waited for others.
#if defined __x86_64__ && defined __linux__
enum { SINGLE_STEP = 0x100 }; // of the CPU's flags

static void nan_passed(int, siginfo_t *, void *context)
{
    mcontext_t &cpu = static_cast<ucontext_t *>(context)->uc_mcontext;
    cpu.gregs[REG_EFL] &= ~SINGLE_STEP;
    cpu.fpregs->mxcsr &= ~_MM_MASK_INVALID;
}

static void pass_nan(void *context)
{
    mcontext_t &cpu = static_cast<ucontext_t *>(context)->uc_mcontext;
    cpu.fpregs->mxcsr |= _MM_MASK_INVALID;
    if (stops_left-- > 0)
        cpu.gregs[REG_EFL] |= SINGLE_STEP;
}
#else
static void nan_passed(int, siginfo_t *, void *)
{
}

static void pass_nan(void *)
{
}
#endif

static void nan_trapped(int signal_number, siginfo_t *info, void *context)
{
    if (info->si_code != FPE_FLTINV) {
        of_sanitizer.sa_sigaction(signal_number, info, context);
        return;
    }
    pass_nan(context);
    const call_stack here = calls();
    std::lock_guard<std::mutex> lock(first);
    const bool is_known = std::any_of(computed, computed + places, [&](const call_stack &other) {
        return std::equal(here.at, here.at + here.depth, other.at);
    });
    if (!is_known && places < sizeof computed / sizeof *computed)
        computed[places++] = here;
}

void catch_signals()
{
    struct sigaction action = {};
    action.sa_sigaction = kernel_trapped;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER; // it does not return
    sigaction(SIGABRT, &action, nullptr);
    if (asan) { // which says more
        action.sa_sigaction = nan_trapped;
        sigaction(SIGFPE, &action, &of_sanitizer);
        action.sa_sigaction = nan_passed;
        sigaction(SIGTRAP, &action, nullptr);
    } else
        for (int signal_number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
            sigaction(signal_number, &action, nullptr);
}

// A fiber whose stack is full has none for kernel_trapped().
void use_signal_stack()
{
    static thread_local char stack[64 * 1024];
    stack_t other = {};
    other.ss_sp = stack;
    other.ss_size = sizeof stack;
    if (!asan)
        sigaltstack(&other, nullptr);
}

static int take_first_object(dl_phdr_info *info, std::size_t, void *moved_by)
{
    *static_cast<std::uintptr_t *>(moved_by) = info->dlpi_addr;
    return 1;
}

static bool is_of_user(const char *path)
{
    for (const char *theirs : {"?", "/usr/", "/engine/core/", "/engine/opencl/",
                               "/engine/cuda/include/", "/engine/cuda/tensor/"})
        if (std::strstr(path, theirs) != nullptr)
            return false;
    return true;
}

std::uintptr_t program_start()
{
    std::uintptr_t moved_by = 0;
    dl_iterate_phdr(take_first_object, &moved_by);
    return moved_by;
}

// "kernel.cu:24: ", by addr2line where there is one; or nothing.
static std::string line_of(const call_stack &where)
{
    char text[400];
    std::string command = "addr2line -ie /proc/" + std::to_string(getpid()) + "/exe", line;
    for (unsigned i = 0; i < where.depth; i++) {
        std::snprintf(text, sizeof text, " %#zx", std::size_t(where.at[i] - program_start()));
        command += text;
    }
    std::FILE *said = popen((command + " 2>/dev/null").c_str(), "r");
    while (said != nullptr && line.empty() && std::fgets(text, sizeof text, said) != nullptr) {
        text[std::strcspn(text, "\n")] = '\0';
        if (char *more = std::strstr(text, " (discriminator"))
            *more = '\0';
        const char *slash = std::strrchr(text, '/');
        if (is_of_user(text)) // the innermost, of functions that are inlined, too
            line = std::string(slash != nullptr ? slash + 1 : text) + ": ";
    }
    if (said != nullptr)
        pclose(said);
    return line;
}

void report_crash()
{
    char there[128];
    if (crash.signal == 0)
        return;
    describe_address(crash.address, there, sizeof there);
    const uint3 t = crash.thread, b = crash.block;
    const auto *check = static_cast<const out_of_bounds *>(crash.outside);
    const std::string line =
        check == nullptr ? line_of(crash.where)
                         : std::string(check->file) + ":" + std::to_string(check->line) + ": ";
    if (crash.overflows)
        exit_with(
            1,
            "%sstack overflow: %s (%u,%u) of %s (%u,%u) needs more than %zu KiB of stack: does "
            "a function call itself, or are private arrays large?",
            line.c_str(), spoken.thread, t.x, t.y, spoken.block, b.x, b.y,
            fiber::stack_bytes / 1024);
    std::fprintf(stderr, "%s%s (%u,%u,%u) of %s (%u,%u,%u) of %s ", line.c_str(), spoken.thread,
                 t.x, t.y, t.z, spoken.block, b.x, b.y, b.z, now.name);
    if (check != nullptr)
        std::fprintf(stderr, "uses index %td of an array %s%s\n",
                     static_cast<std::ptrdiff_t>(crash.index), check->array->name, spoken.failed);
    else if (crash.signal == SIGFPE || crash.signal == SIGILL)
        std::fprintf(stderr, "%s%s\n",
                     crash.signal == SIGFPE ? "divides by 0" : "comes to a __trap()",
                     spoken.failed);
    else if (!crash.is_address)
        std::fprintf(stderr,
                     "reads or writes where no address is: is it misaligned, or made of a number "
                     "that nobody wrote (0x7fa5a5a5)?%s\n",
                     spoken.illegal);
    else
        std::fprintf(stderr, "%s at %p, where there is no memory%s%s\n",
                     crash.writes ? "writes" : "reads", crash.address, there, spoken.illegal);
    crash.signal = 0;
}

void report_computed()
{
    static auto &lines = *new std::set<std::string>; // never destroyed: no leak
    for (; told < places; told++) {
        const std::string line = line_of(computed[told]);
        if (lines.insert(line).second)
            std::fprintf(stderr,
                         "%s%s computes with memory that nobody wrote, or with another NaN: it is "
                         "wrong if its result depends on that\n",
                         line.c_str(), now.name);
    }
    stops_left = STOPS;
}
} // namespace emulation

// What a kernel calls that the compiler checks: make/emulation.mk gives it this name.
extern "C" [[noreturn]] void emulation_out_of_bounds(const void *check, std::uintptr_t index)
{
    emulation::outside = check;
    emulation::outside_index = index;
    __builtin_trap();
}
