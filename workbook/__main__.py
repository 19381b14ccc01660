# SPDX-License-Identifier: MIT
"""python3 -m workbook COMMAND ...: a command is the module of that name, and its main(arguments)."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from workbook import Mistake

COMMANDS = {
    "check": "verifies labs over a battery of shapes, and grades them",
    "figures": "the measured figures in the READMEs",
    "report": "measures what a report lacks, and makes its tables, plots and pages",
}
INTERRUPTED = 130


def usage() -> str:
    lines = [f"  {name:<10}{what}" for name, what in COMMANDS.items()]
    return "\n".join(["usage: python3 -m workbook COMMAND ... (COMMAND --help says more)", *lines])


def main(arguments: list[str]) -> int:
    command = arguments[0] if arguments else ""
    if command in ("-h", "--help"):
        print(usage())
        return 0
    if command not in COMMANDS:
        print(f"workbook: no command '{command}'\n{usage()}", file=sys.stderr)
        return 2
    try:
        status: int = import_module(f"workbook.{command}").main(arguments[1:])
        sys.stdout.flush()
        return status
    except Mistake as mistake:
        print(f"{command}: {mistake}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        print(f"{command}: needs {error.name}: run ./setup report", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # who read the output has left; nor will they read what is still buffered
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INTERRUPTED
    except OSError as error:  # a full disk, a folder that is another's
        print(f"{command}: {error.filename or 'cannot write'}: {error.strerror}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
