// SPDX-License-Identifier: MIT
// Records what a kernel in C accesses. Compiled with -fsanitize=thread, it calls a function before
// each access to memory; these here are linked in place of ThreadSanitizer's, and gemm() is called
// by way of __wrap_gemm().
#include "cache.h"
#include "steps.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <map>
#include <memory>

namespace
{
enum { VECTOR = 64 }; // bytes of the largest

struct object {
    const char *start, *end;
    std::string name;
};
std::vector<object> objects; // A, B, C, and the kernel's own
const char *first_frame;     // of the stack, above all that the kernel keeps there
bool runs, is_over;

// With CACHE="bytes ways bytes-of-a-line" in the environment misses are counted, and nothing else.
std::unique_ptr<profile::cache> l1;
std::size_t line_bytes;
std::map<const void *, std::array<std::uint64_t, 4>> outcomes; // of each instruction

void make_cache()
{
    std::size_t bytes, ways;
    const char *said = std::getenv("CACHE");
    if (said != nullptr && std::sscanf(said, "%zu %zu %zu", &bytes, &ways, &line_bytes) == 3)
        l1 = std::make_unique<profile::cache>(bytes, ways, line_bytes);
}

void touch(const char *address, std::size_t bytes, const void *from)
{
    const auto first = reinterpret_cast<std::uintptr_t>(address);
    for (std::uint64_t one = first / line_bytes; one <= (first + bytes - 1) / line_bytes; one++)
        outcomes[from][l1->touch(one)]++;
}

void add(const void *start, std::size_t bytes, const std::string &name)
{
    objects.push_back(
        {static_cast<const char *>(start), static_cast<const char *>(start) + bytes, name});
    profile::record_array(profile::MEMORY, objects.size(), reinterpret_cast<std::uintptr_t>(start));
}

// Where the program was loaded, from which nm and addr2line count.
const char *program_start()
{
    const char *start = nullptr;
    dl_iterate_phdr(
        [](dl_phdr_info *first, std::size_t, void *found) {
            *static_cast<const char **>(found) = reinterpret_cast<const char *>(first->dlpi_addr);
            return 1;
        },
        &start);
    return start;
}

// OBJECTS in the environment: "block 16416 1024 ...", of each the name, where in the program it is,
// and its bytes.
void add_static_objects()
{
    const char *rest = std::getenv("OBJECTS");
    char name[256];
    std::size_t offset, bytes;
    int length;
    for (; rest != nullptr &&
           std::sscanf(rest, "%255s %zu %zu%n", name, &offset, &bytes, &length) == 3;
         rest += length)
        add(program_start() + offset, bytes, name);
}

// 0: none that has a name, as what the kernel allocates.
std::uint64_t number_of(const char *address)
{
    for (std::size_t n = 0; n < objects.size(); n++)
        if (address >= objects[n].start && address < objects[n].end)
            return n + 1;
    return 0;
}

void count(const char *address, unsigned elements, unsigned bytes, bool writes, const void *from)
{
    const char *here = static_cast<const char *>(__builtin_frame_address(0));
    if (!runs || (address > here && address < first_frame))
        return;
    if (l1) {
        touch(address, std::size_t(elements) * bytes, from);
        return;
    }
    profile::count_vector(&objects, elements,
                          {from, profile::MEMORY, number_of(address), writes, bytes},
                          reinterpret_cast<std::uintptr_t>(address));
}

void access(const char *address, std::size_t bytes, bool writes, const void *from)
{
    if (bytes <= 8)
        count(address, 1, unsigned(bytes), writes, from);
    else
        count(address, unsigned(bytes / sizeof(real)), sizeof(real), writes, from);
}

void unaligned(const char *address, std::size_t bytes, bool writes, const void *from)
{
    access(address, bytes, writes, from);
}

void range(const char *address, std::size_t bytes, bool writes, const void *from)
{
    for (std::size_t i = 0; i < bytes; i += VECTOR) {
        const std::size_t one = std::min<std::size_t>(VECTOR, bytes - i);
        count(address + i, unsigned(one / sizeof(real)), sizeof(real), writes, from);
    }
}

std::string line_of(const void *instruction)
{
    char text[32];
    std::snprintf(text, sizeof text, "%#zx",
                  std::size_t(static_cast<const char *>(instruction) - program_start() - 1));
    return text;
}

std::string name_of(profile::space, std::uint64_t number)
{
    return number == 0 ? "?" : objects[number - 1].name;
}

void write_misses()
{
    const char *path = std::getenv("PROFILE"), *comma = "";
    std::FILE *out = path != nullptr ? std::fopen(path, "w") : nullptr;
    if (out == nullptr)
        return;
    std::fputs("{\"schema\": \"gemm-misses/1\", \"misses\": [", out);
    for (const auto &[instruction, counts] : outcomes) {
        std::fprintf(out,
                     "%s\n {\"line\": \"%s\", \"compulsory\": %llu, \"capacity\": %llu, "
                     "\"conflict\": %llu}",
                     comma, line_of(instruction).c_str(),
                     (unsigned long long)counts[profile::COMPULSORY],
                     (unsigned long long)counts[profile::CAPACITY],
                     (unsigned long long)counts[profile::CONFLICT]);
        comma = ",";
    }
    std::fputs("]}\n", out);
    std::fclose(out);
}
} // namespace

#include "callbacks.h"

extern "C" void *told_memcpy(char *to, const char *from, std::size_t bytes)
{
    range(from, bytes, false, __builtin_return_address(0));
    range(to, bytes, true, __builtin_return_address(0));
    return std::memcpy(to, from, bytes);
}

extern "C" void *told_memset(char *to, int byte, std::size_t bytes)
{
    range(to, bytes, true, __builtin_return_address(0));
    return std::memset(to, byte, bytes);
}

extern "C" void __real_gemm(int M, int N, int K, const void *A, const void *B, void *C);

// The first product is recorded; where it is wrong, it is computed again.
extern "C" void __wrap_gemm(int M, int N, int K, const void *A, const void *B, void *C)
{
    if (!is_over) {
        add(A, sizeof(real) * std::size_t(M) * std::size_t(K), "A");
        add(B, sizeof(real) * std::size_t(K) * std::size_t(N), "B");
        add(C, sizeof(real) * std::size_t(M) * std::size_t(N), "C");
        add_static_objects();
        make_cache();
        first_frame = static_cast<const char *>(__builtin_frame_address(0));
        runs = true;
    }
    __real_gemm(M, N, K, A, B, C);
    if (is_over)
        return;
    runs = false;
    is_over = true;
    if (l1) {
        write_misses();
        return;
    }
    profile::end_phase(&objects, {"gemm", {1, 1, 1}, {1, 1, 1}}, 0);
    profile::write({line_of, name_of});
}
