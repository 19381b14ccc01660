# SPDX-License-Identifier: MIT
"""python3 -m workbook COMMAND ...: a command is a module, and its main(arguments)."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path

from workbook import UserError
from workbook.core.files import require_temporary
from workbook.core.process import end_by_signals

COMMANDS = {
    "show.run": "runs a program of a lab that is built, within a limit",
    "show.demo": "builds, runs, verifies and times the ladder",
    "check.check": "verifies labs over a battery of shapes, and grades them",
    "show.bench": "times every program of labs at several sizes",
    "libraries.baseline": "times labs and libraries, interleaved",
    "show.sweep": "runs a lab's tunables through their range",
    "advanced.scaling": "times a lab on several numbers of ranks, and says what 10,000 would do",
    "tune": "searches a lab's tunables for the fastest settings, and keeps them",
    "race.race": "looks for races, out-of-bounds accesses, barrier divergence",
    "profile.profile": "counts what each line of a kernel asks memory for",
    "page": "draws step by step what each line of a kernel reads and writes",
    "student.start": "puts the starting point of a lab into its kernel",
    "student.next": "goes on to the next step of a lab, where the present one passes",
    "report.predict": "keeps what a student expects of a lab before it is measured",
    "student.hint": "helps with what is wrong, or with what comes next",
    "student.solution": "shows the reference of a lab, or puts it in place",
    "student.restore": "brings a student's last own kernel back, or a file as it was handed out",
    "student.progress": "how far a student is, and what to do next",
    "show.asm": "disassembles the inner loop",
    "show.diff": "shows what changed from one lab to the next, a step at a time",
    "libraries.clblast": "tunes CLBlast for the device here",
    "measure.ceilings": "measures the peak FLOP rate and bandwidth of this machine",
    "report": "measures what a report lacks, and makes its tables, plots and page",
    "maintain.figures": "the measured figures in the READMEs",
    "show.editor": "compile_commands.json, so that an editor understands every kernel",
    "teacher.grade": "grades a class, each kernel in a sandbox",
    "teacher.handout": "makes the students' copy of the workbook",
    "core.find_library": "the first of some shared libraries that can be loaded",
    "lab.whole": "why a lab without a kernel makes nothing",
    "lab.describe": "what a lab is, as a record: make describe calls it",
    "core.suggest": "the name that a mistyped setting was probably meant to be",
}
# A handout leaves rooms behind.
MODULES = {
    module.rpartition(".")[2]: module
    for module in COMMANDS
    if (Path(__file__).parent / module.partition(".")[0]).is_dir()
}
SPEAKS_AS = {"whole": "make"}  # nobody has typed it
ONLY_SHOW = ("asm", "diff")  # and judge nothing: who has read enough may leave
INTERRUPTED = 130


def usage() -> str:
    lines = [f"  {name:<12} {COMMANDS[module]}" for name, module in MODULES.items()]
    return "\n".join(["usage: python3 -m workbook COMMAND ... (COMMAND --help says more)", *lines])


def main(arguments: list[str]) -> int:
    command = arguments[0] if arguments else ""
    if command in ("-h", "--help"):
        print(usage())
        return 0
    if command not in MODULES:
        print(f"workbook: no command '{command}'\n{usage()}", file=sys.stderr)
        return 2
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(
            errors="replace"
        )  # a device's name may have letters that a terminal lacks
    try:
        end_by_signals()
        require_temporary()
        status: int = import_module(f"workbook.{MODULES[command]}").main(arguments[1:])
        sys.stdout.flush()
        return status
    except UserError as mistake:
        print(f"{SPEAKS_AS.get(command, command)}: {mistake}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        part = command if command == "tune" else "report"
        print(f"{command}: needs {error.name}: run ./setup {part}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    except RuntimeError as error:
        # Between two steps of a lock of Python's own, which it then finds unlocked.
        if not isinstance(error.__context__, KeyboardInterrupt):
            raise
        return INTERRUPTED
    except (
        BrokenPipeError
    ):  # who read the output has left; nor will they read what is still buffered
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0 if command in ONLY_SHOW else INTERRUPTED
    except OSError as error:  # a full disk, a folder that is another's
        print(f"{command}: {error.filename or 'cannot write'}: {error.strerror}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
