// SPDX-License-Identifier: MIT
#include "steps.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

namespace profile
{
const bool records_steps = std::getenv("STEPS") != nullptr;

struct recorded : step {
    unsigned launch, phase;
};
using identity = std::tuple<unsigned, const void *, space, std::uint64_t, bool, unsigned>;

static std::mutex guard;
static std::vector<launch> launches;
static std::map<std::pair<unsigned, unsigned>, unsigned>
    phases; // that a block of a launch has passed
static std::map<std::pair<space, std::uint64_t>, std::uint64_t> starts;
static std::vector<recorded> steps;

// One that is launched again is the same.
static unsigned number_of(const launch &where)
{
    for (unsigned n = 0; n < launches.size(); n++)
        if (std::tie(launches[n].kernel, launches[n].grid, launches[n].block) ==
            std::tie(where.kernel, where.grid, where.block))
            return n;
    launches.push_back(where);
    return unsigned(launches.size() - 1);
}

void record_step(const launch &where, const step &one)
{
    const unsigned launch = number_of(where);
    steps.push_back({one, launch, phases[{launch, one.block}]});
}

void record_phase(const launch &where, unsigned block)
{
    phases[{number_of(where), block}]++;
}

void record_array(space where, std::uint64_t number, std::uint64_t start)
{
    std::lock_guard<std::mutex> lock(guard);
    starts[{where, number}] = start;
}

static bool comes_before(const recorded &a, const recorded &b)
{
    return std::tie(a.launch, a.block, a.phase, a.order, a.warp) <
           std::tie(b.launch, b.block, b.phase, b.order, b.warp);
}

static identity identity_of(const recorded &r)
{
    const access &a = r.what;
    return {r.launch, a.instruction, a.where, a.array, a.writes, a.bytes};
}

static void write_launches(std::FILE *out)
{
    const char *comma = "";
    for (const launch &one : launches) {
        std::fprintf(out,
                     "%s\n {\"kernel\": \"%s\", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u]}",
                     comma, one.kernel.c_str(), one.grid[0], one.grid[1], one.grid[2], one.block[0],
                     one.block[1], one.block[2]);
        comma = ",";
    }
}

static void write_sites(std::FILE *out, const std::vector<recorded> &firsts, const names &called)
{
    const char *comma = "";
    for (const recorded &one : firsts) {
        const access &a = one.what;
        std::fprintf(out,
                     "%s\n {\"launch\": %u, \"line\": \"%s\", \"space\": \"%s\", \"array\": "
                     "\"%s\", \"writes\": %s, \"size\": %u}",
                     comma, one.launch, called.line(a.instruction).c_str(), SPACES[a.where],
                     called.array(a.where, a.array).c_str(), a.writes ? "true" : "false", a.bytes);
        comma = ",";
    }
}

// [site, block, phase, warp, order, units, ideal, bytes, active lanes, where in its array each of
// them accesses]
static void write_step(std::FILE *out, const recorded &one, unsigned site, const char *comma)
{
    std::fprintf(out, "%s\n [%u, %u, %u, %u, %u, %u, %u, %u, %lu", comma, site, one.block,
                 one.phase, one.warp, one.order, one.costs.units, one.costs.ideal, one.costs.bytes,
                 (unsigned long)one.lanes.active);
    const std::uint64_t start = starts[{one.what.where, one.what.array}];
    for (int lane = 0; lane < LANES; lane++)
        if (one.lanes.active >> lane & 1)
            std::fprintf(out, ", %llu", (unsigned long long)(one.lanes.address[lane] - start));
    std::fputs("]", out);
}

void write_steps(const names &called)
{
    std::FILE *out = std::fopen(std::getenv("STEPS"), "w");
    if (out == nullptr)
        return;
    std::stable_sort(steps.begin(), steps.end(), comes_before);
    std::map<identity, unsigned> sites;
    std::vector<recorded> firsts; // of each site
    const char *comma = "";
    unsigned lanes = 0;
    std::fputs("{\"schema\": \"gemm-requests/1\", \"launches\": [", out);
    write_launches(out);
    std::fputs("], \"requests\": [", out);
    for (const recorded &one : steps) {
        lanes += size(one.lanes.active);
        if (lanes > MOST_LANES)
            break;
        const auto [site, is_new] = sites.insert({identity_of(one), unsigned(firsts.size())});
        if (is_new)
            firsts.push_back(one);
        write_step(out, one, site->second, comma);
        comma = ",";
    }
    std::fputs("], \"sites\": [", out);
    write_sites(out, firsts, called);
    std::fputs("]}\n", out);
    std::fclose(out);
}
} // namespace profile
