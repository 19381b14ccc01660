// SPDX-License-Identifier: MIT
#include "counts.h"
#include "steps.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

namespace profile
{
const char *const SPACES[] = {"global", "shared", "memory"};

static auto identity(const access &a)
{
    return std::tie(a.instruction, a.where, a.array, a.writes, a.bytes);
}

static bool operator<(const access &a, const access &b)
{
    return identity(a) < identity(b);
}

static bool operator==(const access &a, const access &b)
{
    return identity(a) == identity(b);
}

struct pending { // of a block in this phase
    access what;
    std::vector<unsigned> times;                // that each thread has come to it
    std::vector<std::vector<request>> requests; // of each warp
    std::vector<std::vector<request>> sources;  // of these, where they are asynchronous copies
    std::vector<std::vector<unsigned>>
        orders; // where steps are recorded: each one's among the warp's
};

struct turned { // the lanes of a warp, at a branch
    const void *way;
    bool diverge;
};

struct branch { // in this phase
    const void *where;
    std::vector<unsigned> times;            // that each thread has gone on from it
    std::vector<std::vector<turned>> turns; // of each warp
};

struct phase {
    std::vector<pending> accesses;
    std::vector<branch> branches;
    std::vector<const void *> at; // the branch to which each thread has come
    std::vector<unsigned> made;   // by each thread; where steps are recorded
};

struct sums {
    std::uint64_t requests, lanes, bytes, units, ideal;
};

struct ways {
    std::uint64_t times, divergent; // that a warp came to the branch; and its lanes parted
    const void *first;
    bool both; // ways have been gone: it is a branch
};

// A block is run by one thread of the operating system; more than one may be.
static thread_local std::map<const void *, phase> phases;
static thread_local const void *latest; // block, and its phase
static thread_local phase *its_phase;
static std::mutex guard;
static std::map<std::pair<std::string, access>, sums> counted;
static std::map<std::pair<std::string, const void *>, ways> parted; // by branch
static std::map<std::string, launch> launched;                      // the first of each kernel

static phase &phase_of(const void *block)
{
    if (latest != block) {
        latest = block;
        its_phase = &phases[block];
    }
    return *its_phase;
}

static pending &find(std::vector<pending> *accesses, const access &what)
{
    for (pending &one : *accesses)
        if (one.what == what)
            return one;
    accesses->push_back({what,
                         std::vector<unsigned>(MAX_THREADS),
                         std::vector<std::vector<request>>(WARPS),
                         {},
                         std::vector<std::vector<unsigned>>(records_steps ? WARPS : 0)});
    return accesses->back();
}

// Where lanes diverge, a request comes behind what the last of its lanes has made before it.
static void put_in_order(phase *now, pending *one, unsigned thread, unsigned time)
{
    std::vector<unsigned> &orders = one->orders[thread / LANES];
    now->made.resize(MAX_THREADS);
    if (time == orders.size())
        orders.push_back(0);
    orders[time] = std::max(orders[time], now->made[thread]++);
}

void count(const void *block, unsigned thread, const access &what, std::uint64_t address,
           std::uint64_t source)
{
    phase &now = phase_of(block);
    pending &one = find(&now.accesses, what);
    std::vector<request> &requests = one.requests[thread / LANES];
    const unsigned time = one.times[thread]++;
    if (time == requests.size())
        requests.emplace_back();
    requests[time].active |= lane_set(1) << thread % LANES;
    requests[time].address[thread % LANES] = address;
    if (source != NO_COPY) {
        one.sources.resize(WARPS);
        std::vector<request> &sources = one.sources[thread / LANES];
        sources.resize(std::max(sources.size(), requests.size()));
        sources[time].active |= lane_set(source != 0) << thread % LANES;
        sources[time].address[thread % LANES] = source;
    }
    if (records_steps)
        put_in_order(&now, &one, thread, time);
}

void count_vector(const void *block, unsigned elements, const access &what, std::uint64_t address)
{
    phase &now = phase_of(block);
    pending &one = find(&now.accesses, what);
    request r;
    for (unsigned lane = 0; lane < elements; lane++) {
        r.active |= lane_set(1) << lane;
        r.address[lane] = address + std::uint64_t(lane) * what.bytes;
    }
    one.requests[0].push_back(r);
    if (records_steps)
        put_in_order(&now, &one, 0, one.times[0]++);
}

void turn(const void *block, unsigned thread, const void *where)
{
    phase &now = phase_of(block);
    now.at.resize(MAX_THREADS);
    now.at[thread] = where;
}

static branch &find(std::vector<branch> *found, const void *where)
{
    for (branch &one : *found)
        if (one.where == where)
            return one;
    found->push_back(
        {where, std::vector<unsigned>(MAX_THREADS), std::vector<std::vector<turned>>(WARPS)});
    return found->back();
}

void go(const void *block, unsigned thread, const void *way)
{
    phase &now = phase_of(block);
    const void *where = now.at.empty() ? nullptr : std::exchange(now.at[thread], nullptr);
    if (where == nullptr)
        return;
    branch &one = find(&now.branches, where);
    std::vector<turned> &turns = one.turns[thread / LANES];
    const unsigned time = one.times[thread]++;
    if (time == turns.size())
        turns.push_back({way, false});
    else
        turns[time].diverge |= turns[time].way != way;
}

static void add(ways *sum, const branch &one)
{
    for (const std::vector<turned> &turns : one.turns)
        for (const turned &t : turns) {
            if (sum->times == 0)
                sum->first = t.way;
            sum->times++;
            sum->divergent += t.diverge;
            sum->both |= t.diverge || t.way != sum->first;
        }
}

static cost cost_of(const request &r, const access &what, const request *source)
{
    const unsigned bytes = distinct_bytes(r, what.bytes);
    if (what.where == SHARED) {
        const unsigned count = source != nullptr ? copy_wavefronts(*source, r, what.bytes)
                                                 : wavefronts(r, what.bytes, what.writes);
        return {count, ideal_wavefronts(r, what.bytes, count), bytes};
    }
    const unsigned unit = what.where == MEMORY ? LINE : SECTOR;
    return {moved(r, what.bytes, unit), (bytes + unit - 1) / unit,
            bytes}; // the fewest that hold them
}

static void add(sums *s, const request &r, const cost &c)
{
    s->requests++;
    s->lanes += size(r.active);
    s->bytes += c.bytes;
    s->units += c.units;
    s->ideal += c.ideal;
}

void end_phase(const void *block, const launch &where, unsigned number)
{
    std::lock_guard<std::mutex> lock(guard);
    launched.emplace(where.kernel, where);
    for (const pending &one : phases[block].accesses) {
        sums &s = counted[{where.kernel, one.what}];
        for (unsigned warp = 0; warp < WARPS; warp++)
            for (std::size_t i = 0; i < one.requests[warp].size(); i++) {
                const request &r = one.requests[warp][i];
                const request *source = one.sources.empty() ? nullptr : &one.sources[warp][i];
                const cost c = cost_of(r, one.what, source);
                add(&s, r, c);
                if (records_steps)
                    record_step(where, {one.what, number, warp, one.orders[warp][i], r, c});
            }
    }
    for (const branch &one : phases[block].branches)
        add(&parted[{where.kernel, one.where}], one);
    phases.erase(block);
    latest = nullptr;
    if (records_steps)
        record_phase(where, number);
}

void write(const names &called)
{
    const char *path = std::getenv("PROFILE"), *comma = "";
    std::FILE *out = path != nullptr ? std::fopen(path, "w") : nullptr;
    if (out == nullptr)
        return;
    std::fputs("{\"schema\": \"gemm-counts/1\", \"counts\": [", out);
    for (const auto &[key, s] : counted) {
        const auto &[kernel, what] = key;
        std::fprintf(
            out,
            "%s\n {\"kernel\": \"%s\", \"line\": \"%s\", \"space\": \"%s\", \"array\": \"%s\", "
            "\"writes\": %s, \"size\": %u, \"requests\": %llu, \"lanes\": %llu, "
            "\"bytes\": %llu, \"units\": %llu, \"ideal\": %llu}",
            comma, kernel.c_str(), called.line(what.instruction).c_str(), SPACES[what.where],
            called.array(what.where, what.array).c_str(), what.writes ? "true" : "false",
            what.bytes, (unsigned long long)s.requests, (unsigned long long)s.lanes,
            (unsigned long long)s.bytes, (unsigned long long)s.units, (unsigned long long)s.ideal);
        comma = ",";
    }
    std::fputs("],\n \"branches\": [", out);
    comma = "";
    for (const auto &[key, sum] : parted) {
        if (!sum.both)
            continue;
        std::fprintf(
            out,
            "%s\n {\"kernel\": \"%s\", \"line\": \"%s\", \"times\": %llu, \"divergent\": %llu}",
            comma, key.first.c_str(), called.line(key.second).c_str(),
            (unsigned long long)sum.times, (unsigned long long)sum.divergent);
        comma = ",";
    }
    std::fputs("],\n \"launches\": [", out);
    comma = "";
    for (const auto &[kernel, one] : launched) {
        std::fprintf(out, "%s\n {\"kernel\": \"%s\", \"threads\": %u, \"shared\": %zu}", comma,
                     kernel.c_str(), one.block[0] * one.block[1] * one.block[2], one.shared);
        comma = ",";
    }
    std::fputs("]}\n", out);
    std::fclose(out);
    if (records_steps)
        write_steps(called);
}
} // namespace profile
