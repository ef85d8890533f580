"""Code is cut where it parts, and every part can be understood."""

import pytest

from app.core.text.markdown.section_text import section_text
from app.knowledge.chunker import Chunker
from tests.knowledge.chunked_pages import page, sentence, texts


def test_code_in_a_long_item_stays_code(chunker: Chunker) -> None:
    lines = [f"light the lamp with the number {n} in the hall" for n in range(40)]
    code = "\n".join(lines)
    item = f"1. Make a file:\n\n```\n{code}\n```\n\nIt says when.".replace("\n", "\n   ").replace("\n   \n", "\n\n")

    chunks = texts(chunker.cut(page(f"## Steps\n\n{item}\n2. Start it.")))

    assert len(chunks) > 1
    assert all(chunk.count("```") % 2 == 0 for chunk in chunks)
    assert section_text(chunks) == f"## Steps\n\n1. Make a file:\n\n```\n{code}\n```\n\nIt says when.\n\n2. Start it."


def test_code_that_fits_stays_whole(chunker: Chunker) -> None:
    code = "```python\n" + "\n".join(f"total = add(total, price_{n})" for n in range(12)) + "\n```"
    chunks = chunker.cut(page(f"## Totals\n\n{sentence(120)}\n\n{code}\n\n{sentence(120)}"))

    assert [chunk for chunk in chunks if code in chunk.text]


def test_code_that_does_not_fit_is_fenced_in_every_piece(chunker: Chunker) -> None:
    lines = [f"    price_{n} = fetch_price({n})" for n in range(80)]
    chunks = chunker.cut(page("## Load\n\n```python\n" + "\n".join(lines) + "\n```"))

    assert len(chunks) > 2
    assert all(chunk.text.count("```python\n") == 1 and chunk.text.endswith("\n```") for chunk in chunks)
    assert [line for chunk in chunks for line in chunk.text.splitlines() if "fetch_price" in line] == lines


def test_the_item_that_names_a_command_stands_above_each_part_of_its_usage(chunker: Chunker) -> None:
    usage = "\n".join(f"option-{n}: what the option does to the key that is bound to it" for n in range(40))
    chunks = texts(chunker.cut(page(f"## Commands\n\n- `key`: bind keys\n\n```\n{usage}\n```")))

    assert len(chunks) > 1
    assert all("- `key`: bind keys\n\n```\noption-" in text for text in chunks)
    assert section_text(chunks) == f"## Commands\n\n- `key`: bind keys\n\n```\n{usage}\n```"


def test_code_is_not_cut_within_a_statement(chunker: Chunker) -> None:
    calls = [f"price_{n} = fetch_price(\n    shop={n},\n    day=today,\n)" for n in range(40)]
    chunks = texts(chunker.cut(page("```python\n" + "\n".join(calls) + "\n```")))

    assert len(chunks) > 2
    assert all(text.startswith("```python\nprice_") and text.endswith(",\n)\n```") for text in chunks)


def test_code_is_sooner_whole_than_below_what_introduces_more(chunker: Chunker) -> None:
    items = "\n".join(f"- {sentence(30)}" for _ in range(5))
    code = "```\n" + "\n".join(f"price_{n} = fetch_price({n})" for n in range(17)) + "\n```"
    markdown = f"{sentence(45).rstrip('.')}:\n\n{items}\n\n{code}"
    chunks = texts(chunker.cut(page(markdown)))

    assert len(chunks) > 1
    assert chunks[-1] == code
    assert section_text(chunks) == markdown


def test_the_lines_of_a_long_function_are_not_a_chunk_each(chunker: Chunker) -> None:
    lines = [f"  price_{n} = fetch_price({n});" for n in range(1000)]
    code = "\n".join(["```", "int main()", "{", *lines, "}", "```"])
    chunks = texts(chunker.cut(page(code)))

    assert all(len(chunk.splitlines()) > 5 for chunk in chunks[1:-1])
    assert section_text(chunks) == code


def test_what_opens_long_code_is_no_chunk_of_its_own(chunker: Chunker) -> None:
    notes = [f"      c'4 d'4 e'4 f'4 | % the bar of number {number}" for number in range(60)]
    code = "\n".join(["```", "\\score {", "  <<", "    \\new Staff {", *notes, "    }", "  >>", "}", "```"])
    chunks = texts(chunker.cut(page(code)))

    assert len(chunks) > 2
    assert all("c'4" in chunk for chunk in chunks)
    assert section_text(chunks) == code


def test_what_a_command_printed_follows_it_in_every_piece(chunker: Chunker) -> None:
    rows = [f"snapshot {n}  2015-05-08 21:40:19  /home/user/work" for n in range(40)]
    code = "\n".join(["```console", "$ restic snapshots", *rows, "```"])
    markdown = f"You can list them:\n\n{code}"

    chunks = texts(chunker.cut(page(markdown)))

    assert len(chunks) > 2
    assert all("```console\n$ restic snapshots\n" in text for text in chunks)
    assert section_text(chunks) == markdown


@pytest.mark.parametrize(
    "down",
    [
        pytest.param([f"{' ' * n}step {n}:" for n in range(1000)], id="indented without end"),
        pytest.param(["{", *(f"  step {n}," for n in range(1000)), "}"], id="in one pair of brackets"),
        pytest.param(["} step"] * 1000, id="closing without end"),
        pytest.param([f"{'  ' * (1000 - n)}step {n}" for n in range(1000)], id="less and less indented"),
    ],
)
def test_code_of_a_thousand_lines_is_cut(chunker: Chunker, down: list[str]) -> None:
    code = "\n".join([*down, *reversed(down)])

    assert section_text(texts(chunker.cut(page(f"```\n{code}\n```")))).count("step") == 2000


def test_a_sentence_that_code_interrupts_goes_on_in_its_chunk(chunker: Chunker) -> None:
    lead = f"{sentence(100)} For instance:"
    page_text = (
        f"**--lamp=<list>**\n\n{lead}\n\n```\n--lamp hall:20\n```\n\nmeans that only this one is on. However:\n\n"
        f"```\n--lamp hall:21\n```\n\nmeans that any of them is on. {sentence(60)}"
    )

    found = texts(chunker.cut(page(page_text)))

    assert [text.splitlines()[0] for text in found] == ["**--lamp=<list>**"] * len(found)
    with_code = [text for text in found if "hall:20" in text]
    assert len(found) > 1
    assert [text.count("means that") for text in with_code] == [2]
    assert "For instance:\n\n```" in with_code[0]
