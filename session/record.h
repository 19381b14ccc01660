// SPDX-License-Identifier: MIT
// What a session leaves for programs: --csv and --json.
#ifndef RECORD_H
#define RECORD_H

#include "session/session.h"

void open_csv(struct session *s); // exit 2 where --csv names a file that cannot be written
void append_csv(const struct session *s, const struct ceilings *c);
void write_record(const struct session *s, const char *verdict, const char *reason);
#endif
