// SPDX-License-Identifier: MIT
// The compiler, with -fsanitize=alignment, calls this where an address is no multiple of what its type
// wants. UndefinedBehaviorSanitizer's library has it as well: compile includes this where that one is not
// linked.
#ifndef ALIGNMENT_H
#define ALIGNMENT_H

#include "../include/cuda_runtime.h"

namespace emulation
{
struct type_mismatch {
    const char *file;
    unsigned line, column;
    const void *type;
    unsigned char log_alignment, kind;
};
} // namespace emulation

extern "C" __attribute__((weak, noreturn)) void __ubsan_handle_type_mismatch_v1_abort(void *what,
                                                                                      void *)
{
    auto w = static_cast<const emulation::type_mismatch *>(what);
    emulation::misaligned({w->file, int(w->line)}, std::size_t(1) << w->log_alignment);
}
#endif
