// SPDX-License-Identifier: MIT
// Inline PTX, as far as matrix multiplications have it: asynchronous copies, ldmatrix, mma.sync,
// loads and stores, and what it takes to write these. `rewrite` makes run() of an asm statement.
// What touches memory is here, and compiled with the kernel, so that a sanitizer sees it; the rest
// is in ptx.cpp.
#ifndef PTX_H
#define PTX_H

#include "../../core/copies.h"
#include "tensor.h"

namespace emulation
{
namespace ptx
{
enum { MAX_REGISTERS = 64, MAX_PARTS = 16 }; // of one statement; of a vector

struct program;
// The text of an asm statement.
class code
{
  public:
    explicit code(const char *text);
    const program *instructions;
};

// %0 and so on: a value, and where a new one goes.
struct operand {
    void *to;
    std::uint64_t value;
    unsigned bytes;
};

template <class T> std::uint64_t bits_of_value(const T &x)
{
    static_assert(sizeof x <= sizeof(std::uint64_t), "an operand of asm has 64 bits at most");
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, &x, sizeof x);
    return bits;
}
template <class T> operand in(T x) // an array as a pointer
{
    return {nullptr, bits_of_value(x), sizeof x};
}
template <class T> operand out(T &x)
{
    return {&x, 0, sizeof x};
}
template <class T> operand in_out(T &x)
{
    return {&x, bits_of_value(x), sizeof x};
}

// What is to be done with memory.
struct action {
    enum { COPY, WAIT, LOAD, STORE, MATRICES } kind;
    void *to;
    const void *from;
    std::size_t bytes, zeros; // of a copy; bytes of each part
    unsigned parts;
    bool transposed;
    std::uint64_t part[MAX_PARTS]; // what is stored, and what was loaded
};

// One thread executes the statement, up to what is to be done with memory; then it goes on.
class execution
{
  public:
    execution(const code &what, place where, operand *all, unsigned count);
    bool next(action *a); // false: that was all
    void end();           // the operands get their values

  private:
    void multiply(const struct instruction &i);

    const program *instructions;
    const place at;
    operand *operands;
    unsigned count;
    unsigned at_instruction;
    std::uint64_t registers[MAX_REGISTERS];
    int loaded[MAX_PARTS]; // where the parts of the last action go
    unsigned loads;
    action *last;
};

// ldmatrix: of each matrix of 8 x 8 numbers of 16 bits eight lanes name the rows.
__attribute__((always_inline)) inline void load_matrices(action *a, place at)
{
    if (lane() < 8 * a->parts)
        tensor::check_row(a->from, at);
    for (unsigned i = 0; i < a->parts; i++) {
        std::uint16_t halves[2];
        for (unsigned t = 0; t < 2; t++) {
            const unsigned row = a->transposed ? lane() % 4 * 2 + t : lane() / 4;
            const unsigned col = a->transposed ? lane() / 4 : lane() % 4 * 2 + t;
            const auto from = shuffle("ldmatrix", ~0u, reinterpret_cast<std::uintptr_t>(a->from),
                                      8 * i + row, at);
            halves[t] = tensor::read_row(reinterpret_cast<const std::uint16_t *>(from), col);
        }
        a->part[i] = halves[0] | std::uint32_t(halves[1]) << 16;
    }
}

template <class T> __attribute__((always_inline)) inline void move(action *a)
{
    for (unsigned i = 0; i < a->parts; i++)
        if (a->kind == action::LOAD)
            a->part[i] = static_cast<const T *>(a->from)[i];
        else
            static_cast<T *>(a->to)[i] = T(a->part[i]);
}

__attribute__((always_inline)) inline void perform(action *a, place at)
{
    copy c;
    switch (a->kind) {
    case action::COPY:
        begin_copy(start_copy(a->to, a->from, a->bytes, a->zeros, at));
        break;
    case action::WAIT:
        while (take_copy(a->parts, &c))
            store_copy(c);
        break;
    case action::MATRICES:
        load_matrices(a, at);
        break;
    default:
        a->bytes == 1   ? move<std::uint8_t>(a)
        : a->bytes == 2 ? move<std::uint16_t>(a)
        : a->bytes == 4 ? move<std::uint32_t>(a)
                        : move<std::uint64_t>(a);
    }
}

template <class... Operand>
__attribute__((always_inline)) inline void run(const code &what, place at, Operand... operands)
{
    operand all[] = {operands..., {nullptr, 0, 0}};
    execution e(what, at, all, sizeof...(operands));
    action a;
    while (e.next(&a))
        perform(&a, at);
    e.end();
}
} // namespace ptx
} // namespace emulation
#endif
