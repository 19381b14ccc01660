// SPDX-License-Identifier: MIT
// --csv: a row for each timed repetition.
#include "record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char header[] =
    "lab,variant,backend,device,type,M,N,K,rep,kernel_ms,h2d_ms,d2h_ms,alloc_ms,build_ms,gflops,"
    "verified,context_ms,cpu_ms,peak_gflops,peak_gbs,settings,steady_ms\n";

void open_csv(struct lab *lab)
{
    if (lab->opt.csv == NULL)
        return;
    lab->csv = open(lab->opt.csv, O_RDWR | O_APPEND | O_CREAT, 0666);
    if (lab->csv < 0)
        exit_with(EXIT_USAGE, "cannot write %s: %s: choose another --csv file", lab->opt.csv,
                  strerror(errno));
}

static void print_row(FILE *out, const struct lab *lab, int rep, const struct ceilings *c)
{
    const struct problem *p = &lab->problem;
    const struct times *t = &lab->times[rep];
    bool gpu = lab->alloc_ms >= 0;
    fprintf(out, "%s,%s,%s,\"%s\",%s,%d,%d,%d,%d,%.6f", config.lab, lab->variant, lab->backend,
            lab->device, config.type, p->M, p->N, p->K, rep + 1, t->kernel);
    if (has_copies(lab))
        fprintf(out, ",%.6f,%.6f", t->h2d, t->d2h);
    else
        fprintf(out, ",,");
    if (gpu)
        fprintf(out, ",%.6f,", lab->alloc_ms);
    else
        fprintf(out, ",,");
    if (lab->build_ms >= 0)
        fprintf(out, "%.6f", lab->build_ms);
    if (is_emulated(lab) || t->kernel <= 0 || lab->no_speed[0] != '\0')
        fprintf(out, ","); // a speed that is none
    else
        fprintf(out, ",%.4f", gflops(lab, t->kernel));
    fprintf(out, ",%s,", strstr(lab->method, "Freivalds") ? "freivalds" : "full");
    if (lab->context_ms >= 0)
        fprintf(out, "%.6f", lab->context_ms);
    fprintf(out, gpu ? "," : ",%.3f", t->cpu);
    if (c->gflops > 0)
        fprintf(out, ",%.2f,%.2f", c->gflops, c->gbs);
    else
        fprintf(out, ",,");
    fprintf(out, ",\"%s\",", config.settings);
    if (lab->steady.launches > 0 && lab->no_speed[0] == '\0')
        fprintf(out, "%.6f", lab->steady.ms);
    fprintf(out, "\n");
}

// The whole table in one write, so that a full disk or an interrupt leaves no half row behind.
void append_csv(const struct lab *lab, const struct ceilings *c)
{
    if (lab->csv < 0)
        return;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        exit_with(EXIT_USAGE, "no memory to write %s", lab->opt.csv);
    off_t before = lseek(lab->csv, 0, SEEK_END);
    char first[sizeof header] = "";
    if (before == 0)
        fputs(header, out);
    else if (pread(lab->csv, first, sizeof header - 1, 0) < 0 || strcmp(first, header) != 0)
        exit_with(EXIT_USAGE, "%s has other columns: choose another --csv file", lab->opt.csv);
    for (int rep = 0; rep < timed_runs(lab); rep++)
        print_row(out, lab, rep, c);
    if (fclose(out) != 0 || write(lab->csv, text, size) != (ssize_t)size) {
        int reason = errno;
        // Take back a half-written table; what is no file, as /dev/full, keeps nothing anyway.
        bool half = ftruncate(lab->csv, before) != 0 && errno != EINVAL;
        exit_with(EXIT_USAGE, "cannot write %s: %s: %s", lab->opt.csv, strerror(reason),
                  half ? "its last rows may be cut off" : "nothing was appended");
    }
    free(text);
}
