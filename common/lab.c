// SPDX-License-Identifier: MIT
// What main calls. In the child of guest/guest.h these wait for the host, or answer it. In a
// process that is alone they do what the host does.
#include "lab.h"
#include "guest/guest.h"
#include "record/record.h"
#include "session/session.h"

#include <limits.h>
#include <stdlib.h>

void lab_begin(struct lab *lab, int argc, char **argv, const char *backend, struct tile tile)
{
    const char *slash = strrchr(argv[0], '/'), *name = slash != NULL ? slash + 1 : argv[0];
    *lab = (struct lab){.backend = backend, .tile = tile, .csv = -1};
    lab->variant = strncmp(name, "gemm_", 5) == 0 ? name + 5 : "";
    lab->method = "";
    lab->alloc_ms = lab->context_ms = lab->build_ms = -1;
    if (lab->tile.n == INT_MAX) // whole rows: C ends nowhere inside a tile
        lab->tile.n = 1;
    keep_ending(lab);
    parse_options(&lab->opt, argc, argv);
    if (lab->opt.binary != NULL && strcmp(backend, "opencl") != 0)
        exit_with(EXIT_USAGE, "--binary is for the OpenCL labs: use make asm in this one");
    require_cpu();
    const char *socket = getenv("GEMM_GUEST");
    if (socket == NULL) { // the host keeps them
        open_csv(lab);
        write_record(lab, "incomplete", NULL);
    }
    if (strcmp(backend, "cpu") == 0)
        choose_cpu(lab);
    lab->is_alone = getenv("GEMM_ALONE") != NULL;
    if (socket != NULL)
        guest_begin(lab, atoi(socket));
    else if (!lab->is_alone)
        host_guest(lab, argv);
}

bool next_problem(struct lab *lab)
{
    return lab->is_guest ? guest_next_problem(lab) : begin_problem(lab);
}

bool next_run(struct lab *lab)
{
    return lab->is_guest ? guest_next_run(lab) : begin_run(lab);
}

void end_run(struct lab *lab, struct times times)
{
    if (lab->is_guest)
        guest_end_run(lab, times);
    else
        finish_run(lab, times);
}

void print_report(struct lab *lab)
{
    if (!lab->is_guest)
        report_problem(lab);
}

int lab_end(struct lab *lab)
{
    return lab->is_guest ? EXIT_SUCCESS : conclude(lab);
}
