// SPDX-License-Identifier: MIT
// Verifies a kernel: the session of ./gemm --check with secret shapes, and with a guest that is
// another program. The record is the same, gemm-run/1 of docs/records.md.
#include "judge.h"
#include "guest/guest.h"
#include "session/record.h"
#include "session/session.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

int main(int count, char **words)
{
    struct lab lab;
    static struct session session; // static, because it is large
    struct judged judged;
    (void)count;
    prctl(PR_SET_PDEATHSIG, SIGKILL); // end with our parent, and the sandbox with us
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
    begin_session(&session, &lab, opt.backend, opt.tile);
    session.judged = &judged;
    session.opt.check = true;
    session.opt.json = opt.record;
    write_record(&session, "incomplete", NULL);
    host_guest(&session, opt.command); // does not return
}
