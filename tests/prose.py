# SPDX-License-Identifier: MIT
"""prose.py README ...: what a README claims and does not show, one line each; status 1 if there is any.

A number that sounds measured ("five times", "twice", "a sixth", "80 percent", "28 GFLOP/s") has a marker
behind it, before the next such number and never at the beginning of a line, where Markdown would end the
paragraph:
    <!-- = lab02 xeon 1024 / lab01 xeon 1024 -->   the number is this: cells of figures/, or plain numbers
    <!-- no measurement: REASON -->                it is a count, a fact of a data sheet, another's claim
and a comparison without a number may have one:
    <!-- holds: lab03 chapter xeon 1024 > lab03 transpose xeon 1024 -->
A cell is a speed: LAB [VARIANT] NAME SIZE, from figures/NAME.tsv; LAB [VARIANT] NAME.demo, from the
transcript of make demo; peak LAB NAME, what 100 % is in the transcript figures/NAME.LAB.txt.

A number may be off by 10 percent; with "about", "almost", "nearly" or "some" by 20; with "more than", "over"
or "at least" it may be up to half as much again; with "less than", "under", "below" or "at most" down to two
thirds of that.

In the table of "Predict first", a formula of M, N and K gives the value beside it, and "(lab 04: 2)" is
what that lab's table has. A lab's README has all its parts, its transcript says a speed, and its links
for further reading are at the end.
"""

import glob
import math
import re
import sys


def values(words):
    return {word: int(value) for word, value in re.findall(r"([a-z]+) (\d+)", words)}


COUNTS = values("""
    a 1 an 1 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11 twelve 12 dozen 12
    fifteen 15 twenty 20 thirty 30 forty 40 fifty 50 hundred 100 thousand 1000""")
PARTS = values("""
    third 3 quarter 4 fifth 5 sixth 6 seventh 7 eighth 8 ninth 9 tenth 10 sixteenth 16 twentieth 20
    hundredth 100 thousandth 1000""")
WORDS = {"twice": 2, "doubles": 2, "doubled": 2, "half": 1 / 2, "halves": 1 / 2, "halved": 1 / 2}
SCALE = {"percent": 0.01, "%": 0.01, "TFLOP/s": 1000}  # of a unit, where it is not 1

number = r"(?:\d[\d,]*(?:\.\d+)?|(?:(?:{0})[ -])*(?:{0}))".format("|".join(COUNTS))
unit = r"(?:(?:times|percent|ms|seconds)\b|[GT]FLOP/s|GB/s|%|×(?! ?\d))"
CLAIM = re.compile(
    rf"\bfactor of (?P<factor>{number})\b"
    rf"|(?<!/)\b(?P<count>{number})(?: *(?P<unit>{unit})|(?= +to +{number} *(?P<later>{unit})))"
    rf"|\b(?P<parts>{number}) (?P<part>{'|'.join(PARTS)}|\d+(?:st|nd|rd|th))s?\b"
    r"|\b(?P<over>\d+)/(?P<under>\d+)\b"
    rf"|\b(?P<word>{'|'.join(WORDS)})\b(?! precision)",
    re.IGNORECASE,
)
MARKER = re.compile(r"<!-- (?:(=|holds:|no measurement:) *(.*?)) *-->", re.DOTALL)
FILLED = re.compile(r"<!-- (figures|transcript) .* -->")
CELL = re.compile(r"(?:(peak) )?(lab\d+)(?: ([a-z]\w*))? ([a-z][\w.-]*)(?: (\d+))?")
PARTS_OF_A_LAB = [
    "The idea",
    "Predict first",
    "Run it",
    "Look closer",
    "Questions",
    "What the source got wrong",
    "Read next",
]


class Unsupported(Exception):
    pass


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise Unsupported(f"no {path} ({error.strerror})") from error


def peak_of(lab, name):
    for path in glob.glob(f"figures/{name}.{lab}_*.txt"):
        speed = re.search(r"speed +(\S+) GFLOP/s = (\S+) %", read(path))
        return speed and repr(float(speed[1]) / float(speed[2]) * 100)


def speed_in_demo(lab, variant, name):
    of = None  # the lab that this line is about
    for line in read(f"figures/{name}.txt").splitlines():
        words = line.split() or [""]
        of = of if line.startswith("  ") else words[0]
        if of.startswith(lab + "_") and words[0] == (variant or of):
            speed = re.search(r" m?s +([\d.]+) ", line)
            return speed and speed[1]


def speed_in_table(lab, variant, name, size):
    for line in read(f"figures/{name}.tsv").splitlines():
        row = line.split("\t")
        if row[0].startswith(lab + "_") and row[1:4] == [variant or "-", size, "0"]:
            return row[5]


