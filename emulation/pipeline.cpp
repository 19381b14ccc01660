// SPDX-License-Identifier: MIT
// Copies that are on their way from global to shared memory: of each thread its own.
#include "emulation.h"
#include "sanitizers.h"

#include <cstdio>

namespace emulation
{
// AddressSanitizer: nobody may touch what a copy is to come to. It keeps books of eight bytes each; four of
// them are a NaN alone.
static bool is_kept(const copy &c)
{
    return c.words > 1;
}

void check_copy(const void *to, const void *from, std::size_t bytes, std::size_t zeros, place at)
{
    const block *here = self->running->home;
    if (bytes != 4 && bytes != 8 && bytes != 16)
        fail("%s:%d: asynchronous copy: of %zu bytes, where a device copies 4, 8 or 16", at.file,
             at.line, bytes);
    else if (zeros > bytes)
        fail("%s:%d: asynchronous copy: of %zu bytes, and %zu of them zeros", at.file, at.line,
             bytes, zeros);
    else if (!here->is_shared(to, bytes))
        fail("%s:%d: asynchronous copy: to what is no shared memory of this block", at.file,
             at.line);
    else if (here->is_shared(from, bytes))
        fail("%s:%d: asynchronous copy: from shared memory, where a device copies from global "
             "memory",
             at.file, at.line);
    else if (reinterpret_cast<std::uintptr_t>(to) % bytes != 0 ||
             reinterpret_cast<std::uintptr_t>(from) % bytes != 0)
        misaligned(at, bytes);
    else
        return;
    fiber::suspend();
}

void begin_copy(const copy &c)
{
    thread *t = self->running;
    t->copies.push_back({c, t->batches});
    if (is_kept(c))
        forbid(c.to, c.words * sizeof(word));
}

void end_batch()
{
    self->running->batches++;
}

// Who has begun a copy to this address that has not come?
const copy *block::find_copy(const void *address) const
{
    for (const thread *t : threads)
        if (t != nullptr && t->home == this)
            for (const auto &c : t->copies) {
                const char *to = reinterpret_cast<const char *>(c.what.to);
                if (address >= to && address < to + c.what.words * sizeof(word))
                    return &c.what;
            }
    return nullptr;
}

bool take_copy(std::size_t but, copy *c)
{
    thread *t = self->running;
    if (t->copies.empty() || t->copies.front().batch + but >= t->batches)
        return false;
    *c = t->copies.front().what;
    t->copies.erase(t->copies.begin());
    if (is_kept(*c))
        allow(c->to, c->words * sizeof(word));
    return true;
}
} // namespace emulation

// AddressSanitizer calls this before it reports.
extern "C" void __asan_on_error()
{
    using namespace emulation;
    const copy *c =
        fiber::inside() ? self->running->home->find_copy(__asan_get_report_address()) : nullptr;
    if (c != nullptr)
        fprintf(stderr,
                "%s:%d: asynchronous copy: on its way to where the kernel reads or writes\n",
                c->at.file, c->at.line);
}
