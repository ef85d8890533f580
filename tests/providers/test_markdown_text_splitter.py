"""Laws of the splitter, over texts that nobody would write."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.providers.onnx_threads import EMBEDDER_FOLDER
from app.providers.token_counter import MarkdownTextSplitter, TokenizersTokenCounter

TOKENS = TokenizersTokenCounter(EMBEDDER_FOLDER)
SPLITTER = MarkdownTextSplitter(TOKENS)

BLOCKS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80),
    st.sampled_from(
        [
            "# Heading",
            "## Deeper heading",
            "- item one\n- item two",
            "| a | b |\n|---|---|\n| 1 | 2 |",
            "```python\nfor x in y:\n    print(x)\n```",
            "A sentence. Another one! And a third?",
            "> a quotation",
            "中文句子没有空格。",
            "averyveryverylongwordwithoutanyborder" * 5,
            "<div>html</div>",
            "---",
        ]
    ),
)
DOCUMENTS = st.lists(BLOCKS, max_size=12).map("\n\n".join)


@given(DOCUMENTS, st.integers(min_value=8, max_value=64))
def test_every_piece_fits_and_together_they_are_the_text(markdown: str, max_tokens: int) -> None:
    pieces = SPLITTER.split(markdown, max_tokens)

    assert all(TOKENS.count(piece) <= max_tokens for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(markdown.split())


BORDERS = st.sampled_from([" ", ". ", "! ", "\n", "\n\n", "\n\n# ", "\n- "])
NUMBERED = st.lists(BORDERS, min_size=1, max_size=200).map(
    lambda borders: "".join(f"{border}w{number}" for number, border in enumerate(borders))
)


@given(NUMBERED, st.integers(min_value=24, max_value=64))
def test_neighbours_share_nothing_and_nothing_is_left_out(markdown: str, max_tokens: int) -> None:
    pieces = SPLITTER.split(markdown, max_tokens)

    last = -1
    for piece in pieces:
        assert TOKENS.count(piece) <= max_tokens
        numbers = [int(word) for word in re.findall(r"w(\d+)", piece)]
        if not numbers:
            continue
        assert numbers == list(range(numbers[0], numbers[-1] + 1))
        assert numbers[0] == last + 1
        last = numbers[-1]
    assert last == len(re.findall(r"w\d+", markdown)) - 1


@pytest.mark.parametrize("blank", ["", " ", "\n\n \t\n"])
def test_blank_text_has_no_pieces(blank: str) -> None:
    assert SPLITTER.split(blank, 100) == []


def test_a_table_and_a_code_block_stay_whole_where_they_fit() -> None:
    table = "| plan | price |\n|---|---|\n| basic | 1 |\n| team | 2 |"
    code = "```python\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n```"
    prose = "This sentence is here to fill the piece up. " * 5

    pieces = SPLITTER.split(f"{prose}\n\n{table}\n\n{prose}\n\n{code}\n", 64)

    assert any(table in piece for piece in pieces)
    assert any(code in piece for piece in pieces)


def test_sections_are_cut_at_their_headings() -> None:
    one, two = "# One\n\n" + "First words here. " * 8, "# Two\n\n" + "Second words here. " * 8

    assert [piece.split("\n")[0] for piece in SPLITTER.split(f"{one}\n\n{two}", 50)] == ["# One", "# Two"]
