# SPDX-License-Identifier: MIT
"""hint LAB: about what is wrong with the kernel, as make check finds it; or, where nothing was
written yet or with IDEA=1, the next hint on the idea of the step. What is wrong never uses up one
of these. Of a kernel that is right, the lines that cost more than they need to, as make profile
counts them."""

from __future__ import annotations

from hashlib import sha256

from workbook import UserError, flag
from workbook.check.counters import machine_code
from workbook.check.grade import Grade
from workbook.check.table import again, first_wrong
from workbook.core.progress_bar import ProgressBar
from workbook.core.text import wrap
from workbook.core.typed import command, into, is_here
from workbook.lab import labs
from workbook.lab.arguments import one_lab
from workbook.lab.program import NOT_YET, TODO
from workbook.lab.workspace import Workspace, begun
from workbook.profile.advice import slow_lines
from workbook.profile.profile import counted
from workbook.student.check_kernel import examine
from workbook.student.hints import Hint, evidence, of_stage


def main(words: list[str]) -> int:
    lab = one_lab(
        "hint",
        words,
        "Help with what is wrong, or with the idea of the present step.",
        "IDEA=1: the next hint on the idea, whatever is wrong; REPEAT=1: the last one once more.",
    )
    desk = begun(Workspace(lab))
    ideas, tagged = of_stage(desk.stage)
    if flag("REPEAT"):
        last = next((hint for hint in ideas + tagged if hint.name == desk.known["last"]), None)
        if last is None:
            first = command(lab.path, "hint")
            raise UserError(f"{desk.stage.label} has shown no hint yet: {first}")
        show(desk, last, ideas, [])
    elif flag("IDEA") or not desk.is_own():
        on_idea(desk, ideas, [])
    else:
        on_mistake(desk, ideas, tagged, examine(desk))
    return 0


def on_idea(desk: Workspace, ideas: list[Hint], verdict: list[str]) -> None:
    """The next one."""
    shown = desk.known["hints"]
    hint = next((hint for hint in ideas if hint.name not in shown), None)
    if hint is not None:
        show(desk, hint, ideas, verdict)
        desk.remember(hints=[*shown, hint.name], last=hint.name)
        return
    said = f"there are no more hints on the idea of {desk.stage.label}: "
    said += f"{command(desk.lab.path, 'hint REPEAT=1')} repeats the last"
    if desk.stage.reference:
        said += f"; {command(desk.lab.path, 'solution')} shows the reference"
    print("\n".join([*verdict, *wrap(said, "", "  ")]))


def on_mistake(desk: Workspace, ideas: list[Hint], tagged: list[Hint], grade: Grade) -> None:
    """The first one that fits; of the same kernel and the same cause the next, and then what is
    known."""
    slow = [*no_vector(grade), *costly(desk)] if grade.is_right else []
    verdict = [*seen(grade), *(line for text in slow for line in wrap(text, "  "))]
    tag = evidence(grade) or ("slow" if slow else "")
    if grade.is_right and not tag:
        said = f"{desk.stage.label} passes, there is nothing to hint at"
        if grade.idea.unknown:
            said = f"{desk.stage.label} is right; whether it is the idea is not known"
        following = f"{said}: {command(desk.lab.path, 'next')}"
        print("\n".join([*wrap(following, "", "  "), *verdict]))
        return
    if grade.verdict == TODO and not grade.relevant[-1].finding:
        on_idea(desk, ideas, verdict)
        return
    cause = f"{grade.digest} {tag} {'' if tag == 'slow' else grade.first_reason}"
    digest = sha256(cause.encode()).hexdigest()
    shown = desk.known["hints"]
    if digest != desk.known["digest"]:
        shown = [name for name in shown if name not in [hint.name for hint in tagged]]
    fitting = [hint for hint in tagged if hint.tag == tag]
    hint = next((hint for hint in fitting if hint.name not in shown), None)
    if hint is None:
        known(desk, grade, bool(fitting), verdict)
        return
    show(desk, hint, ideas, verdict, grade)
    desk.remember(hints=[*shown, hint.name], last=hint.name, digest=digest)


def no_vector(grade: Grade) -> list[str]:
    """What costs most of a kernel in C that is to have vectors, where no limit tells it."""
    lab = grade.lab
    if lab.backend != "cpu" or labs.before(lab) is None or grade.counted.held is not None:
        return []
    found, line = machine_code(lab)
    return [f"{line}: no vector instruction in the inner loop"] if found.get("lanes") == 1 else []


def costly(desk: Workspace) -> list[str]:
    """Counted: on a laptop without a GPU as well. Nothing where no tool here can count."""
    with ProgressBar("profile", 8.0):
        profile = counted(desk.lab, desk.lab.programs[0])
    return slow_lines(profile)


def known(desk: Workspace, grade: Grade, told: bool, verdict: list[str]) -> None:
    """What there is to go by where no hint is left that fits."""
    result = grade.relevant[-1] if grade.relevant else None
    found = bool(grade.race.found) or (result is not None and result.finding.get("cause"))
    said = "all is said of what is wrong" if told or found else "no hint fits what is wrong"
    lines = [f"{desk.stage.label}: {said}", *verdict]
    if result is not None and result.finding:
        lines += [f"  next: {into(desk.lab.path)}{again(result, [])}"]
        lines += ["    its map shows where C is wrong"] if result.finding["first"] else []
    lines += ["", f"{command(desk.lab.path, 'hint IDEA=1')}: the next hint on the idea"]
    print("\n".join(lines))


def seen(grade: Grade) -> list[str]:
    """The verdict, as the hint was chosen by it."""
    lines = []
    if grade.tried:
        lines += wrap(f"seen: {grade.right} of {grade.tried} shapes are right", "  ")
    if grade.edited:
        lines += wrap(grade.edited, "  ")
    result = grade.relevant[-1] if grade.relevant else None
    if result is not None and result.finding:
        cause = result.finding["cause"] or "none can be named"
        lines += wrap(result.reason, "  ") + wrap(first_wrong(result.finding), "  ")
        return [*lines, *wrap(f"likely cause: {cause}", "  "), *grade.race.found]
    if grade.race.found and grade.first_reason.startswith("race: "):
        return [*lines, *grade.race.found]
    if not grade.is_right:
        return [*lines, *wrap(grade.first_reason, "  "), *grade.race.found]
    return lines + [line for said in grade.speeds for line in wrap(said, "  ")]


def show(
    desk: Workspace, hint: Hint, ideas: list[Hint], verdict: list[str], grade: Grade | None = None
) -> None:
    where = "" if is_here(desk.lab.path) else f" (its commands are for {desk.lab.place}/)"
    more = [command(desk.lab.path, f"hint{word}") for word in ("", " IDEA=1", " REPEAT=1")]
    if hint.tag:
        place = f"what is wrong: {hint.tag}"
        if hint.tag == "slow":
            verdict_of = NOT_YET if grade and grade.lacks_idea else "correct"
            place = f"{verdict_of}. One thing is left:"
        then = f"{more[0]}: more; {more[1]}: on the idea; {more[2]}: this one again"
    else:
        place = f"hint {ideas.index(hint) + 1} of {len(ideas)}"
        then = f"{more[1]}: the next one; {more[2]}: this one again"
    head = f"{desk.stage.label}, {place}{where}"
    print("\n".join([head, *verdict, "", hint.text, "", *wrap(then, "", "  ")]))
