// SPDX-License-Identifier: MIT
// Statistics over the repetitions, the printout and the CSV.
#include "lab.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char header[] =
    "lab,variant,backend,device,type,M,N,K,rep,kernel_ms,h2d_ms,d2h_ms,alloc_ms,build_ms,gflops,"
    "verified,context_ms,cpu_ms,peak_gflops,peak_gbs,settings\n";

static int csv = -1;

void open_csv(const struct lab *lab)
{
    if (lab->opt.csv == NULL)
        return;
    csv = open(lab->opt.csv, O_RDWR | O_APPEND | O_CREAT, 0666);
    if (csv < 0)
        leave(EXIT_USAGE, "cannot write %s: %s: choose another --csv file", lab->opt.csv,
              strerror(errno));
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct summary {
    double median, minimum, spread; // spread: distance of the quartiles over the median
};

static double quantile(const double *sorted, int count, double q)
{
    double at = q * (count - 1);
    int below = (int)at;
    double above = sorted[below + 1 < count ? below + 1 : below];
    return sorted[below] + (at - below) * (above - sorted[below]);
}

static struct summary summarize(const struct lab *lab, size_t offset)
{
    double values[MAX_REPS];
    int count = lab->runs - 2;
    for (int r = 0; r < count; r++)
        memcpy(&values[r], (const char *)&lab->times[r] + offset, sizeof values[r]);
    qsort(values, (size_t)count, sizeof values[0], ascending);
    double median = quantile(values, count, 0.5);
    double box = quantile(values, count, 0.75) - quantile(values, count, 0.25);
    return (struct summary){median, values[0], median > 0 ? box / median : 0};
}

// The ceilings that `make ceilings` measured on this device, 0 where it did not. A line of the
// file: backend, device, type, GFLOP/s, GB/s, separated by tabs.
static void read_ceilings(const struct lab *lab, double *gflops, double *gbs)
{
    char line[512], start[400];
    int length = snprintf(start, sizeof start, "%s\t%s\t%s\t", lab->backend, lab->device, TYPE);
    FILE *file = fopen(CEILINGS, "r");
    *gflops = *gbs = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, start, (size_t)length) == 0)
            sscanf(line + length, "%lf %lf", gflops, gbs);
    if (file != NULL)
        fclose(file);
}

static double gflop(const struct problem *p)
{
    return 2e-9 * p->M * p->N * p->K;
}

// The whole table in one write, so that a full disk or an interrupt leaves no half row behind.
static void append_csv(const struct lab *lab, double peak_gflops, double peak_gbs)
{
    const struct problem *p = &lab->problem;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        leave(EXIT_USAGE, "no memory to write %s", lab->opt.csv);
    off_t before = lseek(csv, 0, SEEK_END);
    char first[sizeof header] = "";
    if (before == 0)
        fputs(header, out);
    else if (pread(csv, first, sizeof header - 1, 0) < 0 || strcmp(first, header) != 0)
        leave(EXIT_USAGE, "%s has other columns: choose another --csv file", lab->opt.csv);
    for (int r = 0; r < lab->runs - 2; r++) {
        const struct times *t = &lab->times[r];
        bool gpu = lab->alloc_ms >= 0;
        fprintf(out, "%s,%s,%s,\"%s\",%s,%d,%d,%d,%d,%.6f", LAB, lab->variant, lab->backend,
                lab->device, TYPE, p->M, p->N, p->K, r + 1, t->kernel);
        if (gpu)
            fprintf(out, ",%.6f,%.6f,%.6f,", t->h2d, t->d2h, lab->alloc_ms);
        else
            fprintf(out, ",,,,");
        if (lab->build_ms >= 0)
            fprintf(out, "%.6f", lab->build_ms);
        if (is_emulated(lab))
            fprintf(out, ","); // a speed that is none
        else
            fprintf(out, ",%.4f", gflop(p) / (t->kernel * 1e-3));
        fprintf(out, ",%s,", strstr(lab->method, "Freivalds") ? "freivalds" : "full");
        if (lab->context_ms >= 0)
            fprintf(out, "%.6f", lab->context_ms);
        fprintf(out, gpu ? "," : ",%.3f", t->cpu);
        if (peak_gflops > 0)
            fprintf(out, ",%.2f,%.2f", peak_gflops, peak_gbs);
        else
            fprintf(out, ",,");
        fprintf(out, ",\"%s\"\n", GIVEN);
    }
    if (fclose(out) != 0 || write(csv, text, size) != (ssize_t)size) {
        int reason = errno;
        if (before >= 0 && ftruncate(csv, before) != 0) // take back a half-written table
            reason = errno;
        leave(EXIT_USAGE, "cannot write %s: %s: nothing was appended", lab->opt.csv,
              strerror(reason));
    }
    free(text);
}

