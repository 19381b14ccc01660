// SPDX-License-Identifier: MIT
// What a sanitizer's report does not say.
#include "emulation.h"
#include "sanitizers.h"

#include <cstdio>
#include <cstring>

using namespace emulation;

// Which kind of memory an address is in, or near.
static const char *memory_of(const void *address)
{
    return self->running->home->is_near(address) ? spoken.shared
           : fiber::owns(address)                ? spoken.own
                                                 : spoken.global;
}

// AddressSanitizer calls this before it reports.
extern "C" void __asan_on_error()
{
    if (fiber::inside() && spoken.global != nullptr)
        fprintf(stderr, "engine: the address is in %s memory\n",
                memory_of(__asan_get_report_address()));
    const place *at =
        fiber::inside() ? self->running->home->find_copy(__asan_get_report_address()) : nullptr;
    if (at != nullptr)
        fprintf(stderr,
                "%s:%d: asynchronous copy: on its way to where the kernel reads or writes\n",
                at->file, at->line);
}

// And so does UndefinedBehaviorSanitizer.
extern "C" void __ubsan_on_report()
{
    const char *kind, *message, *file;
    unsigned line, column;
    char *address;
    if (__ubsan_get_current_report_data == nullptr)
        return;
    __ubsan_get_current_report_data(&kind, &message, &file, &line, &column, &address);
    for (const char *number : {"2141562277", "7fa5a5a5", "2146805157", "7ff5a5a5"})
        if (strstr(message, number) != nullptr)
            fprintf(stderr, "%s:%u: %s is what memory holds here that nobody wrote\n", file, line,
                    number);
}

// ThreadSanitizer waits a second at the end for reports of other threads, and there are none.
extern "C" const char *__tsan_default_options()
{
    return "atexit_sleep_ms=0";
}
