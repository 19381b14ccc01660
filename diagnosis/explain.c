// SPDX-License-Identifier: MIT
// What is wrong with C, in sentences.
#include "diagnosis/diagnosis.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void print_wrapped(FILE *out, const char *label, const char *format, ...)
{
    enum { WIDTH = 80 };
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fputs(label, out);
    size_t indent = strlen(label), column = indent;
    for (const char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        if (column > indent && column + 1 + strlen(word) > WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent)
            column += fputc(' ', out) == ' ';
        fputs(word, out);
        column += strlen(word);
    }
    fputc('\n', out);
}

static void print_map(const struct findings *f, FILE *out)
{
    const int rows = f->M < MAP_ROWS ? f->M : MAP_ROWS, cols = f->N < MAP_COLS ? f->N : MAP_COLS;
    fprintf(out,
            "  map of C       . right   + partly wrong   # all wrong   (blank: not looked at)\n");
    for (int y = 0; y < rows; y++) {
        fprintf(out, "                 ");
        for (int x = 0; x < cols; x++) {
            const int cell_y = y * MAP_ROWS / rows, cell_x = x * MAP_COLS / cols;
            const int seen = f->map_seen[cell_y][cell_x], wrong = f->map_wrong[cell_y][cell_x];
            fputc(seen == 0 ? ' ' : wrong == 0 ? '.' : wrong == seen ? '#' : '+', out);
        }
        fputc('\n', out);
    }
}

static void print_stray(const struct stray *s, FILE *out)
{
    const bool inside = s->at >= 0 && s->at <= s->last;
    fprintf(out, "  %s %c%s%s%s %c[%ld]", inside ? "input" : "outside", s->matrix,
            inside ? "        " : "      ", s->line, s->verb, s->matrix, s->at);
    if (inside)
        fprintf(out, ": a kernel only reads %c\n", s->matrix);
    else
        fprintf(out, ", which has 0 to %ld\n", s->last);
}

static void print_wrong(const struct findings *f, FILE *out)
{
    char got[32] = "NaN", off[48] = ""; // printf may write nan, -nan or NaN
    if (!isnan(f->found.got))
        snprintf(got, sizeof got, "%.9g", f->found.got);
    if (f->found.bound > 0 && !isnan(f->found.got))
        snprintf(off, sizeof off, ", off by %.3g times the bound",
                 fabs(f->found.got - f->found.expected) / f->found.bound);
    print_wrapped(out, "  first wrong    ", "C(%d,%d) is %s, expected %.9g%s", f->found.i,
                  f->found.j, got, f->found.expected, off);
    print_wrapped(out, "  wrong          ",
                  "%ld of %ld elements looked at, rows %d to %d, columns %d to %d", f->found.wrong,
                  f->found.examined, f->i_min, f->i_max, f->j_min, f->j_max);
    print_map(f, out);
}

void explain(const struct problem *p, const struct findings *f, FILE *out)
{
    static const char *const outside[] = {"  outside A      ", "  outside B      ",
                                          "  outside C      "};
    static const char *const inputs[] = {"  input A        ", "  input B        "};
    const struct matrix *all[] = {&p->A, &p->B, &p->C};
    fprintf(out, "FAIL  M=%d N=%d K=%d, %s, seed %u\n", p->M, p->N, p->K,
            p->set == INTEGERS    ? "whole numbers with exact sums"
            : precision.truncates ? "uniform values in [-1,1), A times 2^20, B by 2^20"
                                  : "uniform values in [-1,1)",
            p->seed);
    if (f->stray.matrix != 0)
        print_stray(&f->stray, out);
    for (int m = 0; m < 3; m++)
        if (f->found.guard_words[m] > 0)
            print_wrapped(out, outside[m],
                          "%ld words were overwritten, from index %ld on; %c ends at %ld",
                          f->found.guard_words[m], f->found.guard_at[m], "ABC"[m],
                          (long)elements_of(all[m]) - 1);
    if (f->stray.matrix != 0) // it was stopped there: C is unknown
        return;
    for (int m = 0; m < 2; m++)
        if (f->found.input_changes[m] > 0)
            print_wrapped(out, inputs[m],
                          "%ld elements were changed, from index %ld on: a kernel only reads %c",
                          f->found.input_changes[m], f->found.input_at[m], "AB"[m]);
    if (f->found.wrong > 0)
        print_wrong(f, out);
    else if (f->found.suspects > 0)
        fprintf(out, "  wrong          %ld rows fail Freivalds' test\n", f->found.suspects);
    if (f->changed[AGAIN] > 0)
        fprintf(out, "  run again      %ld elements of C differ, with the very same inputs\n",
                f->changed[AGAIN]);
    else
        fprintf(out, "  run again      the very same C\n");
}
