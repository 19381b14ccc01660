// SPDX-License-Identifier: MIT
// The session: command line -> problems -> runs. See lab.h for the order of the calls.
#include "lab.h"
#include "session/config.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char used_library[160];

// What leave() calls, and exit() where a kernel does.
static void record_ending(void *context, int status, const char *reason)
{
    const struct lab *lab = context;
    const char *verdict = status == EXIT_SKIPPED ? "skip"
                          : status == EXIT_USAGE ? "error"
                          : lab->impossible      ? "impossible"
                                                 : "fail";
    write_record(lab, verdict, reason);
}

// A kernel that calls exit(0) must not pass for a verified one.
static void refuse_silent_success(void)
{
    static const char reason[] = "the kernel ended the program before its result was verified";
    if (ending.decided)
        return;
    fprintf(stderr, "gemm: %s\n", reason);
    if (ending.record != NULL)
        ending.record(ending.context, EXIT_WRONG, reason);
    _exit(EXIT_WRONG);
}

static void require_cpu(void)
{
#ifdef __x86_64__
    if (config.needs_avx2 && (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")))
        leave(EXIT_SKIPPED, "skipped: this CPU has no AVX2 and FMA");
    if (config.needs_avx512 && !__builtin_cpu_supports("avx512f"))
        leave(EXIT_SKIPPED, "skipped: this CPU has no AVX-512");
#endif
}

void lab_begin(struct lab *lab, int argc, char **argv, const char *backend, struct tile tile)
{
    const char *slash = strrchr(argv[0], '/'), *name = slash != NULL ? slash + 1 : argv[0];
    *lab = (struct lab){.backend = backend, .tile = tile, .csv = -1};
    lab->variant = strncmp(name, "gemm_", 5) == 0 ? name + 5 : "";
    lab->alloc_ms = lab->context_ms = lab->build_ms = -1;
    if (lab->tile.n == INT_MAX) // whole rows: C ends nowhere inside a tile
        lab->tile.n = 1;
    ending.record = record_ending;
    ending.context = lab;
    parse_options(&lab->opt, argc, argv);
    if (lab->opt.binary != NULL && strcmp(backend, "opencl") != 0)
        leave(EXIT_USAGE, "--binary is for the OpenCL labs: use make asm in this one");
    require_cpu();
    open_csv(lab);
    write_record(lab, "incomplete", NULL);
    if (strcmp(backend, "cpu") == 0)
        choose_cpu(lab);
    atexit(refuse_silent_success);
}

bool is_emulated(const struct lab *lab)
{
    return strcmp(lab->backend, "emulated") == 0;
}

bool is_timed(const struct lab *lab)
{
    return !lab->opt.check && !lab->opt.once;
}

bool on_terminal(const struct lab *lab)
{
    return lab->ranks.count == 0 && isatty(STDOUT_FILENO);
}

bool has_copies(const struct lab *lab)
{
    return lab->alloc_ms >= 0 || lab->ranks.count > 0;
}

const char *unfinished(const struct lab *lab)
{
    bool own = lab->variant[0] == '\0';
    return own && config.unfinished[0] != '\0' ? config.unfinished : NULL;
}

// ---- how long it will take --------------------------------------------------------------------
// Before a large problem a small one is done, so that a wait of minutes is announced.
static int rehearsal_size(const struct lab *lab)
{
    int size = is_emulated(lab) ? 128 : 512;
    double products = (double)lab->opt.M * lab->opt.N * lab->opt.K;
    return products > 64.0 * size * size * size ? size : 0;
}

static int repetitions(const struct lab *lab, double ms)
{
    double fit = ms > 0 ? 1000 / ms : MAX_REPS;
    int reps = is_emulated(lab) ? 1 : fit < 3 ? 3 : fit > 20 ? 20 : (int)fit;
    return lab->opt.reps > 0 ? lab->opt.reps : reps;
}

// From the time of the rehearsal's second run, as in the first a library may compile. Only what takes more
// than a minute is announced.
static void announce(const struct lab *lab, double ms)
{
    const struct problem *p = &lab->problem;
    const struct options *o = &lab->opt;
    double times_larger = ((double)o->M / p->M) * ((double)o->N / p->N) * ((double)o->K / p->K);
    double each = ms * times_larger, minutes = each * (2 + repetitions(lab, each)) / 60e3;
    if (minutes > 1)
        fprintf(stderr, "%d x %d x %d will take about %.0f minutes%s\n", o->M, o->N, o->K, minutes,
                is_emulated(lab) ? ", emulated: for right or wrong a smaller size will do" : "");
}

// ---- problems ---------------------------------------------------------------------------------
// Before the one that was asked for. Whoever chose three sizes, or a very small one, looks at just these.
static bool next_rehearsal(struct lab *lab, struct outcome *shape)
{
    const int M = lab->opt.M, size = rehearsal_size(lab);
    const bool odd = lab->opt.rehearse && M == lab->opt.N && M == lab->opt.K && M > 16;
    if (odd && rehearsal_shape(lab->tile, lab->rehearsals, shape)) {
        lab->rehearsals++;
        return true;
    }
    if (size == 0 || lab->sized)
        return false;
    shape->M = shape->N = shape->K = size;
    return lab->sized = true;
}

static bool next_shape(struct lab *lab, struct outcome *shape)
{
    const bool another = lab->opt.once && lab->shapes < lab->opt.problems;
    if (another) {
        const int *sizes = &lab->opt.sizes[3 * lab->shapes];
        lab->opt.M = sizes[0];
        lab->opt.N = sizes[1];
        lab->opt.K = sizes[2];
    }
    *shape = (struct outcome){.M = lab->opt.M, .N = lab->opt.N, .K = lab->opt.K};
    shape->group = shape->method = "";
    if (lab->stopped)
        return false;
    if (lab->opt.check)
        return battery_shape(lab->tile, lab->shapes, shape);
    if (lab->opt.once)
        return another;
    if (lab->failed || lab->asked_for)
        return false;
    lab->rehearsal = next_rehearsal(lab, shape);
    lab->asked_for = !lab->rehearsal;
    return true;
}

// Of the problem, on one machine: ranks have their parts of it, too.
static double copies(const struct lab *lab)
{
    return lab->ranks.count == 0 ? 1 : 1 + 1.0 / lab->ranks.nodes;
}

bool next_problem(struct lab *lab)
{
    struct outcome shape;
    problem_free(&lab->problem);
    if (!next_shape(lab, &shape))
        return false;
    int index = is_timed(lab) ? 0 : lab->shapes; // the rehearsal's place is taken by the problem
    lab->outcomes[index] = shape;
    lab->shapes = index + 1;
    if (lab->opt.check) { // where a kernel crashes, the last line names the shape
        printf("check %2d  %d x %d x %d%s", lab->shapes, shape.M, shape.N, shape.K,
               on_terminal(lab) ? "\033[K\r" : "\n");
        fflush(stdout);
    }
    write_record(lab, "incomplete", NULL);
    if (!lab->opt.check) // before the rehearsal
        require_size(lab->tile, lab->opt.M, lab->opt.N, lab->opt.K, copies(lab));
    problem_create(&lab->problem, lab->tile, shape.M, shape.N, shape.K);
    lab->problem.roundoff = rounding_of(lab).roundoff;
    lab->problem.tensor_cores = config.tensor_cores;
    bool again = lab->opt.again && !lab->opt.check && !lab->rehearsal;
    lab->run = again ? 2 : 0;
    lab->launches = 1;
    lab->runs = again                          ? 2 + repetitions(lab, 0)
                : lab->sized && lab->rehearsal ? 2
                : lab->opt.once                ? 1
                                               : 3;
    return true;
}

// ---- runs -------------------------------------------------------------------------------------
// Back to back for 0.3 s: an H200 on tensor cores meets its limit of power after 0.07. What is over in 0.02 ms ends
// before the host has queued the next one; what takes half of all that is steady by itself.
static const double steady_ms = 300, shortest_ms = 0.02;

static int steady_launches(const struct lab *lab)
{
    if (!is_timed(lab) || !lab->back_to_back || lab->rehearsal || lab->failed)
        return 0;
    double ms = summarize(lab, offsetof(struct times, kernel)).minimum;
    return ms < shortest_ms || ms > steady_ms / 2 ? 0 : 2 * (int)ceil(steady_ms / 2 / ms);
}

void note_device(struct lab *lab, struct clocks clocks, double ahead_ms)
{
    lab->ahead_ms = ahead_ms;
    if (lab->run >= 2)
        clocks_join(&lab->clocks[lab->launches > 1], clocks);
}

// A host that is slower than the device is never ahead of it, and the device waits for each launch.
static bool has_kept_ahead(const struct lab *lab)
{
    return lab->ahead_ms > steady_ms / 50;
}

bool next_run(struct lab *lab)
{
    if (lab->run == lab->runs && lab->launches == 1)
        lab->launches = steady_launches(lab);
    if (lab->run == lab->runs && lab->launches == 0)
        return false;
    lay_between_traps(lab);
    fill_inputs(&lab->problem, lab->run == 0 ? INTEGERS : UNIFORM,
                lab->opt.seed + (uint32_t)lab->run);
    poison_output(&lab->problem);
    prepare_trial(lab);
    set_traps(lab);
    return true;
}

// Runs 0 and 1 are for verification, and warm up; the others are timed, and the last of them is verified
// in the same way.
static void end_right_run(struct lab *lab, struct times times)
{
    if (lab->launches > 1) {
        if (has_kept_ahead(lab))
            lab->steady = (struct steady){lab->launches, times.kernel};
        lab->launches = 0;
        return;
    }
    if (lab->run == 1 && !lab->opt.check && !lab->rehearsal)
        lab->runs = 2 + repetitions(lab, times.kernel);
    if (lab->run >= 2)
        lab->times[lab->run - 2] = times;
    if (lab->rehearsal && lab->sized && lab->run == 1)
        announce(lab, times.kernel);
    else if (lab->run == 0 && lab->asked_for && !lab->sized && times.kernel > 2000)
        fprintf(stderr, "one run takes %.0f s: about %.0f s more\n", times.kernel * 1e-3,
                times.kernel * 1e-3 * (1 + repetitions(lab, times.kernel)));
    lab->run++;
    struct outcome *outcome = &lab->outcomes[lab->shapes - 1];
    outcome->right = lab->run == lab->runs;
    outcome->method = lab->method;
}

void end_run(struct lab *lab, struct times times)
{
    struct findings findings;
    lift_traps();
    times.kernel /= lab->launches - lab->launches / 2; // those that were timed
    if (lab->trial != AS_IT_WAS) {
        if (!end_trial(lab, times.kernel))
            fail_problem(lab);
        return;
    }
    bool quick = lab->run >= 2 && lab->run < lab->runs - 1;
    if (verify(&lab->problem, quick, &findings, &lab->method)) {
        if (lab->problem.set == UNIFORM && findings.examined > 0)
            lab->error =
                (struct error){findings.examined, findings.errors / (double)findings.examined,
                               findings.largest_error};
        end_right_run(lab, times);
    } else if (lab->failed)
        fail_problem(lab);
    else {
        findings.messages = lab->ranks.count > 1;
        begin_trials(lab, &findings);
    }
}

// ---- the end ----------------------------------------------------------------------------------
int lab_end(struct lab *lab)
{
    const char *todo = unfinished(lab);
    if (lab->failed)
        conclude_failure(lab);
    if (todo != NULL)
        print_wrapped(stdout, "not done yet     ", "%s%s", lab->failed ? "" : "right so far, but ",
                      todo);
    else if (!lab->failed && !is_timed(lab))
        printf("PASS  %d shape%s, %s%s%s%s\n", lab->shapes, lab->shapes > 1 ? "s" : "", config.type,
               rounding_of(lab).name[0] != '\0' ? ", A and B rounded to " : "",
               rounding_of(lab).name, on_terminal(lab) ? "\033[K" : "");
    fflush(stdout);
    write_record(lab, todo != NULL ? "unfinished" : lab->failed ? "fail" : "pass", todo);
    ending.decided = true;
    return lab->failed || todo != NULL ? EXIT_WRONG : EXIT_SUCCESS;
}
