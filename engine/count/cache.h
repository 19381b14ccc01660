// SPDX-License-Identifier: MIT
// A cache of sets and ways, whose least recently used line goes first, and why it misses: what it
// has never had is compulsory; what one of as many lines without sets would miss, too, is a matter
// of capacity; the rest are conflicts of a set.
#ifndef CACHE_H
#define CACHE_H

#include <algorithm>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

namespace profile
{
enum outcome { HIT, COMPULSORY, CAPACITY, CONFLICT };

class cache
{
    const std::size_t ways, sets;
    std::vector<std::vector<std::uint64_t>> lines; // of each set, the last used first
    using order = std::list<std::uint64_t>;
    order all;                                              // the last used first
    std::unordered_map<std::uint64_t, order::iterator> has; // all.end(): had once

    bool is_in_set(std::uint64_t line)
    {
        std::vector<std::uint64_t> &set = lines[line % sets];
        auto found = std::find(set.begin(), set.end(), line);
        const bool hit = found != set.end();
        if (!hit) {
            if (set.size() < ways)
                set.push_back(line);
            found = set.end() - 1;
            *found = line;
        }
        std::rotate(set.begin(), found, found + 1);
        return hit;
    }

  public:
    cache(std::size_t bytes, std::size_t of_set, std::size_t of_line)
        : ways(of_set), sets(std::max<std::size_t>(1, bytes / of_set / of_line)), lines(sets)
    {
    }

    outcome touch(std::uint64_t line)
    {
        if (!all.empty() && all.front() == line)
            return HIT; // and it was the last one of its set, too
        const bool hit = is_in_set(line);
        const auto [at, is_new] = has.emplace(line, all.end());
        const bool had = at->second != all.end();
        if (had) {
            all.splice(all.begin(), all, at->second);
        } else {
            all.push_front(line);
            at->second = all.begin();
        }
        if (all.size() > ways * sets) {
            has[all.back()] = all.end();
            all.pop_back();
        }
        return hit ? HIT : is_new ? COMPULSORY : had ? CONFLICT : CAPACITY;
    }
};
} // namespace profile
#endif
