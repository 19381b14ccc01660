// SPDX-License-Identifier: MIT
// A kernel that touches memory that is not there, or divides by 0: which thread, and in which line.
#include "emulation.h"
#include "sanitizers.h"

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <mutex>
#include <ucontext.h>
#include <unistd.h>

namespace emulation
{
static struct {
    int signal; // 0: there was none
    const void *address;
    bool
        // the CPU tells none that cannot be, nor of a vector on a stack that is misaligned
        is_address;
    bool writes;
    std::uintptr_t instruction; // 0: nobody knows
    uint3 thread, block;
    place call; // the last in which the thread has waited for others
} crash;
static std::mutex first;

// Where the CPU was, and whether it wanted to write.
static void look_at(const void *context)
{
#if defined __x86_64__ && defined __linux__
    auto &registers = static_cast<const ucontext_t *>(context)->uc_mcontext.gregs;
    crash.instruction = std::uintptr_t(registers[REG_RIP]);
    crash.writes = registers[REG_ERR] & 2;
#else
    (void)context;
#endif
}

// The kernel has lost the device, as on a GPU; so has a wrong assert(), which has said so.
static void kernel_trapped(int signal_number, siginfo_t *info, void *context)
{
    if (!fiber::inside()) { // it was the host program: let it happen again, and end the program
        signal(signal_number, SIG_DFL);
        return;
    }
    const uint3 t = thread_index(), b = block_index();
    if (fiber::overflows_at(info->si_addr)) {
        fail("thread (%u,%u) of block (%u,%u) needs more than %zu KiB of stack: a function that "
             "calls itself, or large private arrays?",
             t.x, t.y, b.x, b.y, fiber::stack_bytes / 1024);
    } else {
        lost_at = info->si_addr;
        lost = signal_number == SIGFPE || signal_number == SIGILL ? cudaErrorLaunchFailure
               : signal_number == SIGABRT                         ? cudaErrorAssert
                                                                  : cudaErrorIllegalAddress;
        std::lock_guard<std::mutex> lock(first);
        if (crash.signal == 0 && signal_number != SIGABRT) {
            crash = {signal_number,    info->si_addr, info->si_code != SI_KERNEL, false, 0, t, b,
                     self->running->at};
            look_at(context);
        }
    }
    now.stop = true;
    release(&now.ended);
    fiber::suspend();
}

void catch_signals()
{
    struct sigaction action = {};
    action.sa_sigaction = kernel_trapped;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER; // it does not return
    sigaction(SIGABRT, &action, nullptr);
    if (!asan) // which says more
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
    for (const char *theirs : {"?", "/usr/", "/emulation/core/", "/emulation/copies/",
                               "/emulation/include/", "/emulation/tensor/"})
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
static void find_line(char *line, std::size_t bytes)
{
    char text[400];
    std::snprintf(text, sizeof text, "addr2line -ie /proc/%d/exe %#zx 2>/dev/null", int(getpid()),
                  std::size_t(crash.instruction - program_start()));
    bool is_ours = false;
    line[0] = '\0';
    std::FILE *said = crash.instruction != 0 ? popen(text, "r") : nullptr;
    while (said != nullptr && line[0] == '\0' && std::fgets(text, sizeof text, said) != nullptr) {
        text[std::strcspn(text, " \n")] = '\0';
        const char *slash = std::strrchr(text, '/');
        is_ours = is_ours || std::strstr(text, "/emulation/include/mma.h") != nullptr;
        if (is_of_user(text)) // of functions that are inlined, the one that is the kernel's
            std::snprintf(line, bytes, "%s: ", slash != nullptr ? slash + 1 : text);
    }
    // One of our functions, which all lanes have come to: it knows from where.
    if (line[0] == '\0' && is_ours && crash.call.file != nullptr)
        std::snprintf(line, bytes, "%s:%d: ", crash.call.file, crash.call.line);
    if (said != nullptr)
        pclose(said);
}

void report_crash()
{
    char line[512], there[128];
    if (crash.signal == 0)
        return;
    find_line(line, sizeof line);
    describe_address(crash.address, there, sizeof there);
    const uint3 t = crash.thread, b = crash.block;
    std::fprintf(stderr, "%sthread (%u,%u,%u) of block (%u,%u,%u) of %s ", line, t.x, t.y, t.z, b.x,
                 b.y, b.z, now.name);
    if (crash.signal == SIGFPE || crash.signal == SIGILL)
        std::fprintf(stderr, "%s (cudaErrorLaunchFailure)\n",
                     crash.signal == SIGFPE ? "divides by 0" : "comes to a __trap()");
    else if (!crash.is_address)
        std::fprintf(
            stderr,
            "reads or writes where no address is: is it misaligned, or made of a number that "
            "nobody wrote (0x7fa5a5a5)? (cudaErrorIllegalAddress)\n");
    else
        std::fprintf(stderr, "%s at %p, where there is no memory%s (cudaErrorIllegalAddress)\n",
                     crash.writes ? "writes" : "reads", crash.address, there);
    crash.signal = 0;
}
} // namespace emulation
