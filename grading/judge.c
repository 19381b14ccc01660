// SPDX-License-Identifier: MIT
// Is a kernel right? The session of ./gemm --check, at shapes that nobody knows before, of a guest
// that is another program. It writes the same record, gemm-run/1 of docs/records.md.
#include "judge.h"
#include "guest/guest.h"
#include "record/record.h"
#include "session/session.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

int main(int count, char **words)
{
    static struct lab lab; // static, because it is large
    struct judged judged;
    (void)count;
    prctl(PR_SET_PDEATHSIG, SIGKILL); // who wants to know is gone: so is the judge, and its sandbox
    const struct asked opt = read_options(words + 1);
    if (opt.count > MAX_SHAPES)
        exit_with(EXIT_USAGE, "more than %d shapes", MAX_SHAPES);
    judged = (struct judged){.shapes = opt.shapes,
                             .count = opt.count,
                             .runs = opt.runs,
                             .call_ms = opt.call_ms,
                             .total_ms = opt.total_ms,
                             .memory = opt.memory,
                             .is_copied = opt.is_copied,
                             .draw = draw};
    if (opt.log != NULL && (judged.log = fopen(opt.log, "w")) == NULL)
        exit_with(EXIT_USAGE, "cannot write %s: %s", opt.log, strerror(errno));
    lab = (struct lab){.backend = opt.backend,
                       .tile = opt.tile,
                       .csv = -1,
                       .variant = "",
                       .method = "",
                       .alloc_ms = -1,
                       .context_ms = -1,
                       .build_ms = -1,
                       .judged = &judged};
    lab.opt.check = true;
    lab.opt.json = opt.record;
    keep_ending(&lab);
    write_record(&lab, "incomplete", NULL);
    host_guest(&lab, opt.command); // which does not return
}
