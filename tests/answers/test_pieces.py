"""The parts of a section that are quoted whole: what a command printed with the command, a few rows of a table."""

import pytest

from app.answers.writing.passages import passages
from app.answers.writing.pieces import length, pieces_of
from app.core.text.markdown.blocks import Block, blocks, units
from tests.answers.extractive_answers import source

ROWS = [f"{number:08x}  2015-05-08 21:40:19  host-{number}  /home/user/work" for number in range(20)]


def _parts(lead: str, *lines: str) -> list[list[str]]:
    code = "\n".join(lines)
    (unit,) = units(blocks(f"{lead}\n\n```console\n{code}\n```"))
    return [[block.text for block in piece] for piece in pieces_of(unit)]


@pytest.mark.parametrize(
    "typed",
    ["$ restic snapshots", "user@host:~$ ls", "root@host:/# ls", "sqlite> .tables", "C:\\> dir", ">>> f()"],
)
def test_each_part_of_an_output_follows_the_command_that_printed_it(typed: str) -> None:
    first, *others = _parts("You can list them:", typed, *ROWS)
    assert first[1].startswith(f"```console\n{typed}\n{ROWS[0]}")
    assert others
    assert all(part[:2] == ["You can list them:", f"```console\n{typed}\n```"] for part in others)


def test_a_command_goes_on_behind_a_backslash() -> None:
    _, second, *_ = _parts("List them:", "$ restic snapshots \\", "    --compact", *ROWS)
    assert second[1] == "```console\n$ restic snapshots \\\n    --compact\n```"


@pytest.mark.parametrize(
    "lead", ["List them:", "For example,", "Run this;", f"{'It is listed. ' * 6}To see all of them run"]
)
def test_each_part_of_code_comes_under_the_sentence_that_it_ends(lead: str) -> None:
    assert {part[0] for part in _parts(lead, *ROWS)} == {lead}


def test_of_several_commands_the_one_right_above_counts() -> None:
    *_, last = _parts("Run:", "$ cd /srv", "$ ls", *ROWS)
    assert last[1] == "```console\n$ ls\n```"


def test_code_that_no_command_printed_is_cut_as_it_stands() -> None:
    assert [len(part) for part in _parts("List them:", "ID  Date", *ROWS)] == [2, 2, 2]


def test_each_part_of_a_usage_comes_under_the_item_that_names_it() -> None:
    usage = "\n".join(
        f"-{letter}: what the option {letter} does to the key that is bound" for letter in "abcdefghijklmnop"
    )
    (unit,) = units(blocks(f"- `key`: bind keys\n\n```\n{usage}\n```"))
    parts = [[block.text for block in piece] for piece in pieces_of(unit)]
    assert len(parts) > 1
    assert all(len(part) == 2 and part[0] == "- `key`: bind keys" for part in parts)


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


def test_the_rest_of_a_sentence_comes_with_the_code_that_interrupts_it() -> None:
    said = " ".join(["and as many more of them as there are."] * 5)
    first, second = "While this:\n\n```\nlist dream\n```", "```\nlist a:dream\n```"
    page = f"{first}\n\nfinds a lot {said}, this\n\n{second}\n\nfinds one {said}"
    (unit,) = units(blocks(page))
    assert [[block.text.split()[0] for block in piece] for piece in pieces_of(unit)] == [
        ["While", "```", "finds"],
        ["While", "```", "finds"],
    ]
    assert not any(found.text.startswith("finds") for found in passages(source(1, page, "Queries")))


def test_a_sentence_that_ended_behind_its_code_announces_no_list() -> None:
    items = "\n".join(f"- lamp{n}: it lights up the hall and the stairs" for n in range(12))
    (unit,) = units(blocks(f"For instance:\n\n```\n--lamp 20\n```\n\nmeans that it is on.\n\n{items}"))
    assert [piece[0].text.split()[0] for piece in pieces_of(unit)] == ["For", "-", "-"]


def test_neighbouring_parts_are_one_again() -> None:
    lines = ["$ restic snapshots", *ROWS]
    code = "\n".join(lines)
    text = f"You can list them:\n\n```console\n{code}\n```"
    found = passages(source(1, text, "x"))
    whole = type(found[0])(found[0].source, found[0].heading, found[0].pieces, 0, len(found[0].pieces))
    assert whole.text == text
    later = type(whole)(whole.source, whole.heading, whole.pieces, 1, 2)
    assert blocks(later.text)[1] == Block(blocks(later.text)[1].kind, "```console\n$ restic snapshots\n```")


def test_a_long_table_is_cut_into_a_few_rows_each() -> None:
    rows = [f"| `key-{n}` | opens the door with the number {n} of the house |" for n in range(20)]
    (unit,) = units(blocks("\n".join(["| key | what it does |", "| --- | --- |", *rows])))
    parts = [piece[0].text.splitlines() for piece in pieces_of(unit)]
    assert [row for part in parts for row in part[2:]] == rows
    assert all(part[0] == "| key | what it does |" and 1 < len(part[2:]) < 6 for part in parts)


def test_parts_of_one_code_are_one_passage() -> None:
    code = "\n".join(["```console", "$ restic snapshots", *ROWS, "```"])
    found = passages(source(1, f"You can list them:\n\n{code}\n\n{'Rows are sorted by day. ' * 40}", "x"))
    first, *others = [each for each in found if "restic snapshots" in each.text]
    assert others
    assert all(first.overlaps(other) for other in others[:1])
    assert not first.overlaps(found[-1])


def test_each_part_of_a_long_quotation_is_a_quotation_with_its_paragraphs() -> None:
    paragraphs = [" ".join(["The first step is to know which parts of your system need a copy."] * 5), "It is short."]
    (unit,) = units(blocks("\n>\n".join(f"> {text}" for text in [*paragraphs, *paragraphs])))
    parts = [block.text for piece in pieces_of(unit) for block in piece]
    assert parts == [f"> {paragraphs[0]}\n>\n> It is short."] * 2


def test_what_follows_a_sentence_around_code_is_not_under_its_beginning() -> None:
    said = "The tool is in most distributions, and it has few options. " * 8
    end = "will write the second track to `file.wav`."
    text = (
        f"First convert the sound. For example:\n\n```\nplay -o file.wav\n```\n\n{end} {said}For example:\n\n"
        "```\noggenc file.wav\n```"
    )
    (unit,) = units(blocks(text))
    first, *others, last = [[block.text for block in piece] for piece in pieces_of(unit)]
    assert first == ["First convert the sound. For example:", "```\nplay -o file.wav\n```", end]
    assert " ".join(text for (text,) in others) == said.strip()
    assert last == ["For example:", "```\noggenc file.wav\n```"]


def test_an_introduction_that_pieces_share_is_counted_once() -> None:
    (unit,) = units(blocks("List them:\n\n" + "\n".join(f"- {row}" for row in ROWS)))
    first, second, *_ = pieces_of(unit)
    assert length([first, second]) == length([first]) + length([second]) - len("List them:\n\n")
