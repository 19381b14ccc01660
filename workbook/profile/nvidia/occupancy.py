# SPDX-License-Identifier: MIT
"""How many blocks of a kernel an SM holds at once, what limits that, and what one more would take:
the arithmetic of NVIDIA's cuda_occupancy.h. Registers are what ptxas says, or nothing is said."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbook.core.process import run
from workbook.core.text import wrap
from workbook.lab import labs
from workbook.lab.labs import BUILD_LIMIT, Lab, Program, environment
from workbook.profile.counts import Launch

WARP, KIB = 32, 1024
REGISTERS = 65536  # of an SM; a warp gets them by 256, from a quarter of them
GRANULE, QUARTERS = 256, 4


@dataclass(frozen=True)
class Device:
    name: str
    capability: str
    warps: int  # of an SM, at most; so are blocks
    blocks: int
    shared: int  # bytes of an SM
    reserved: int = KIB  # for each block, by the system
    granule: int = 128  # bytes by which blocks get theirs

    @property
    def of_block(self) -> int:
        return self.shared if self.reserved == 0 else self.shared - KIB


DEVICES = (
    Device("T4", "7.5", 32, 16, 64 * KIB, 0, 256),
    Device("A100", "8.0", 64, 32, 164 * KIB),
    Device("RTX 3090", "8.6", 48, 16, 100 * KIB),
    Device("RTX 4090", "8.9", 48, 24, 100 * KIB),
    Device("H100", "9.0", 64, 32, 228 * KIB),
    Device("RTX 5090", "12.0", 48, 24, 100 * KIB),
)


@dataclass(frozen=True)
class Block:
    threads: int
    registers: int  # of a thread
    shared: int  # bytes, declared and dynamic
    kernel: str = ""

    @property
    def warps(self) -> int:
        return (self.threads - 1) // WARP + 1


@dataclass(frozen=True)
class Occupancy:
    device: Device
    block: Block
    blocks: int  # that an SM holds
    limits: tuple[str, ...]  # what there is no more of: warps, blocks, registers, shared
    more: tuple[tuple[str, int], ...]  # for one block more, at most so much of each; of none: never

    @property
    def warps(self) -> int:
        return self.blocks * self.block.warps


def rounded_up(count: int, unit: int) -> int:
    return (count + unit - 1) // unit * unit


def limits(device: Device, block: Block) -> dict[str, int]:
    """Blocks, by what each resource has room for."""
    shared = rounded_up(block.shared + device.reserved, device.granule)
    of_warp = rounded_up(block.registers * WARP, GRANULE)
    if block.threads > 1024 or of_warp * rounded_up(block.warps, QUARTERS) > REGISTERS:
        by_registers = 0
    else:
        by_registers = REGISTERS // QUARTERS // of_warp * QUARTERS // block.warps
    if block.shared > device.of_block:
        by_shared = 0
    else:
        by_shared = device.shared // shared if shared else device.blocks
    return {
        "warps": device.warps // block.warps,
        "blocks": device.blocks,
        "registers": by_registers,
        "shared": by_shared,
    }


def occupancy(device: Device, block: Block) -> Occupancy:
    found = limits(device, block)
    blocks = min(found.values())
    tight = tuple(name for name, count in found.items() if count == blocks)
    return Occupancy(device, block, blocks, tight, more(device, block, blocks + 1, tight))


def more(
    device: Device, block: Block, blocks: int, tight: tuple[str, ...]
) -> tuple[tuple[str, int], ...]:
    """How much of what limits there may be for so many blocks; none where that cannot be, as all
    warps are in use, or as many blocks as there can be."""
    if "blocks" in tight or block.warps * (blocks - 1) == device.warps:
        return ()
    found = []
    if "warps" in tight:
        block = replace(block, threads=device.warps // blocks * WARP)
        found.append(("threads", block.threads))
    if "registers" in tight and limits(device, block)["registers"] < blocks:
        fits = [
            count
            for count in range(1, block.registers)
            if limits(device, replace(block, registers=count))["registers"] >= blocks
        ]
        found += [("registers", count) for count in fits[-1:]]
    if "shared" in tight:
        room = device.shared // blocks // device.granule * device.granule - device.reserved
        found.append(("bytes of shared memory", min(room, device.of_block)))
    return tuple(found)


# ---- what ptxas says ---------------------------------------------------------------------------
USED = re.compile(
    r"entry function '(\w+)' for 'sm_(\d+)\w?'(?:(?!entry function).)*?"
    r"Used (\d+) registers([^\n]*)",
    re.DOTALL,
)
DECLARED = re.compile(r"(\d+) bytes smem")


def nvcc_of(settings: list[str]) -> str | None:
    said = [one.partition("=")[2] for one in settings if one.startswith("NVCC=")]
    found = (said[-1] if said else None) or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    return found if shutil.which(found) else None


@dataclass(frozen=True)
class Used:
    registers: int
    declared: int  # bytes of shared memory


def of_ptxas(said: str) -> dict[tuple[str, str], Used]:
    """By kernel, as the linker names it, and capability."""
    return {
        (kernel, f"{sm[:-1]}.{sm[-1]}"): Used(
            int(registers), sum(int(count) for count in DECLARED.findall(rest))
        )
        for kernel, sm, registers, rest in USED.findall(said)
    }


def used(
    lab: Lab, program: Program, settings: list[str], work: Path
) -> tuple[dict[tuple[str, str], Used], str]:
    """What its kernels use on each device that nvcc compiles for; or why nobody knows."""
    nvcc = nvcc_of(settings)
    if nvcc is None:
        return {}, "registers are what nvcc gives a kernel, and there is no nvcc here"
    known = run([nvcc, "--list-gpu-code"], work, BUILD_LIMIT, environment()).out.split()
    numbers = [device.capability.replace(".", "") for device in DEVICES]
    targets = [f"-gencode arch=compute_{n},code=sm_{n}" for n in numbers if f"sm_{n}" in known]
    if not targets:
        return {}, f"{nvcc} compiles for none of these devices"
    command = f"{nvcc} {' '.join(targets)} -t 0 -Xptxas -v"
    copy = labs.copy_to(lab, work / "ptxas").path
    kept = [one for one in settings if not one.startswith(("CUDA=", "NVCC="))]
    target = f"build/{Path(program.kernel).stem}.o"
    made = labs.make(copy, [target, "CUDA=nvcc", f"NVCC={command}", *kept], BUILD_LIMIT)
    found = of_ptxas(made.out + made.err)
    if made.status != 0 or not found:
        return {}, "nvcc does not compile it: see make CUDA=nvcc"
    return found, ""


def of_launches(found: dict[tuple[str, str], Used], launches: list[Launch]) -> list[Occupancy]:
    """Of each kernel on each device that ptxas knows it for."""
    return [
        occupancy(
            device,
            Block(launch.threads, one.registers, one.declared + launch.shared, launch.kernel),
        )
        for launch in launches
        for device in DEVICES
        for (name, capability), one in found.items()
        if capability == device.capability and is_name_of(name, launch.kernel)
    ]


def is_name_of(mangled: str, kernel: str) -> bool:
    """_Z4gemmiiiPKfS0_Pf is gemm's."""
    return mangled == kernel or re.match(rf"_Z(?:\w*?)?{len(kernel)}{kernel}", mangled) is not None


