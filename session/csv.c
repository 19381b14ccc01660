// SPDX-License-Identifier: MIT
// --csv: a row for each timed repetition.
#include "session/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char header[] =
    "lab,variant,backend,device,type,M,N,K,rep,kernel_ms,h2d_ms,d2h_ms,alloc_ms,build_ms,gflops,"
    "verified,context_ms,cpu_ms,peak_gflops,peak_gbs,settings,steady_ms\n";

void open_csv(struct session *s)
{
    if (s->opt.csv == NULL)
        return;
    s->csv = open(s->opt.csv, O_RDWR | O_APPEND | O_CREAT, 0666);
    if (s->csv < 0)
        exit_with(EXIT_USAGE, "cannot write %s: %s: choose another --csv file", s->opt.csv,
                  strerror(errno));
}

static void print_row(FILE *out, const struct session *s, int rep, const struct ceilings *c)
{
    const struct problem *p = &s->lab->problem;
    const struct times *t = &s->times[rep];
    bool gpu = s->lab->alloc_ms >= 0;
    fprintf(out, "%s,%s,%s,\"%s\",%s,%d,%d,%d,%d,%.6f", config.lab, s->variant, s->lab->backend,
            s->lab->device, config.type, p->M, p->N, p->K, rep + 1, t->kernel);
    if (has_copies(s))
        fprintf(out, ",%.6f,%.6f", t->h2d, t->d2h);
    else
        fprintf(out, ",,");
    if (gpu)
        fprintf(out, ",%.6f,", s->lab->alloc_ms);
    else
        fprintf(out, ",,");
    if (s->lab->build_ms >= 0)
        fprintf(out, "%.6f", s->lab->build_ms);
    if (is_emulated(s) || t->kernel <= 0 || s->no_speed[0] != '\0')
        fprintf(out, ","); // a speed that is none
    else
        fprintf(out, ",%.4f", gflops(s, t->kernel));
    fprintf(out, ",%s,", strstr(s->method, "Freivalds") ? "freivalds" : "full");
    if (s->lab->context_ms >= 0)
        fprintf(out, "%.6f", s->lab->context_ms);
    fprintf(out, gpu ? "," : ",%.3f", t->cpu);
    if (c->gflops > 0)
        fprintf(out, ",%.2f,%.2f", c->gflops, c->gbs);
    else
        fprintf(out, ",,");
    fprintf(out, ",\"%s\",", config.settings);
    if (s->steady.launches > 0 && s->no_speed[0] == '\0')
        fprintf(out, "%.6f", s->steady.ms);
    fprintf(out, "\n");
}

// The whole table in one write, so that a full disk or an interrupt leaves no half row behind.
void append_csv(const struct session *s, const struct ceilings *c)
{
    if (s->csv < 0)
        return;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        exit_with(EXIT_USAGE, "no memory to write %s", s->opt.csv);
    off_t before = lseek(s->csv, 0, SEEK_END);
    char first[sizeof header] = "";
    if (before == 0)
        fputs(header, out);
    else if (pread(s->csv, first, sizeof header - 1, 0) < 0 || strcmp(first, header) != 0)
        exit_with(EXIT_USAGE, "%s has other columns: choose another --csv file", s->opt.csv);
    for (int rep = 0; rep < timed_runs(s); rep++)
        print_row(out, s, rep, c);
    if (fclose(out) != 0 || write(s->csv, text, size) != (ssize_t)size) {
        int reason = errno;
        // Take back a half-written table. A device such as /dev/full keeps nothing anyway.
        bool half = ftruncate(s->csv, before) != 0 && errno != EINVAL;
        exit_with(EXIT_USAGE, "cannot write %s: %s: %s", s->opt.csv, strerror(reason),
                  half ? "its last rows may be cut off" : "nothing was appended");
    }
    free(text);
}
