// SPDX-License-Identifier: MIT
// What a GPU's memory does for one instruction of a warp: global memory moves sectors of 32 bytes;
// shared memory has 32 banks of 4 bytes, and answers in wavefronts, each of one word of each bank.
// A CPU's memory moves lines of 64 bytes. With OF_WARP=64 it is a GPU of AMD's, which calls
// the 64 lanes a wavefront: docs/counters.md says what is known of it.
#ifndef RULES_H
#define RULES_H

#include <algorithm>
#include <cstdint>
#include <type_traits>

#ifndef OF_WARP
#define OF_WARP 32
#endif

namespace profile
{
enum { LANES = OF_WARP, SECTOR = 32, BANKS = 32, BANK = 4, LINE = 64 };
enum { WIDEST = 64, LINES = 4 }; // room for the bytes of an access; for lines of one copy

using lane_set = std::conditional_t<LANES == 64, std::uint64_t, std::uint32_t>; // a bit for each

inline unsigned size(lane_set lanes)
{
    return unsigned(__builtin_popcountll(lanes));
}

// One instruction of a warp: the address of each lane that comes to it. All access as many bytes.
struct request {
    lane_set active = 0;
    std::uint64_t address[LANES];
};

// Units of memory, sorted, each once.
struct units {
    std::uint64_t at[LANES * (WIDEST + 1)];
    unsigned count = 0;

