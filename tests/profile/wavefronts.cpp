// SPDX-License-Identifier: MIT
// The costs of 64 lanes by engine/count/rules.h: the name of each pattern, and its cost.
// test_counts.py lists what that must be.
#include "../../engine/count/rules.h"

#include <cstdio>

template <class place> static profile::request of(unsigned bytes, place index)
{
    profile::request r;
    r.active = ~profile::lane_set(0);
    for (unsigned lane = 0; lane < profile::LANES; lane++)
        r.address[lane] = std::uint64_t(bytes) * index(lane);
    return r;
}

template <class place>
static void shared(const char *name, unsigned bytes, bool writes, place index)
{
    const profile::request r = of(bytes, index);
    const unsigned count = wavefronts(r, bytes, writes);
    std::printf("%s %u %u\n", name, count, ideal_wavefronts(r, bytes, count));
}

int main()
{
    const auto own = [](unsigned lane) { return lane; };
    // Of vectors in eight columns: lanes 0 to 7 take four of them twice, lanes 0 to 3 and 20 to 23
    // all eight.
    const auto crossed = [](unsigned lane) { return 8 * lane + lane % 4 + lane / 16 % 2 * 4; };
    shared("row", 4, false, own);
    shared("column", 4, false, [](unsigned lane) { return 32 * lane; });
    shared("stride_2", 4, false, [](unsigned lane) { return 2 * lane; });
    shared("broadcast", 4, false, [](unsigned) { return 7; });
    shared("doubles", 8, false, own);
    shared("doubles_in_pairs", 8, false, [](unsigned lane) { return lane / 2; });
    shared("vectors", 16, false, own);
    shared("vectors_stored", 16, true, own);
    shared("crossed", 16, false, crossed);
    shared("crossed_stored", 16, true, crossed);
    std::printf("sectors %u\n", moved(of(4, own), 4, profile::SECTOR));
}
