// SPDX-License-Identifier: MIT
// What records are made of.
#include "session/json.h"

#include <math.h>

void put_string(FILE *out, const char *text)
{
    if (text == NULL) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < ' ')
            fprintf(out, "\\u%04x", c);
        else
            fputc(c < 127 ? c : '?', out);
    }
    fputc('"', out);
}

void put_number(FILE *out, double x, bool known)
{
    if (known && isfinite(x))
        fprintf(out, "%.9g", x);
    else
        fputs("null", out);
}

void put_finding(FILE *out, const struct findings *f, struct cause cause)
{
    fprintf(out, "{\"M\": %d, \"N\": %d, \"K\": %d, \"data\": \"%s\", \"seed\": %u", f->M, f->N,
            f->K, f->set == INTEGERS ? "integers" : "uniform", f->seed);
    if (f->found.wrong > 0) {
        fprintf(out, ",\n  \"first\": {\"i\": %d, \"j\": %d, \"got\": ", f->found.i, f->found.j);
        put_number(out, f->found.got, true);
        fputs(", \"expected\": ", out);
        put_number(out, f->found.expected, true);
        fputs(", \"bounds\": ", out);
        put_number(out, fabs(f->found.got - f->found.expected) / f->found.bound,
                   f->found.bound > 0);
        fprintf(out, "},\n  \"rows\": [%d, %d], \"columns\": [%d, %d]", f->i_min, f->i_max,
                f->j_min, f->j_max);
    } else
        fputs(",\n  \"first\": null, \"rows\": null, \"columns\": null", out);
    fprintf(out, ", \"wrong\": %ld, \"examined\": %ld", f->found.wrong, f->found.examined);
    fprintf(out, ",\n  \"outside\": {\"A\": %ld, \"B\": %ld, \"C\": %ld}", f->found.guard_words[0],
            f->found.guard_words[1], f->found.guard_words[2]);
    fprintf(out, ", \"changed\": {\"A\": %ld, \"B\": %ld}", f->found.input_changes[0],
            f->found.input_changes[1]);
    fprintf(out, ", \"unstable\": %s,\n  \"kind\": ", f->changed[AGAIN] > 0 ? "true" : "false");
    put_string(out, cause.kind);
    fputs(", \"cause\": ", out);
    put_string(out, cause.kind != NULL ? cause.text : NULL);
    fputc('}', out);
}
