// SPDX-License-Identifier: MIT
// --json: one object with the results, described in docs/records.md. It is written whole, and again
// after each step, so that a crash leaves the results so far.
#include "session/record.h"
#include "session/json.h"
#include "diagnosis/diagnosis.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void put_shape(FILE *out, const struct outcome *o, bool is_done)
{
    fprintf(out, "{\"M\": %d, \"N\": %d, \"K\": %d, \"class\": ", o->M, o->N, o->K);
    put_string(out, o->group);
    if (is_done) {
        fprintf(out, ", \"verdict\": \"%s\", \"method\": ", o->verdict);
        put_string(out, o->method);
    }
    fputc('}', out);
}

static void put_shapes(FILE *out, const struct session *s)
{
    const struct outcome *at = NULL;
    const char *before = "";
    fputs(",\n \"shapes\": [", out);
    for (const struct outcome *o = s->outcomes; o < s->outcomes + s->shapes; o++) {
        at = at == NULL && has_no_result(o) ? o : at;
        if (o->verdict == NULL)
            continue;
        fprintf(out, "%s\n  ", before);
        put_shape(out, o, true);
        before = ",";
    }
    fputs("],\n \"at\": ", out);
    if (at != NULL)
        put_shape(out, at, false);
    else
        fputs("null", out);
}

static void put_failure(FILE *out, const struct session *s)
{
    fputs(",\n \"finding\": ", out);
    if (s->finding.M == 0) // nothing is known of a result
        fputs("null", out);
    else
        put_finding(out, &s->finding, likely_cause(&s->finding, s->outcomes, s->shapes));
}

static void put_repetitions(FILE *out, const struct session *s)
{
    bool gpu = s->lab->alloc_ms >= 0;
    fputs(",\n \"repetitions\": [", out);
    for (int r = 0; s->reported && r < timed_runs(s); r++) {
        const struct times *t = &s->times[r];
        fprintf(out, "%s\n  {\"kernel_ms\": ", r > 0 ? "," : "");
        put_number(out, t->kernel, true);
        fputs(", \"h2d_ms\": ", out);
        put_number(out, t->h2d, has_copies(s));
        fputs(", \"d2h_ms\": ", out);
        put_number(out, t->d2h, has_copies(s));
        fputs(", \"cpu_ms\": ", out);
        put_number(out, t->cpu, !gpu);
        fputc('}', out);
    }
    fputs("]", out);
}

static void put_ranks(FILE *out, const struct ranks *r)
{
    fputs(",\n \"ranks\": ", out);
    if (r->count > 0)
        fprintf(out, "{\"count\": %d, \"rows\": %d, \"columns\": %d, \"nodes\": %d}", r->count,
                r->rows, r->cols, r->nodes);
    else
        fputs("null", out);
}

static void put_error(FILE *out, const struct error *e)
{
    fprintf(out, ",\n \"error\": {\"elements\": %ld, \"mean\": ", e->elements);
    put_number(out, e->mean, e->elements > 0);
    fputs(", \"largest\": ", out);
    put_number(out, e->largest, e->elements > 0);
    fputc('}', out);
}

static void put_clock(FILE *out, struct clocks c)
{
    fputs(",\n \"clock\": ", out);
    if (c.high == 0) {
        fputs("null", out);
        return;
    }
    fprintf(out, "{\"mhz\": [%u, %u], \"limits\": [", c.low, c.high);
    for (int n = 0; clocks_limit(c, n) != NULL; n++)
        fprintf(out, "%s\"%s\"", n > 0 ? ", " : "", clocks_limit(c, n));
    fputs("]}", out);
}

static bool claims_speed(const struct session *s)
{
    return s->reported && s->no_speed[0] == '\0';
}

static void put_steady(FILE *out, const struct session *s)
{
    const struct steady *st = &s->steady;
    put_clock(out, s->reported ? s->clocks[0] : (struct clocks){0});
    fputs(",\n \"steady\": ", out);
    if (!claims_speed(s) || st->launches == 0) {
        fputs("null", out);
        return;
    }
    fprintf(out, "{\"launches\": %d, \"kernel_ms\": ", st->launches);
    put_number(out, st->ms, true);
    fputs(", \"gflops\": ", out);
    put_number(out, gflops(s, st->ms), true);
    put_clock(out, s->clocks[1]);
    fputc('}', out);
}

