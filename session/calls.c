// SPDX-License-Identifier: MIT
// The six calls of lab.h. In the child of guest/guest.h they wait for the host, or answer it. A
// single process does the host's work itself.
#include "guest/guest.h"
#include "session/record.h"
#include "session/session.h"

#include <limits.h>
#include <stdlib.h>

void begin_session(struct session *s, struct lab *lab, const char *backend, struct tile tile)
{
    *lab = (struct lab){.backend = backend, .tile = tile, .is_timed = true, .session = s};
    lab->alloc_ms = lab->context_ms = lab->build_ms = -1;
    if (lab->tile.n == INT_MAX) // whole rows: C ends nowhere inside a tile
        lab->tile.n = 1;
    precision = (struct precision){.roundoff = config.roundoff,
                                   .truncates = config.tensor_cores,
                                   .scale = config.tensor_cores ? 1 << 20 : 1};
    *s = (struct session){.lab = lab, .csv = -1, .variant = "", .method = ""};
    keep_ending(s);
}

void lab_begin(struct lab *lab, int argc, char **argv, const char *backend, struct tile tile)
{
    static struct session session; // static, because it is large
    struct session *s = &session;
    const char *slash = strrchr(argv[0], '/'), *name = slash != NULL ? slash + 1 : argv[0];
    begin_session(s, lab, backend, tile);
    s->variant = strncmp(name, "gemm_", 5) == 0 ? name + 5 : "";
    parse_options(&s->opt, argc, argv);
    lab->is_timed = is_timed(s);
    if (s->opt.binary != NULL && strcmp(backend, "opencl") != 0)
        exit_with(EXIT_USAGE, "--binary is for the OpenCL labs: use make asm in this one");
    require_cpu();
    const char *socket = getenv("GEMM_GUEST");
    if (socket == NULL) { // the host keeps them
        open_csv(s);
        write_record(s, "incomplete", NULL);
    }
    if (strcmp(backend, "cpu") == 0)
        choose_cpu(s);
    s->is_alone = getenv("GEMM_ALONE") != NULL;
    if (socket != NULL)
        guest_begin(s, atoi(socket));
    else if (!s->is_alone)
        host_guest(s, argv);
}

bool next_problem(struct lab *lab)
{
    struct session *s = lab->session;
    return s->is_guest ? guest_next_problem(s) : begin_problem(s);
}

bool next_run(struct lab *lab)
{
    struct session *s = lab->session;
    return s->is_guest ? guest_next_run(s) : begin_run(s);
}

void end_run(struct lab *lab, struct times times)
{
    struct session *s = lab->session;
    if (s->is_guest)
        guest_end_run(s, times);
    else
        finish_run(s, times);
}

void print_report(struct lab *lab)
{
    if (!lab->session->is_guest)
        report_problem(lab->session);
}

int lab_end(struct lab *lab)
{
    return lab->session->is_guest ? EXIT_SUCCESS : conclude(lab->session);
}
