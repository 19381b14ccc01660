// SPDX-License-Identifier: MIT
// How a program becomes several ranks, and how they end: one line, one status, and nobody left
// waiting.
#define _GNU_SOURCE // sched_getaffinity
#include "ranks.h"
#include "session/session.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <signal.h>
#include <sys/prctl.h>
#endif

struct grid grid;
bool between_runs = true;

// ---- starting ---------------------------------------------------------------------------------
// Has mpirun, or a cluster's srun, started this process? A batch job's own shell has SLURM_PROCID,
// too.
static bool is_started(void)
{
    const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "PMIX_RANK",
                                 "SLURM_STEP_NUM_TASKS"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        if (getenv(names[n]) != NULL)
            return true;
    return false;
}

// The battery is for a grid that has both rows and columns, 3 x 2, whatever the number of cores: on
// two ranks nothing would be sent along a row.
enum { CHECKED = 6 };

static bool is_check(char **argv)
{
    for (int n = 1; argv[n] != NULL; n++)
        if (strcmp(argv[n], "--check") == 0)
            return true;
    return false;
}

// That this process may use.
static int cores(void)
{
    int all = (int)sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        return CPU_COUNT(&allowed);
#endif
    return all;
}

// Settings of Open MPI, by its environment, as another mpirun knows other options. What is set
// already, stays.
static void advise(int ranks)
{
    bool all_cores = cores() == sysconf(_SC_NPROCESSORS_ONLN); // or mpirun would bind to others
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0);
    setenv("OMPI_MCA_hwloc_base_binding_policy", all_cores && ranks <= cores() ? "core" : "none",
           0);
    if (ranks > cores()) // who waits lets another one compute
        setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    setenv("OMPI_MCA_orte_execute_quiet", "1", 0); // what is to be said, the program says
    setenv("OMPI_MCA_opal_signal", "", 0);         // no pages of a crash
    if (geteuid() == 0) {                          // as in a container
        setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
    }
}

static void start(int ranks, char **argv)
{
    int count = 0;
    while (argv[count] != NULL)
        count++;
    char number[16], **words = scratch((size_t)count + 4, sizeof *words);
    ranks = ranks > 0 ? ranks : is_check(argv) ? CHECKED : cores();
    snprintf(number, sizeof number, "%d", ranks);
    words[0] = "mpirun";
    words[1] = "-n";
    words[2] = number;
    memcpy(&words[3], argv, (size_t)count * sizeof *words);
    advise(ranks);
    execvp(words[0], words);
    exit_with(EXIT_USAGE,
              "cannot run mpirun, which starts the ranks: run ./setup mpi, or add it to PATH");
}

// ---- the end ----------------------------------------------------------------------------------
// exit() calls this, whoever called exit(): end of main, exit_with(), or a kernel.
static void end_ranks(void)
{
    if (grid.rank == 0 && between_runs) { // they wait for an order
        int order[3] = {0};
        MPI_Bcast(order, 3, MPI_INT, 0, grid.tool_comm);
    } else if (grid.rank == 0 || !between_runs) { // the others wait for this rank
        if (!ending.decided)
            fprintf(stderr, "gemm: the kernel ended rank %d before its result was verified\n",
                    grid.rank);
        MPI_Abort(MPI_COMM_WORLD, ending.decided ? ending.status : EXIT_WRONG);
    }
    MPI_Finalize();
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) // a sanitizer tells more
static char crashed[80];

// mpirun is silent, so the rank says it; then it ends as it would have.
static void on_crash(int number)
{
    ssize_t written = write(STDERR_FILENO, crashed, strlen(crashed));
    (void)written;
    raise(number);
}

static void tell_crashes(void)
{
    const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction action = {.sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND};
    snprintf(crashed, sizeof crashed, "gemm: rank %d crashed: make race looks for the line\n",
             grid.rank);
    for (size_t n = 0; n < sizeof signals / sizeof signals[0]; n++)
        sigaction(signals[n], &action, NULL);
}
#else
static void tell_crashes(void)
{
}
#endif

// ---- the grid ---------------------------------------------------------------------------------
// A kernel made a mistake that MPI noticed.
static void explain_error(MPI_Comm *comm, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    (void)comm;
    MPI_Error_string(*code, text, &length);
    exit_with(EXIT_WRONG, "rank %d: %s", grid.rank, text);
}

static void make_grid(void)
{
    int dims[2] = {0, 0}, periods[2] = {0, 0}, place[2];
    const int across[2] = {0, 1}, down[2] = {1, 0};
    MPI_Comm all;
    MPI_Errhandler explains;
    MPI_Comm_create_errhandler(explain_error, &explains);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, explains); // and so of what is made of it
    MPI_Comm_size(MPI_COMM_WORLD, &grid.ranks);
    // The squarest grid; a prime number gives one column. MPI_Dims_create() of Open MPI makes
    // 12 x 6 of 72 (findings/openmpi_dims_create.sh).
    for (int cols = 1; cols * cols <= grid.ranks; cols++)
        if (grid.ranks % cols == 0) {
            dims[0] = grid.ranks / cols;
            dims[1] = cols;
        }
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &all);
    MPI_Comm_rank(all, &grid.rank); // as in MPI_COMM_WORLD: the 0 above
    MPI_Cart_coords(all, grid.rank, 2, place);
    grid.rows = dims[0];
    grid.cols = dims[1];
    grid.row = place[0];
    grid.col = place[1];
    MPI_Cart_sub(all, across, &grid.row_comm);
    MPI_Cart_sub(all, down, &grid.col_comm);
    MPI_Comm_free(&all);
}

// The machines that the ranks are on, and the cores there that they can use at a time.
static void count_cores(void)
{
    MPI_Comm node;
    int here, number, mine[2] = {0, 0}, all[2];
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &here);
    MPI_Comm_rank(node, &number);
    if (number == 0) {
        int online = (int)sysconf(_SC_NPROCESSORS_ONLN);
        mine[0] = here < online ? here : online;
        mine[1] = 1;
    }
    MPI_Allreduce(mine, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_free(&node);
    grid.cores = all[0];
    grid.nodes = all[1];
}

void begin_ranks(int ranks, char **argv)
{
    if (!is_started())
        start(ranks, argv);
    setenv("GEMM_ALONE", "1", 1); // the session runs in this process: MPI has begun in it
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); // no rank stays behind an mpirun that was killed
#endif
    MPI_Init(NULL, NULL);
    make_grid();
    MPI_Comm_dup(MPI_COMM_WORLD, &grid.tool_comm);
    tell_crashes();
    count_cores();
    atexit(end_ranks);
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");
    if (tasks != NULL && atoi(tasks) > 1 && grid.ranks == 1)
        exit_with(EXIT_USAGE,
                  "srun started %s tasks that MPI does not connect: srun --mpi=pmix (or pmi2)",
                  tasks);
}

void describe_ranks(struct lab *lab)
{
    lab->session->ranks = (struct ranks){grid.ranks, grid.rows, grid.cols, grid.cores, grid.nodes};
}

real *allocate(size_t count)
{
    real *memory = malloc((count > 0 ? count : 1) * sizeof *memory);
    int have = memory != NULL, all_have;
    MPI_Allreduce(&have, &all_have, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all_have)
        return memory;
    if (grid.rank == 0)
        exit_with(EXIT_USAGE,
                  "a rank has no memory for the panels: choose a smaller size, or more ranks");
    MPI_Barrier(MPI_COMM_WORLD); // until rank 0 ends all
    return NULL;
}