static void put_speed(FILE *out, const struct session *s)
{
    struct ceilings c = read_ceilings(s);
    struct summary kernel = {0};
    bool timed = claims_speed(s) && !is_emulated(s);
    if (s->reported)
        kernel = summary_of(s, offsetof(struct times, kernel));
    fputs(",\n \"alloc_ms\": ", out);
    put_number(out, s->lab->alloc_ms, s->lab->alloc_ms >= 0);
    fputs(", \"context_ms\": ", out);
    put_number(out, s->lab->context_ms, s->lab->context_ms >= 0);
    fputs(", \"build_ms\": ", out);
    put_number(out, s->lab->build_ms, s->lab->build_ms >= 0);
    fputs(",\n \"gflops\": ", out);
    put_number(out, timed ? gflops(s, kernel.median) : 0, timed && kernel.median > 0);
    fputs(", \"spread\": ", out);
    put_number(out, kernel.spread, timed);
    fputs(", \"ceilings\": ", out);
    if (c.gflops <= 0) {
        fputs("null", out);
        return;
    }
    fprintf(out, "{\"gflops\": %.2f, \"gbs\": %.2f, \"instructions\": ", c.gflops, c.gbs);
    put_string(out, c.instructions[0] != '\0' ? c.instructions : NULL);
    fprintf(out, ", \"best_gflops\": %.2f}", c.best);
}

static void put_record(FILE *out, const struct session *s, const char *verdict, const char *reason)
{
    const struct {
        const char *name, *value;
    } strings[] = {{"lab", config.lab},
                   {"variant", s->variant},
                   {"backend", s->lab->backend},
                   {"device", s->lab->device},
                   {"type", config.type},
                   {"settings", config.settings},
                   {"instructions", strcmp(s->lab->backend, "cpu") == 0 ? instructions : NULL},
                   {"rounding", config.rounding[0] != '\0' ? config.rounding : NULL},
                   {"library", used_library[0] != '\0' ? used_library : NULL},
                   {"mode", s->opt.check  ? "check"
                            : s->opt.once ? "once"
                                          : "time"},
                   {"verdict", verdict},
                   {"reason", reason}};
    fputs("{\"schema\": \"gemm-run/1\"", out);
    for (size_t n = 0; n < sizeof strings / sizeof strings[0]; n++) {
        fprintf(out, ",\n \"%s\": ", strings[n].name);
        put_string(out, strings[n].value);
    }
    fprintf(out, ",\n \"seed\": %u", s->opt.seed);
    fprintf(out, ",\n \"trapped\": %s", s->trapped ? "true" : "false");
    fputs(",\n \"ended\": ", out);
    put_string(out, s->ended);
    fprintf(out, ",\n \"battery\": %d",
            s->judged != NULL ? s->judged->count
            : s->opt.check    ? battery_size()
                              : 0);
    fprintf(out, ",\n \"grown\": %zu,\n \"outside\": ", s->grown);
    put_string(out, s->outside[0] != '\0' ? s->outside : NULL);
    put_ranks(out, &s->ranks);
    put_shapes(out, s);
    put_failure(out, s);
    put_repetitions(out, s);
    put_error(out, &s->error);
    put_speed(out, s);
    put_steady(out, s);
    fputs("}\n", out);
}

void write_record(const struct session *s, const char *verdict, const char *reason)
{
    const char *name = s->opt.json;
    if (name == NULL)
        return;
    struct stat there;
    if (stat(name, &there) == 0 &&
        !S_ISREG(there.st_mode)) { // a rename would put a file in its place
        ending.record = NULL;
        exit_with(EXIT_USAGE, "cannot write %s: it is no file: choose another --json file", name);
    }
    size_t size = strlen(name) + sizeof ".new";
    char *new_name = scratch(size, 1);
    snprintf(new_name, size, "%s.new", name);
    FILE *out = fopen(new_name, "w");
    bool written = out != NULL;
    if (written) {
        put_record(out, s, verdict, reason);
        written = !ferror(out);
        written = fclose(out) == 0 && written && rename(new_name, name) == 0;
    }
    if (!written) {
        int why = errno;
        if (out != NULL)
            remove(new_name);
        ending.record = NULL; // that would try again
        exit_with(EXIT_USAGE, "cannot write %s: %s: choose another --json file", name,
                  strerror(why));
    }
    free(new_name);
}
