# SPDX-License-Identifier: MIT
"""How a tool runs a program as several ranks, with something between mpirun and them. By itself
./gemm starts them, too: advanced/common/ranks.c."""

from __future__ import annotations

ENVIRONMENT = {
    "OMPI_MCA_rmaps_base_oversubscribe": "1",  # there may be more of them than cores
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_orte_execute_quiet": "1",  # what is to be said, the program says
    "OMPI_MCA_opal_signal": "",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",  # as in a container
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}


def mpirun(ranks: int) -> tuple[str, ...]:
    return "mpirun", "-n", str(ranks)