    void add(std::uint64_t unit)
    {
        if (count == 0 || at[count - 1] != unit) // neighbours often ask for the same
            at[count++] = unit;
    }
    void sort()
    {
        if (!std::is_sorted(at, at + count))
            std::sort(at, at + count);
        count = unsigned(std::unique(at, at + count) - at);
    }
};

// Those of so many bytes that these lanes touch.
inline units touched(const request &r, unsigned bytes, unsigned unit, lane_set lanes)
{
    units found;
    for (int lane = 0; lane < LANES; lane++)
        if (lanes >> lane & 1)
            for (std::uint64_t u = r.address[lane] / unit;
                 u <= (r.address[lane] + bytes - 1) / unit; u++)
                found.add(u);
    found.sort();
    return found;
}

// Bytes that are asked for: what several lanes ask for counts once.
inline unsigned distinct_bytes(const request &r, unsigned bytes)
{
    bool aligned = true;
    for (int lane = 0; lane < LANES; lane++)
        aligned = aligned && (!(r.active >> lane & 1) || r.address[lane] % bytes == 0);
    return aligned ? bytes * touched(r, bytes, bytes, r.active).count
                   : touched(r, bytes, 1, r.active).count;
}

// Sectors, or lines. One address for all lanes is one of them, and a lane that is not active asks
// for nothing.
inline unsigned moved(const request &r, unsigned bytes, unsigned unit)
{
    return touched(r, bytes, unit, r.active).count;
}

// Words of one bank come one after the other; the same word goes to all lanes that ask for it.
inline unsigned deepest_bank(const units &words)
{
    unsigned depth[BANKS] = {}, deepest = 0;
    for (unsigned i = 0; i < words.count; i++)
        deepest = std::max(deepest, ++depth[words.at[i] % BANKS]);
    return deepest;
}

// Whether all active lanes ask for the same as lane ^ mask, if that is active.
inline bool are_pairs(const request &r, unsigned mask)
{
    for (unsigned lane = 0; lane < LANES; lane++)
        if ((r.active >> lane & 1) != 0 && (r.active >> (lane ^ mask) & 1) != 0 &&
            r.address[lane] != r.address[lane ^ mask])
            return false;
    return true;
}

// How many lanes shared memory serves at once: half as many of 8 bytes a lane as of 4, of 16 a
// quarter. Of loads twice as many, where each asks for the same as its neighbour, or as the next
// but one; of AMD's that is not known.
inline int served(const request &r, unsigned bytes, bool writes)
{
    if (bytes <= BANK)
        return BANKS;
    const int lanes = bytes <= 2 * BANK ? BANKS / 2 : BANKS / 4;
    return LANES == BANKS && !writes && (are_pairs(r, 1) || are_pairs(r, 2)) ? 2 * lanes : lanes;
}

// Which lanes these are, from the first to the next group: they follow each other, but for AMD's
// loads of 16 bytes, whose groups are lanes 0 to 3 and 20 to 23, 4 to 7 and 16 to 19, 8 to 11 and
// 28 to 31, 12 to 15 and 24 to 27, and so of the other half.
inline lane_set group(int first, int lanes, bool crossed)
{
    if (!crossed)
        return lane_set(((1ull << lanes) - 1) << first);
    const int half = first / 32 * 32, quad = first % 32 / 8;
    return lane_set(0xfull << (half + 4 * quad) | 0xfull << (half + 16 + 4 * (quad ^ 1)));
}

inline unsigned wavefronts(const request &r, unsigned bytes, bool writes)
{
    const int lanes = served(r, bytes, writes);
    const bool crossed = LANES == 64 && !writes && bytes > 2 * BANK;
    unsigned count = 0;
    for (int first = 0; first < LANES; first += lanes)
        count += deepest_bank(touched(r, bytes, BANK, r.active & group(first, lanes, crossed)));
    return count;
}

// As many as what the lanes ask for fills, whatever its banks; fewer, where they ask for the same.
inline unsigned ideal_wavefronts(const request &r, unsigned bytes, unsigned wavefronts)
{
    const unsigned full = size(r.active) * bytes;
    return std::min(wavefronts, (full + BANKS * BANK - 1) / (BANKS * BANK));
}

// An asynchronous copy of 4 or 8 bytes a lane: each bank that is written takes its elements in the
// order of lanes, and a wavefront takes one from each of the 32 places in a line of global memory.
inline unsigned copied(const request &from, const request &to, lane_set lanes)
{
    unsigned count = 0;
    for (; lanes != 0; count++) {
        std::uint32_t places = 0, banks = 0;
        for (int lane = 0; lane < LANES; lane++) {
            if ((lanes >> lane & 1) == 0)
                continue;
            const std::uint32_t bank = 1u << to.address[lane] / BANK % BANKS;
            if ((banks & bank) != 0)
                continue;
            banks |= bank; // whose next element this is: the others wait behind it
            const bool has_source = from.active >> lane & 1; // zeros have none
            const std::uint32_t place = has_source ? 1u << from.address[lane] / BANK % BANKS : 0;
            if ((places & place) != 0)
                continue;
            places |= place;
            lanes &= ~(lane_set(1) << lane);
        }
    }
    return count;
}

// Four lines at a time, in the order of lanes. Of 16 bytes a lane it is as if each lane stored
// them.
inline unsigned copy_wavefronts(const request &from, const request &to, unsigned bytes)
{
    if (bytes > 2 * BANK)
        return wavefronts(to, bytes, true);
    const int lanes = served(to, bytes, true);
    unsigned count = 0;
    for (int first = 0; first < LANES; first += lanes) {
        std::uint64_t lines[LINES];
        unsigned known = 0;
        lane_set now = 0, left = to.active & group(first, lanes, false);
        for (; left != 0; count += copied(from, to, now), left &= ~now, known = 0, now = 0)
            for (int lane = first; lane < first + lanes; lane++) {
                if ((left >> lane & 1) == 0)
                    continue;
                if (from.active >> lane & 1) {
                    const std::uint64_t line = from.address[lane] / (BANKS * BANK);
                    const bool is_known = std::find(lines, lines + known, line) != lines + known;
                    if (!is_known && known == LINES)
                        continue;
                    if (!is_known)
                        lines[known++] = line;
                }
                now |= lane_set(1) << lane;
            }
    }
    return count;
}
} // namespace profile
#endif