// Speed and traffic, also as a share of the measured ceilings.
static void print_speed(const struct lab *lab, struct summary kernel, double peak_gflops,
                        double peak_gbs)
{
    const struct problem *p = &lab->problem;
    double seconds = kernel.median * 1e-3, gflops = gflop(p) / seconds;
    double gigabytes = ((double)p->M * p->K + (double)p->K * p->N + (double)p->M * p->N) *
                       (double)sizeof(real) * 1e-9;
    if (is_emulated(lab)) {
        printf("  emulated       correctness only: the times say nothing about a GPU\n");
        return;
    }
    if (kernel.spread > 0.2)
        printf("  speed          too noisy to tell (%.3g GFLOP/s at the median): run it again\n",
               gflops);
    else {
        printf("  speed          %.4g GFLOP/s", gflops);
        if (peak_gflops > 0)
            printf(" = %.1f %% of this device's %.4g", 100 * gflops / peak_gflops, peak_gflops);
        printf("\n  traffic        %.4g GB/s if each matrix moved once", gigabytes / seconds);
        if (peak_gbs > 0)
            printf(" = %.1f %% of %.4g", 100 * gigabytes / seconds / peak_gbs, peak_gbs);
        printf("\n");
    }
    if (peak_gflops <= 0)
        printf("  ceilings       not measured on this device yet: make ceilings\n");
}

void print_report(struct lab *lab)
{
    if (lab->opt.check)
        return;
    const struct problem *p = &lab->problem;
    struct summary kernel = summarize(lab, offsetof(struct times, kernel));
    double peak_gflops, peak_gbs;
    read_ceilings(lab, &peak_gflops, &peak_gbs);
    if (lab->opt.csv != NULL) // first: no speed is printed that could not be kept
        append_csv(lab, peak_gflops, peak_gbs);

    printf("%s%s%s  %s  M=%d N=%d K=%d  seed %u\n", LAB, lab->variant[0] ? " " : "", lab->variant,
           TYPE, p->M, p->N, p->K, lab->opt.seed);
    printf("  device         %s\n", lab->device);
    if (GIVEN[0] != '\0')
        printf("  given          %s\n", GIVEN);
    printf("  verified       PASS  %s; exact on whole numbers\n", lab->method);
    printf("  kernel         %.3f ms median, %.3f minimum, spread %.0f %%, %d repetitions\n",
           kernel.median, kernel.minimum, 100 * kernel.spread, lab->runs - 2);
    print_speed(lab, kernel, peak_gflops, peak_gbs);
    if (lab->alloc_ms < 0)
        printf("  CPU time       %.3f ms by clock(), all threads together\n",
               summarize(lab, offsetof(struct times, cpu)).median);
    else {
        printf("  copies         %.3f ms host to device, %.3f ms device to host\n",
               summarize(lab, offsetof(struct times, h2d)).median,
               summarize(lab, offsetof(struct times, d2h)).median);
        printf("  set-up         %.3f ms allocation, %.3f ms context", lab->alloc_ms,
               lab->context_ms);
        if (lab->build_ms >= 0)
            printf(", %.3f ms program build", lab->build_ms);
        printf("\n");
    }
}
