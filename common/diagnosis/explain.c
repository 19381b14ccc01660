// SPDX-License-Identifier: MIT
// What is wrong with C, in sentences.
#include "strict.h"
#include "diagnosis/diagnosis.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static const char names[] = "ABC";

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

static void print_map(const struct problem *p, const struct findings *f, FILE *out)
{
    int rows = p->M < MAP_ROWS ? p->M : MAP_ROWS, cols = p->N < MAP_COLS ? p->N : MAP_COLS;
    fprintf(out,
            "  map of C       . right   + partly wrong   # all wrong   (blank: not looked at)\n");
    for (int y = 0; y < rows; y++) {
        fprintf(out, "                 ");
        for (int x = 0; x < cols; x++) { // element rows and columns that fall into this cell
            int cell_y = (int)((long)y * MAP_ROWS / rows),
                cell_x = (int)((long)x * MAP_COLS / cols);
            int seen = f->map_seen[cell_y][cell_x], wrong = f->map_wrong[cell_y][cell_x];
            fputc(seen == 0 ? ' ' : wrong == 0 ? '.' : wrong == seen ? '#' : '+', out);
        }
        fputc('\n', out);
    }
}

void explain(const struct problem *p, const struct findings *f, FILE *out)
{
    fprintf(out, "FAIL  M=%d N=%d K=%d, %s, seed %u\n", p->M, p->N, p->K,
            p->set == INTEGERS ? "whole numbers with exact sums"
            : p->tensor_cores  ? "uniform values in [-1,1), A times 2^20, B by 2^20"
                               : "uniform values in [-1,1)",
            p->seed);
    if (f->stray.matrix != 0) { // it was stopped there: of C nothing is known
        const struct stray *s = &f->stray;
        if (s->at >= 0 && s->at <= s->last)
            fprintf(out, "  input %c        %s%s %c[%ld]: a kernel only reads %c\n", s->matrix,
                    s->line, s->verb, s->matrix, s->at, s->matrix);
        else
            fprintf(out, "  outside %c      %s%s %c[%ld], which has 0 to %ld\n", s->matrix, s->line,
                    s->verb, s->matrix, s->at, s->last);
    }
    const struct matrix *all[] = {&p->A, &p->B, &p->C};
    for (int m = 0; m < 3; m++)
        if (f->guard_words[m] > 0) {
            char label[] = "  outside C      ";
            *strchr(label, 'C') = names[m];
            print_wrapped(
                out, label, "%ld words were overwritten, from index %ld on; %c ends at %ld",
                f->guard_words[m], f->guard_at[m], names[m], (long)all[m]->rows * all[m]->cols - 1);
        }
    if (f->stray.matrix != 0)
        return;
    for (int m = 0; m < 2; m++)
        if (f->input_changes[m] > 0) {
            char label[] = "  input A        ";
            *strchr(label, 'A') = names[m];
            print_wrapped(out, label,
                          "%ld elements were changed, from index %ld on: a kernel only reads %c",
                          f->input_changes[m], f->input_at[m], names[m]);
        }
    if (f->wrong > 0) {
        char got[32] = "NaN", off[48] = ""; // printf may write nan, -nan or NaN
        if (!isnan(f->got))
            snprintf(got, sizeof got, "%.9g", f->got);
        if (f->bound > 0 && !isnan(f->got))
            snprintf(off, sizeof off, ", off by %.3g times the bound",
                     fabs(f->got - f->expected) / f->bound);
        print_wrapped(out, "  first wrong    ", "C(%d,%d) is %s, expected %.9g%s", f->i, f->j, got,
                      f->expected, off);
        print_wrapped(out, "  wrong          ",
                      "%ld of %ld elements looked at, rows %d to %d, columns %d to %d", f->wrong,
                      f->examined, f->i_min, f->i_max, f->j_min, f->j_max);
        print_map(p, f, out);
    } else if (f->rows_failed > 0)
        fprintf(out, "  wrong          %ld rows fail Freivalds' test\n", f->rows_failed);
    if (f->changed[AGAIN] > 0)
        fprintf(out, "  run again      %ld elements of C differ, with the very same inputs\n",
                f->changed[AGAIN]);
    else
        fprintf(out, "  run again      the very same C\n");
}
