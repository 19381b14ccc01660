# SPDX-License-Identifier: MIT
"""A lab to tune whose times are made up: the clock goes by its tunables. Which setting is wrong,
fast, lucky or refused by the device, a test says in the environment."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections import Counter
from pathlib import Path

from tests.copies import copy_lab
from tests.support import Result, edit, lead_on, make

PARAMS = """#ifndef WIDE
#define WIDE 4
#endif
#ifndef HIGH
#define HIGH 8
#endif
#define TILE_M 1"""
RANGES = """#define TILE_K 1

#if WIDE < 2 || WIDE > 16 || WIDE % 2 != 0
#error "WIDE must be a multiple of 2 from 2 to 16"
#endif
#if HIGH < 1
#error "HIGH must be at least 1"
#endif
#if WIDE * HIGH > 64
#error "WIDE * HIGH must be 64 at most"
#endif"""
# A run takes a millisecond, and as many as its setting is away from WIDE=8 HIGH=2. LOG: a line a
# process.
CLOCK = r"""#include "lab.h"
#include "params.h"
#include <stdlib.h>
#include <string.h>

static int ms = 1 + (WIDE > 8 ? WIDE - 8 : 8 - WIDE) + (HIGH > 2 ? HIGH - 2 : 2 - HIGH);

int clock_gettime(int id, long *t);
int clock_gettime(int id, long *t)
{
    static long now = 1000;
    t[0] = id * 0;
    t[1] = now += ms * 1000000L;
    t[0] += t[1] / 1000000000;
    t[1] %= 1000000000;
    return 0;
}

static int is(const char *name)
{
    char setting[64];
    snprintf(setting, sizeof setting, "WIDE=%d HIGH=%d", WIDE, HIGH);
    const char *said = getenv(name);
    return said != NULL && strcmp(said, setting) == 0;
}

static int wrong;

static void begin(void)
{
    static int begun = 0;
    if (begun++)
        return;
    char line[64];
    int before = 0;
    FILE *log = fopen(getenv("LOG"), "a+");
    while (fgets(line, sizeof line, log) != NULL)
        before += atoi(line + 5) == WIDE && atoi(strstr(line, "HIGH=") + 5) == HIGH;
    fprintf(log, "WIDE=%d HIGH=%d\n", WIDE, HIGH);
    fclose(log);
    if (is("LUCKY"))
        ms = before == 0 ? 1 : 100;
    if (is("FASTEST"))
        ms = 1;
    wrong = is("WRONG") || (is("RACY") && before > 1);
    if (is("REFUSED"))
        exit_with(EXIT_USAGE, "not supported by the device: it is too wide");
}
"""


def lab_to_tune(tree: Path, name: str, makefile: str = "") -> Path:
    """A folder of a lab in the tree; what its Makefile says besides."""
    folder = copy_lab(tree / "lab01_cpu_naive", tree / name)
    edit(folder / "params.h", "#define TILE_M 1", PARAMS)
    edit(folder / "params.h", "#define TILE_K 1", RANGES)
    edit(folder / "kernel.c", '#include "params.h"\n', CLOCK)
    edit(folder / "kernel.c", "{\n    for (int i", "{\n    begin();\n    for (int i")
    edit(folder / "kernel.c", "real sum = 0;", "real sum = wrong;")
    lead_on(folder, makefile)
    with (folder / "Makefile").open("a") as file:
        file.write("keep_own =\n")  # this kernel's clock is everybody's
    return folder


class Tuned:
    """What was done with one lab."""

    def __init__(self, lab: Path, log: Path) -> None:
        self.lab, self.log = lab, log
        self.folder = lab.parent / "tuned"

    def tune(self, *words: str, **env: str) -> Result:
        return make(self.lab, "tune", "SIZE=32", *words, env={"LOG": str(self.log), **env})

    def runs(self) -> Counter[str]:
        """How often each setting was run; forgotten then."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return Counter(lines)

    def trials(self) -> Counter[str]:
        """How many there are of each state, in all studies."""
        return Counter(state for (state,) in self.asked("SELECT state FROM trials"))

    def studies(self) -> int:
        return len(self.asked("SELECT study_name FROM studies"))

    def asked(self, words: str) -> list[tuple[str]]:
        with sqlite3.connect(self.folder / "studies.db") as connection:
            return connection.execute(words).fetchall()


def measured(out: str) -> list[tuple[str, str, str]]:
    """GFLOP/s, times and setting of each row of the table."""
    return re.findall(r"^ +([\d.]+) +([\d.]+x|-)  (\S.*)$", out, re.MULTILINE)


def gone(folder: Path) -> None:
    if folder.is_dir():
        shutil.rmtree(folder)
    else:
        folder.unlink(missing_ok=True)
