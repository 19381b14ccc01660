# SPDX-License-Identifier: MIT
""".ci/run counts what is in the records of this run, and what is not there is a failure."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.count import main
from tests.support import Result, run

FINE = ["setup=0", "check=0", "race=0", "selftest=0"]
Count = Callable[..., Result]


def labs(kind: str, *verdicts: str) -> str:
    count = {
        "passed": verdicts.count("PASS"),
        "failed": verdicts.count("FAIL"),
        "skipped": verdicts.count("SKIP"),
    }
    return json.dumps(
        {
            "schema": f"gemm-{kind}/{1 + (kind == 'check')}",
            "labs": [{"verdict": v} for v in verdicts],
            **count,
        }
    )


def junit(*inside: str) -> str:
    cases = "".join(f'<testcase name="a">{part}</testcase>' for part in inside)
    return f"<testsuites><testsuite>{cases}</testsuite></testsuites>"


SOUND = {
    "check.json": labs("check", "PASS", "PASS", "SKIP"),
    "race.json": labs("race", "PASS"),
    "selftest.xml": junit("", "<skipped/>", "<properties/>"),
}


@pytest.fixture
def count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Count:
    """count(WORDS, FILE=TEXT): what it says of these records; None: that one is not there."""

    def call(words: list[str], **texts: str | None) -> Result:
        for name, text in {
            **SOUND,
            **{key.replace("_", "."): text for key, text in texts.items()},
        }.items():
            if text is not None:
                (tmp_path / name).write_text(text)
        status = main(words, tmp_path)
        return Result(status, capsys.readouterr().out, "")

    return call


def assert_counts(said: Result, status: int, last: str, *words: str) -> None:
    assert (said.status, said.out.splitlines()[-1]) == (status, last)
    for each in words:
        assert each in said.out


def test_all_is_well(count: Count) -> None:
    assert_counts(count(FINE), 0, "5 passed, 0 failed, 2 skipped")


def test_failures_of_all_are_added(count: Count) -> None:
    said = count(
        ["check=2", "race=2", "selftest=1"],
        check_json=labs("check", "PASS", "FAIL"),
        race_json=labs("race", "FAIL", "FAIL"),
        selftest_xml=junit(
            "<failure/>", "<error/>", "<failure/><error/>", "<skipped/><error/>", ""
        ),
    )
    assert_counts(said, 1, "2 passed, 7 failed, 0 skipped")
    assert "FAIL" not in said.out


@pytest.mark.parametrize("name", SOUND)
@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "left no build/"),
        ("", "is damaged"),
        ("{", "is damaged"),
        ('{"schema": "gemm-check/1"}', "build/"),
    ],
)
def test_a_record_that_is_missing_or_damaged(
    count: Count, name: str, text: str | None, says: str
) -> None:
    said = count(FINE, **{name.replace(".", "_"): text})
    assert said.status == 1
    assert ", 1 failed, " in said.out.splitlines()[-1]
    assert says in said.out


@pytest.mark.parametrize(
    ("name", "text"),
    [("check_json", labs("check")), ("race_json", labs("race")), ("selftest_xml", junit())],
)
def test_nothing_that_ran_is_a_failure(count: Count, name: str, text: str) -> None:
    said = count(FINE, **{name: text})
    assert said.status == 1
    assert "nothing ran" in said.out


@pytest.mark.parametrize("command", ["setup", "check", "race", "selftest"])
@pytest.mark.parametrize("status", [1, 2, 130, 137])
def test_a_status_without_a_failure_is_one(count: Count, command: str, status: int) -> None:
    said = count([*FINE, f"{command}={status}"])
    assert said.status == 1
    assert f"FAIL {command}: ended with status {status}" in said.out


def test_only_skips_are_no_success(count: Count) -> None:
    assert_counts(
        count(["check=0"], check_json=labs("check", "SKIP")), 1, "0 passed, 1 failed, 1 skipped"
    )


def skip_fresh(book: Path) -> None:
    """No other Debian is tried. The file is a link to that of all copies."""
    (book / "tests/fresh").unlink()
    (book / "tests/fresh").write_text("exit 0\n")


@pytest.mark.parametrize("status", [0, 1])
def test_a_run_has_no_records_of_another(bare: Path, status: int) -> None:
    """Nor does it stop at the first command that fails."""
    skip_fresh(bare)
    (bare / "build").mkdir()
    for name, text in SOUND.items():
        (bare / "build" / name).write_text(text)
    stub = bare / "stubs"
    stub.mkdir()
    (bare / "setup").write_text("#!/bin/sh\nexit 0\n")
    (stub / "make").write_text(f'#!/bin/sh\necho "made $2" >>made\nexit {status}\n')
    (stub / "make").chmod(0o755)
    said = run(".ci/run", bare, env={"PATH": f"{stub}:/usr/bin:/bin"})
    assert_counts(said, 1, "0 passed, 3 failed, 0 skipped", "FAIL check: left no build/check.json")
    assert (bare / "made").read_text().split() == [
        "made",
        "check",
        "made",
        "race",
        "made",
        "selftest",
    ]


@pytest.mark.parametrize(
    ("part", "status", "last"),
    [
        ("none", 0, "5 passed, 0 failed, 2 skipped"),
        ("report", 1, "5 passed, 1 failed, 2 skipped"),  # although it runs beside the races
        ("", 1, "5 passed, 1 failed, 2 skipped"),
    ],
)
def test_a_whole_run(clone: Path, part: str, status: int, last: str) -> None:
    """With a setup that fails, or one that does not."""
    skip_fresh(clone)
    stub = clone / "stubs"
    stub.mkdir()
    for name, text in SOUND.items():
        (stub / name).write_text(text)
    (clone / "setup").write_text(f'#!/bin/sh\necho $* >>set-up\n[ "$1" != "{part}" ]\n')
    script = '#!/bin/sh\nmkdir -p build; [ "$CI" = true ] && cp "${0%/*}/$2".* build\n'
    (stub / "make").write_text(script)
    (stub / "make").chmod(0o755)
    said = run(".ci/run", clone, env={"PATH": f"{stub}:/usr/bin:/bin"})
    assert_counts(said, status, last)
    assert (clone / "set-up").read_text() == "\nreport selftest\n"


def test_a_record_that_does_not_add_up(count: Count) -> None:
    said = count(
        FINE, check_json=labs("check", "PASS", "FAIL").replace('"failed": 1', '"failed": 0')
    )
    assert_counts(said, 1, "3 passed, 1 failed, 1 skipped", "does not add up")
