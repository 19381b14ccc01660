// SPDX-License-Identifier: MIT
// Outcomes of a cache: cache BYTES WAYS BYTES-OF-A-LINE, then lines of memory as words of stdin;
// prints hit, compulsory, capacity or conflict for each.
#include "engine/count/cache.h"

#include <cstdio>
#include <cstdlib>

int main(int, char **argv)
{
    profile::cache one(std::size_t(std::atol(argv[1])), std::size_t(std::atol(argv[2])),
                       std::size_t(std::atol(argv[3])));
    const char *const names[] = {"hit", "compulsory", "capacity", "conflict"};
    unsigned long line;
    while (std::scanf("%lu", &line) == 1)
        std::puts(names[one.touch(line)]);
}
