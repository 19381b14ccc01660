// SPDX-License-Identifier: MIT
// The compiler, with -fsanitize=alignment, calls this where an address is no multiple of what its
// type wants. That is an error of a GPU's memory; a thread's own variables are where a compiler
// likes, and no pointer to them is an error. UndefinedBehaviorSanitizer's library has the same
// function, for other mistakes as well: `compile` gives ours another name there, and calls it
// first.
#ifndef ALIGNMENT_H
#define ALIGNMENT_H

#include "../cuda/include/cuda_runtime.h"

namespace emulation
{
struct type_mismatch {
    const char *file;
    unsigned line, column;
    const void *type;
    unsigned char log_alignment, kind;
};
// Is this where the thread that runs has its variables?
bool is_private(const void *address);
} // namespace emulation

extern "C" {
void __ubsan_handle_type_mismatch_v1_abort(void *what, void *address) __attribute__((weak));

#ifdef EMULATION_SANITIZED
__attribute__((weak)) void emulation_type_mismatch(void *what, void *address)
{
    if (!emulation::is_private(address))
        __ubsan_handle_type_mismatch_v1_abort(what, address);
}
#else
__attribute__((weak)) void __ubsan_handle_type_mismatch_v1(void *what, void *address)
{
    auto w = static_cast<const emulation::type_mismatch *>(what);
    if (!emulation::is_private(address))
        emulation::misaligned({w->file, int(w->line)}, std::size_t(1) << w->log_alignment);
}
#endif
}
#endif
