"""The parts of a section that are quoted whole: code with what introduces it, a few rows of a table."""

from dataclasses import replace

from app.answers.writing.passages import length, passages, pieces_of
from app.core.text.markdown.blocks import blocks, units
from tests.answers.extractive_answers import source
from tests.every_row import every_row

ROWS = [f"{number:08x}  2015-05-08 21:40:19  host-{number}  /home/user/work" for number in range(20)]


def _parts(lead: str, *lines: str) -> list[list[str]]:
    code = "\n".join(lines)
    (unit,) = units(blocks(f"{lead}\n\n```console\n{code}\n```"))
    return [[block.text for block in piece] for piece in pieces_of(unit)]


@every_row("lead", ["List them:", "For example,", "Run this;", f"{'It is listed. ' * 6}To see all of them run"])
def test_each_part_of_code_comes_under_the_sentence_that_it_ends(lead: str) -> None:
    assert {part[0] for part in _parts(lead, *ROWS)} == {lead}


def test_code_that_no_command_printed_is_cut_as_it_stands() -> None:
    assert [len(part) for part in _parts("List them:", "ID  Date", *ROWS)] == [2, 2, 2]


def test_what_opens_long_code_is_no_part_of_its_own() -> None:
    notes = [f"      c'4 d'4 e'4 f'4 | % the bar of number {number}" for number in range(10)]
    code = ["\\score {", "  <<", "    \\new Staff {", *notes, "    }", "  >>", "}"]
    first, *others = [part[-1] for part in _parts("So it is written:", *code)]
    assert first.startswith("```console\n" + "\n".join(code[:4]))
    assert others
    assert all("c'4" in part for part in others)


def test_each_part_comes_under_the_line_right_above_it() -> None:
    long_line = " ".join(["It is done in the following way, and in no other."] * 5).rstrip(".") + ":"
    rows = "\n".join(f"row {n} of what the program prints of itself" for n in range(20))
    code = f"```\n{rows}\n```"
    (unit,) = units(blocks(f"{long_line}\n\nIn the hall:\n\n{code}\n\n```\nmake\n```"))
    first, *others = [[block.text for block in piece] for piece in pieces_of(unit)]
    assert first == [long_line]
    assert len(others) > 2
    assert {part[0] for part in others} == {"In the hall:"}


def test_what_is_indented_stays_with_the_line_above_it_within_a_long_statement() -> None:
    options = "\n".join(f"  -{n}\n      light the lamp with the number {n} in the hall" for n in range(10, 30))
    (unit,) = units(blocks(f"Use it:\n\n```\nUsage: lamp [options]\n{options}\n```"))
    parts = [piece[1].text.splitlines()[1:-1] for piece in pieces_of(unit)]
    assert len(parts) > 1
    assert all(part[-1].startswith("      light") for part in parts)


def test_a_run_of_code_that_does_not_fit_behind_another_one_begins_anew() -> None:
    runs = ["\n".join(f"{name} {n}: light it up in the hall" for n in range(9)) for name in ("lamp", "bell")]
    code = "\n\n".join(runs)
    (unit,) = units(blocks(f"Use it:\n\n```\n{code}\n```"))
    assert [piece[1].text.splitlines()[1] for piece in pieces_of(unit)] == [
        "lamp 0: light it up in the hall",
        "bell 0: light it up in the hall",
    ]


def test_neighbouring_parts_are_one_again() -> None:
    code = "\n".join(ROWS)
    text = f"You can list them:\n\n```console\n{code}\n```"
    found = passages(source(1, text, "x"))[0]
    assert replace(found, start=0, end=len(found.pieces)).text == text


def test_parts_of_one_code_are_one_passage() -> None:
    code = "\n".join(["```console", *ROWS, "```"])
    found = passages(source(1, f"You can list them:\n\n{code}\n\n{'Rows are sorted by day. ' * 40}", "x"))
    first, *others = [each for each in found if "```console" in each.text]
    assert others
    assert all(first.overlaps(other) for other in others[:1])
    assert not first.overlaps(found[-1])


def test_a_long_table_is_cut_into_a_few_rows_each() -> None:
    rows = [f"| `key-{n}` | opens the door with the number {n} of the house |" for n in range(20)]
    (unit,) = units(blocks("\n".join(["| key | what it does |", "| --- | --- |", *rows])))
    parts = [piece[0].text.splitlines() for piece in pieces_of(unit)]
    assert [row for part in parts for row in part[2:]] == rows
    assert all(part[0] == "| key | what it does |" and 1 < len(part[2:]) < 6 for part in parts)


def test_each_part_of_a_long_quotation_is_a_quotation_with_its_paragraphs() -> None:
    paragraphs = [" ".join(["The first step is to know which parts of your system need a copy."] * 5), "It is short."]
    (unit,) = units(blocks("\n>\n".join(f"> {text}" for text in [*paragraphs, *paragraphs])))
    parts = [block.text for piece in pieces_of(unit) for block in piece]
    assert parts == [f"> {paragraphs[0]}\n>\n> It is short."] * 2


def test_an_introduction_that_pieces_share_is_counted_once() -> None:
    (unit,) = units(blocks("List them:\n\n" + "\n".join(f"- {row}" for row in ROWS)))
    first, second, *_ = pieces_of(unit)
    assert length([first, second]) == length([first]) + length([second]) - len("List them:\n\n")
