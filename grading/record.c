// SPDX-License-Identifier: MIT
// What the judge saw, as JSON: gemm-judge/1 of docs/records.md.
#include "judge.h"
#include "record/json.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

enum { MOST_LOOKED_AT = 64 };

static void put_seed(FILE *out, const char *name, const unsigned char *seed)
{
    char hex[2 * SEED_BYTES + 1];
    sodium_bin2hex(hex, sizeof hex, seed, SEED_BYTES);
    fprintf(out, ",\n \"%s\": \"%s\"", name, hex);
}

static void put_call(FILE *out, const struct call *c)
{
    fprintf(out, "{\"M\": %d, \"N\": %d, \"K\": %d, \"class\": ", c->M, c->N, c->K);
    put_string(out, c->group);
    fprintf(out, ", \"data\": \"%s\", \"verdict\": \"%s\", \"method\": ",
            c->set == INTEGERS ? "integers" : "uniform", c->verdict);
    put_string(out, c->method);
    fputs(", \"ms\": ", out);
    put_number(out, c->ms, c->ms > 0);
    fputs(", \"reference_ms\": ", out);
    put_number(out, c->reference_ms, c->reference_ms > 0);
    fputs(", \"waited\": ", out);
    fputs(c->reference_ms > 0 ? (c->waited ? "true" : "false") : "null", out);
    fputc('}', out);
}

static bool is_seen(const struct call *call)
{
    return strcmp(call->verdict, "right") == 0 || strcmp(call->verdict, "wrong") == 0;
}

// Is every C wrong with these inputs, and right with the others? Four of each say so, of more than
// a tile:
// what is small may be right by chance.
static bool wrong_just_with(const struct session *s, enum data_set set)
{
    int seen[2] = {0, 0};
    for (const struct call *c = s->plan.calls; c < s->plan.calls + s->plan.count; c++) {
        if (!is_seen(c) || c->K < 8)
            continue;
        if ((c->verdict[0] == 'r') == (c->set == set))
            return false;
        seen[c->set == set]++;
    }
    return seen[0] >= 4 && seen[1] >= 4;
}

// Which kind of inputs is wrong says more than a single shape, but for what explains each element.
static struct cause cause_of(const struct session *s)
{
    struct outcome outcomes[MOST_LOOKED_AT];
    int count = 0;
    for (int c = 0; c < s->plan.count && count < MOST_LOOKED_AT; c++) {
        const struct call *call = &s->plan.calls[c];
        if (is_seen(call))
            outcomes[count++] = (struct outcome){
                call->M, call->N, call->K, call->group, call->method, call->verdict[0] == 'r'};
    }
    struct cause cause = likely_cause(&s->finding, outcomes, count);
    bool shown = s->finding.kept != 0 || s->finding.added; // by a trial
    if (cause.kind != NULL && (strcmp(cause.kind, "narrow") == 0 || shown))
        return cause;
    if (wrong_just_with(s, UNIFORM))
        return s->finding.cut == s->finding.wrong
                   ? (struct cause){"narrow", "right on whole numbers alone: is an int where a "
                                              "real belongs?"}
                   : (struct cause){"narrow", "right on whole numbers alone: where does a fraction "
                                              "lose bits?"};
    if (s->finding.nan == 0 && wrong_just_with(s, INTEGERS)) // and that would be no lack of bits
        return (struct cause){"narrow", "wrong on whole numbers alone, whose sums are exact in any "
                                        "order: some step has too few bits for them"};
    return cause;
}

static void put_gpu(FILE *out, const struct gpu *gpu)
{
    static const struct {
        enum clock_limit bit;
        const char *name;
    } reasons[] = {{BY_POWER_CAP, "power cap"},
                   {BY_HARDWARE, "hardware"},
                   {BY_WARMTH, "temperature, by software"},
                   {BY_HEAT, "temperature, by hardware"},
                   {BY_POWER_BRAKE, "power brake"}};
    const struct clocks *c = &gpu->clocks;
    const char *before = "";
    if (gpu->calls == 0) {
        fputs("null", out);
        return;
    }
    fprintf(out, "{\"mhz\": [%u, %u], \"most_mhz\": %u, \"celsius\": [%u, %u]", c->low, c->high,
            c->most, c->cool, c->hot);
    fprintf(out, ", \"calls\": %d, \"throttled\": %d, \"reasons\": [", gpu->calls, gpu->throttled);
    for (size_t r = 0; r < sizeof reasons / sizeof reasons[0]; r++)
        if (c->limits & reasons[r].bit) {
            fprintf(out, "%s\"%s\"", before, reasons[r].name);
            before = ", ";
        }
    fputs("]}", out);
}

static void put_growth(FILE *out, size_t bytes)
{
    char said[96];
    snprintf(said, sizeof said, GROWTH_SAID, bytes, GROWTH_CALLS);
    put_string(out, bytes > 0 ? said : NULL);
}

static void put_record(FILE *out, const struct session *s)
{
    fputs("{\"schema\": \"gemm-judge/1\"", out);
    fprintf(out, ",\n \"plan\": \"%s\"", s->opt.plan);
    put_seed(out, "seed", s->opt.seed);
    put_seed(out, "class_seed", s->opt.class_seed);
    fprintf(out, ",\n \"without\": %u,\n \"overhead_ms\": ", s->opt.without);
    put_number(out, s->overhead_ms, s->overhead_ms > 0);
    fprintf(out, ",\n \"clock\": \"%s\"", s->opt.clock == PROCESSOR ? "processor" : "wall");
    fputs(",\n \"reference_end\": ", out);
    put_string(out, s->reference_end[0] != '\0' ? s->reference_end : NULL);
    fputs(",\n \"gpu\": ", out);
    put_gpu(out, &s->gpu);
    fprintf(out, ",\n \"started\": %s", s->not_started ? "false" : "true");
    fputs(",\n \"end\": ", out);
    put_string(out, s->end[0] != '\0' ? s->end : NULL);
    fputs(",\n \"at\": ", out);
    if (s->at != NULL)
        put_call(out, s->at);
    else
        fputs("null", out);
    fputs(",\n \"outside\": ", out);
    put_string(out, s->outside[0] != '\0' ? s->outside : NULL);
    fputs(",\n \"growth\": ", out);
    put_growth(out, s->growth.grown);
    fputs(",\n \"finding\": ", out);
    if (s->failed)
        put_finding(out, &s->finding, cause_of(s));
    else
        fputs("null", out);
    fputs(",\n \"calls\": [", out);
    for (int c = 0; c < s->plan.count; c++) {
        fputs(c > 0 ? ",\n  " : "\n  ", out);
        put_call(out, &s->plan.calls[c]);
    }
    fputs("]}\n", out);
}

void write_record(const struct session *s)
{
    FILE *out = fopen(s->opt.record, "w");
    if (out == NULL)
        give_up("cannot write %s: %s", s->opt.record, strerror(errno));
    put_record(out, s);
    bool torn = ferror(out) != 0;
    if (fclose(out) != 0 || torn)
        give_up("cannot write %s: %s", s->opt.record, strerror(errno));
}