def cell(match):
    """The figure that a cell names, as text."""
    peak, lab, variant, name, size = match.groups()
    if peak:
        found = peak_of(lab, name) if not (variant or size) else None
    elif name.endswith(".demo"):
        found = speed_in_demo(lab, variant, name) if not size else None
    else:
        found = speed_in_table(lab, variant, name, size)
    if not found:
        raise Unsupported(f'figures/ has no "{match[0]}"')
    return found


def evaluate(expression):
    plain = CELL.sub(cell, expression)
    if not re.fullmatch(r"[\d.e+*/()<> -]+", plain):
        raise Unsupported(f'"{expression}" is neither cells nor numbers')
    try:
        return eval(plain)  # digits, operators and parentheses
    except (SyntaxError, ZeroDivisionError, TypeError) as error:
        raise Unsupported(f'"{expression}" cannot be computed') from error


def count(words):
    value = 0
    for word in re.split("[ -]", words.lower().replace(",", "")):
        one = COUNTS.get(word) or float(word)
        value = value * one if value and one >= 100 else value + one
    return value


def said(claim):
    """The number that the words of a claim say."""
    if claim["factor"]:
        return count(claim["factor"])
    if claim["count"]:
        return count(claim["count"]) * SCALE.get(claim["unit"] or claim["later"], 1)
    if claim["part"]:
        return count(claim["parts"]) / (PARTS.get(claim["part"].lower()) or int(claim["part"][:-2]))
    if claim["over"]:
        return int(claim["over"]) / int(claim["under"])
    return WORDS[claim["word"].lower()]


def limits(before):
    """How far from it the words before a number let the truth be."""
    before = re.sub(r"( by)?( an?)?$", "", " ".join(before.lower().split()))
    if re.search(r"\b(more than|over|at least)$", before):
        return 1, 1.5
    if re.search(r"\b(less than|under|below|at most)$", before):
        return 1 / 1.5, 1
    if re.search(r"\b(about|almost|nearly|some)$", before):
        return 0.8, 1.2
    return 0.9, 1.1


def paragraphs(text):
    """Line number and text of each paragraph; what is code, a table or filled in is left out."""
    lines, start, inside = [], 0, None
    for n, line in enumerate(text.splitlines() + [""], 1):
        bare = line.strip()
        if inside:
            inside = None if bare.startswith(inside) else inside
            line = bare = ""
        elif FILLED.fullmatch(bare) or bare.startswith("```"):
            inside = "```" if bare.startswith("```") else "<!-- end -->"
            line = bare = ""
        if lines and (not bare or bare[0] == "|" or re.match(r"([-*]|\d+\.) ", bare)):
            yield start, "\n".join(lines)
            lines = []
        if bare and bare[0] != "|" and (lines or not line.startswith("    ")):
            start = start if lines else n
            lines.append(line)


def judge(words, claim, marker):
    """Raises Unsupported unless the marker supports the claim."""
    kind, expression = marker or ("", "")
    if not kind:
        raise Unsupported(
            "nothing supports it; add <!-- = CELLS --> or <!-- no measurement: REASON --> behind it"
        )
    if kind == "=":
        value, claimed, (low, high) = evaluate(expression), said(claim), limits(words[: claim.start()])
        if not low * claimed <= value <= high * claimed:
            raise Unsupported(f"{expression} is {value:.4g}")


def check_paragraph(text):
    """Yields (offset, what is wrong), and (offset, None) for each claim that figures support."""
    for comment in re.finditer("<!--", text):
        if text[: comment.start()].rpartition("\n")[2].strip() == "":
            yield comment.start(), "a marker at the beginning of a line ends the paragraph: move it up"
        if re.match(r" <!--((?!-->).)*-->[.,;:)]", text[comment.start() - 1 :], re.DOTALL):
            yield comment.start(), "the blank before this marker stays before the stop: remove it"
        if not MARKER.match(text, comment.start()):
            yield comment.start(), "no such marker: see tests/prose.py"
    words = text
    for unread in r"<!--.*?-->", r"`[^`]*`", r"\]\([^)]*\)":  # comments, code, addresses
        words = re.sub(unread, lambda match: " " * len(match[0]), words, flags=re.DOTALL)
    words = words.replace("\n", " ")
    tokens = [*MARKER.finditer(text), *CLAIM.finditer(words)]
    claim = None  # the one that waits for its marker
    for token in sorted(tokens, key=lambda token: token.start()) + [None]:
        marker = (token[1], " ".join(token[2].split())) if token and token.re is MARKER else None
        try:
            if marker and not marker[1]:
                raise Unsupported("a marker that says nothing")
            if marker and marker[0] == "holds:":
                if evaluate(marker[1]) is not True:
                    raise Unsupported(f"it does not hold: {marker[1]}")
                continue
            if marker and not claim:
                raise Unsupported("a marker without a number before it")
        except Unsupported as why:
            yield token.start(), str(why)
        if claim:
            try:
                judge(words, claim, marker)
                if CELL.search(marker[1]):
                    yield claim.start(), None
            except Unsupported as why:
                yield claim.start(), f'"{claim[0]}": {why}'
        claim = None if marker else token


