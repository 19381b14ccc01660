// SPDX-License-Identifier: MIT
#include "counts.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <tuple>

namespace profile
{
static bool operator<(const access &a, const access &b)
{
    return std::tie(a.instruction, a.where, a.array, a.writes, a.bytes) <
           std::tie(b.instruction, b.where, b.array, b.writes, b.bytes);
}

static bool operator==(const access &a, const access &b)
{
    return !(a < b) && !(b < a);
}

struct pending { // of a block in this phase
    access what;
    std::vector<unsigned> times;                // that each thread has come to it
    std::vector<std::vector<request>> requests; // of each warp
};

struct sums {
    std::uint64_t requests, lanes, bytes, units, ideal;
};

// A block is run by one thread of the operating system; more than one may be.
static thread_local std::map<const void *, std::vector<pending>> phases;
static std::mutex guard;
static std::map<std::pair<std::string, access>, sums> counted;

static pending &find(std::vector<pending> *phase, const access &what)
{
    for (pending &one : *phase)
        if (one.what == what)
            return one;
    phase->push_back(
        {what, std::vector<unsigned>(MAX_THREADS), std::vector<std::vector<request>>(WARPS)});
    return phase->back();
}

void count(const void *block, unsigned thread, const access &what, std::uint64_t address)
{
    pending &one = find(&phases[block], what);
    std::vector<request> &requests = one.requests[thread / LANES];
    const unsigned time = one.times[thread]++;
    if (time == requests.size())
        requests.emplace_back();
    requests[time].active |= 1u << thread % LANES;
    requests[time].address[thread % LANES] = address;
}

static void add(sums *s, const request &r, const access &what)
{
    s->requests++;
    s->lanes += unsigned(__builtin_popcount(r.active));
    s->bytes += distinct_bytes(r, what.bytes);
    s->units += what.where == SHARED ? wavefronts(r, what.bytes) : sectors(r, what.bytes);
    s->ideal +=
        what.where == SHARED ? wavefronts(r, what.bytes, true) : ideal_sectors(r, what.bytes);
}

void end_phase(const void *block, const std::string &kernel)
{
    std::lock_guard<std::mutex> lock(guard);
    for (const pending &one : phases[block]) {
        sums &s = counted[{kernel, one.what}];
        for (const std::vector<request> &of_warp : one.requests)
            for (const request &r : of_warp)
                add(&s, r, one.what);
    }
    phases.erase(block);
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
            comma, kernel.c_str(), called.line(what.instruction).c_str(),
            what.where == SHARED ? "shared" : "global",
            called.array(what.where, what.array).c_str(), what.writes ? "true" : "false",
            what.bytes, (unsigned long long)s.requests, (unsigned long long)s.lanes,
            (unsigned long long)s.bytes, (unsigned long long)s.units, (unsigned long long)s.ideal);
        comma = ",";
    }
    std::fputs("]}\n", out);
    std::fclose(out);
}
} // namespace profile