# ---- for people, and for the record ------------------------------------------------------------
ROW = "  {:<9}{:>5}{:>11}{:>9}{:>8}{:>10}  {}"


def shown(found: list[Occupancy], why: str) -> Iterator[str]:
    if why:
        yield from wrap(f"occupancy: {why}", "  ", "    ")
    for kernel in dict.fromkeys(one.block.kernel for one in found):
        of_kernel = [one for one in found if one.block.kernel == kernel]
        first = of_kernel[0].block
        yield f"  occupancy: {kernel}, {first.threads} threads a block, registers by ptxas"
        yield ROW.format("device", "cc", "registers", "shared", "blocks", "warps", "limited by")
        for one in of_kernel:
            warps = f"{one.warps}/{one.device.warps}"
            numbers = one.block.registers, f"{one.block.shared:,}", one.blocks, warps
            yield ROW.format(
                one.device.name, one.device.capability, *numbers, ", ".join(one.limits)
            )
        needs: dict[str, list[str]] = {}
        for one in of_kernel:
            if one.more:
                most = " and ".join(f"{count:,} {what}" for what, count in one.more)
                said = f"for {one.blocks + 1} blocks at most {most}"
                needs.setdefault(said, []).append(one.device.name)
        for said, devices in needs.items():
            yield from wrap(f"{', '.join(devices)}: {said}", "  ", "    ")


def as_record(found: list[Occupancy], why: str) -> dict[str, Any]:
    return {
        "unknown": why or None,
        "devices": [
            {
                "device": one.device.name,
                "capability": one.device.capability,
                "kernel": one.block.kernel,
                "threads": one.block.threads,
                "registers": one.block.registers,
                "shared": one.block.shared,
                "blocks": one.blocks,
                "warps": one.warps,
                "most_warps": one.device.warps,
                "limits": list(one.limits),
                "next": [{"at_most": count, "of": what} for what, count in one.more],
            }
            for one in found
        ],
    }