def check_prose(text):
    """Yields (line, what is wrong), then the number of claims that figures support."""
    supported = 0
    for start, paragraph in paragraphs(text):
        for offset, wrong in check_paragraph(paragraph):
            supported += wrong is None
            if wrong:
                yield start + paragraph.count("\n", 0, offset), wrong
    yield supported


SIZE = {"FLOP": 1, "GFLOP": 1e9, "MB": 1e6, "GB": 1e9, "FLOP/byte": 1, "bytes": 1, "": 1}


def formula(words):
    """The value of a formula for M = N = K = 1024; None where it is one in words."""
    for sign, python in {"·": "*", "⌈": "ceil(", "⌉": ")", "²": "**2", "³": "**3", "√": "sqrt"}.items():
        words = words.replace(sign, python)
    plain = re.sub(r"\b[MNK]\b", "1024", re.sub(r" of [AB]\b|, for .*", "", words))
    if not re.fullmatch(r"(?:ceil|sqrt|[\d.+*/() -])+", plain):
        return None
    return eval(plain, {"ceil": math.ceil, "sqrt": math.sqrt})


def predictions(text):
    """Line number and cells of each row of the table of "Predict first"."""
    inside = False
    for n, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            inside = line == "## Predict first"
        if inside and line.startswith("|") and not line.startswith(("|---", "| | formula")):
            yield n, [part.strip() for part in line.strip("|").split("|")]


def first_word(row):
    return row[0].split()[0].strip(",")


def check_predictions(text):
    checked = 0
    for n, row in predictions(text):
        label, formulas, values = (row + ["", ""])[:3]
        for words, value in zip(formulas.split(";"), values.split(";")):
            shown = re.fullmatch(r"(>?) ?([\d.,]+) ?(.*)", value.strip())
            if shown and not words.strip():
                yield n, f'"{label}": {value} has no formula'
            if not shown or shown[3] not in SIZE or formula(words) is None:
                continue
            checked += 1
            number = shown[2].replace(",", "")
            step = 10 ** -len(number.partition(".")[2]) * SIZE[shown[3]]
            if abs(formula(words) - float(number) * SIZE[shown[3]]) > 0.51 * step:
                yield n, f'"{label}": {words.strip()} is {formula(words):.6g}, not {value.strip()}'
        for lab, value in re.findall(r"\(lab (\d+): ([\d.]+)\)", label):
            there = [
                other[2].split()[0]
                for page in glob.glob(f"lab{lab}_*/README.md")
                for _, other in predictions(read(page))
                if other[2] and first_word(other) == first_word(row)
            ]
            if float(value) not in [float(x) for x in there if re.fullmatch(r"[\d.]+", x)]:
                yield n, f'"{label}": the table of lab {lab} has {", ".join(there) or "no such row"}'
    yield checked


def check_transcripts(text):
    for transcript in re.finditer(r"<!-- transcript .*? -->(.*?)<!-- end -->", text, re.DOTALL):
        for bad in re.finditer(r"^ *(given *$|.*too noisy to tell.*)", transcript[1], re.MULTILINE):
            yield (
                text.count("\n", 0, transcript.start(1) + bad.start()) + 1,
                f'"{bad[0].strip()}": measure it again',
            )


def check(path):
    text = read(path)
    lab = re.search(r"(?:^|/)(lab\d+)_[^/]*/", path)
    for what in check_prose, check_predictions:
        *wrong, supported = what(text)
        yield from wrong
        if not supported and (lab or what == check_prose):
            yield (
                1,
                "no number in it is supported by figures/" if what == check_prose else "nothing to predict",
            )
    yield from check_transcripts(text)
    if lab:
        if re.findall(r"^## (.*)", text, re.MULTILINE) != PARTS_OF_A_LAB:
            yield 1, "its parts are not: " + ", ".join(PARTS_OF_A_LAB)
        if len(re.findall(r"\]\(https?://", text.partition("## Read next")[2])) < 2:
            yield 1, "less than two links under Read next"


if not sys.argv[1:]:
    sys.exit("prose.py: which READMEs?")
status = 0
for path in sys.argv[1:]:
    try:
        for line, wrong in check(path):
            print(f"{path}:{line}: {wrong}")
            status = 1
    except Unsupported as why:
        print(f"{path}:1: {why}")
        status = 1
sys.exit(status)
