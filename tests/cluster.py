# SPDX-License-Identifier: MIT
"""A cluster of this machine alone: munged, slurmctld and slurmd of Debian, in a folder of the
test's."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.support import run

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch")


def config(folder: Path, ports: list[int]) -> str:
    name = socket.gethostname().partition(".")[0]
    return f"""ClusterName=workbook
SlurmctldHost={name}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName={name} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=all Nodes={name} Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


@contextmanager
def started(command: list[str], env: dict[str, str]) -> Iterator[None]:
    daemon = subprocess.Popen(
        command, env={**os.environ, **env}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        daemon.terminate()
        try:
            daemon.wait(10)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()


@contextmanager
def cluster(folder: Path) -> Iterator[dict[str, str]]:
    """The environment in which sbatch finds it."""
    for name in "munge", "state", "spool":
        (folder / name).mkdir()
    (folder / "munge").chmod(0o755)
    key = folder / "munge/key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    (folder / "slurm.conf").write_text(config(folder, free_ports(2)))
    env = {"SLURM_CONF": f"{folder}/slurm.conf"}
    munge = [
        "munged",
        "--foreground",
        "--force",
        f"--key-file={key}",
        f"--socket={folder}/munge/socket",
    ]
    munge += [
        f"--pid-file={folder}/munge/pid",
        f"--log-file={folder}/munge/log",
        f"--seed-file={folder}/munge/seed",
    ]
    with started(munge, env), started(["slurmctld", "-D"], env), started(["slurmd", "-D"], env):
        await_idle(env, folder)
        yield env


def await_idle(env: dict[str, str], folder: Path) -> None:
    end = time.monotonic() + 60
    while "idle" not in run(["sinfo", "--noheader", "--format=%T"], folder, env=env).out:
        if time.monotonic() > end:
            logs = "".join(
                path.read_text(errors="replace")[-1500:] for path in sorted(folder.glob("*.log"))
            )
            raise AssertionError(f"the cluster does not start: {logs}")
        time.sleep(0.3)


def missing() -> str:
    """Why there can be none here."""
    if os.geteuid() != 0:
        return "a cluster takes root"
    return next(
        (f"{program} is not installed" for program in PROGRAMS if shutil.which(program) is None), ""
    )
