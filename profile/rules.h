// SPDX-License-Identifier: MIT
// What a GPU's memory does for one instruction of a warp: global memory moves sectors of 32 bytes;
// shared memory has 32 banks of 4 bytes, and answers in wavefronts, each of one word of each bank.
#ifndef RULES_H
#define RULES_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace profile
{
enum { LANES = 32, SECTOR = 32, BANKS = 32, BANK = 4 };

// One instruction of a warp: the address of each lane that comes to it. All access as many bytes.
struct request {
    std::uint32_t active = 0; // a bit for each lane
    std::uint64_t address[LANES];
};

// The units of so many bytes that lanes first to last - 1 touch: sorted, each once.
inline std::vector<std::uint64_t> touched(const request &r, unsigned bytes, unsigned unit,
                                          int first = 0, int last = LANES)
{
    std::vector<std::uint64_t> units;
    for (int lane = first; lane < last; lane++)
        if (r.active >> lane & 1)
            for (std::uint64_t u = r.address[lane] / unit;
                 u <= (r.address[lane] + bytes - 1) / unit; u++)
                units.push_back(u);
    std::sort(units.begin(), units.end());
    units.erase(std::unique(units.begin(), units.end()), units.end());
    return units;
}

// Bytes that are asked for: what several lanes ask for counts once.
inline unsigned distinct_bytes(const request &r, unsigned bytes)
{
    return unsigned(touched(r, bytes, 1).size());
}

// One address for all lanes is one sector, and a lane that is not active asks for nothing.
inline unsigned sectors(const request &r, unsigned bytes)
{
    return unsigned(touched(r, bytes, SECTOR).size());
}

// The fewest that hold what is asked for.
inline unsigned ideal_sectors(const request &r, unsigned bytes)
{
    return (distinct_bytes(r, bytes) + SECTOR - 1) / SECTOR;
}

// Words of one bank come one after the other; the same word goes to all lanes that ask for it.
inline unsigned deepest_bank(const std::vector<std::uint64_t> &words)
{
    unsigned depth[BANKS] = {}, deepest = 0;
    for (std::uint64_t one : words)
        deepest = std::max(deepest, ++depth[one % BANKS]);
    return deepest;
}

// Of 8 and 16 bytes a lane, each half of a warp is served by itself. `ideal`: by as many wavefronts
// as its words fill, whatever their banks.
inline unsigned wavefronts(const request &r, unsigned bytes, bool ideal = false)
{
    const int lanes = bytes <= BANK ? LANES : LANES / 2;
    unsigned count = 0;
    for (int first = 0; first < LANES; first += lanes) {
        const auto words = touched(r, bytes, BANK, first, first + lanes);
        count += ideal ? unsigned(words.size() + BANKS - 1) / BANKS : deepest_bank(words);
    }
    return count;
}
} // namespace profile
#endif
