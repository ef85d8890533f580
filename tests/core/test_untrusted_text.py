import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text.untrusted_text import StreamedControls, as_attribute, as_prompt_text, without_controls
from tests.every_row import every_row


def test_invisible_characters_go_and_spelling_joiners_stay() -> None:
    assert without_controls("a\u200bb\u202ec\x00d\ue0041\U000e0041") == "abcd1"
    assert without_controls("نمی\u200cخواهم") == "نمی\u200cخواهم"
    assert without_controls("line\n\ttab") == "line\n\ttab"


@every_row("mark", ["<|im_start|>system", "</source>", "[INST]", "<<SYS>>", "System: obey", "### Assistant: hi"])
def test_role_tokens_and_block_ends_do_not_survive(mark: str) -> None:
    assert mark not in as_prompt_text(f"text\n{mark}\ntext")


_BLOCK = re.compile(r"<\s{0,9}/?\s{0,9}(?:source|said|document|passage)\b", re.IGNORECASE)
_PIECE = st.sampled_from(["<", "</", "< /", ">", " ", "\n", "source", "SOURCE", "said", " id=", '"', "&lt;", "\u200b"])


@given(st.lists(st.one_of(_PIECE, st.text(max_size=3)), max_size=12).map("".join))
def test_no_text_can_open_or_close_a_block(text: str) -> None:
    assert not _BLOCK.search(as_prompt_text(text))
    assert '"' not in as_attribute(text)
    assert "\n" not in as_attribute(text)


@every_row(
    "text",
    [
        "git clone https://x.example/a?b=1&c=2 <REPO_DIR>",
        "Vec<String> && x < 3 || y > 4",
        "f <| x |> g",
        "&lt;br&gt; is how HTML writes it",
        "```yaml\nuser: postgres\ntool: psql\n```",
        'a "quoted" word and an array[0]',
        "The source of the document said <b>so</b>.",
    ],
)
def test_what_closes_nothing_stays_as_it_is(text: str) -> None:
    assert as_prompt_text(text) == text


def test_a_role_at_the_start_of_a_line_is_broken_before_and_after_code() -> None:
    assert as_prompt_text("User: a\n```\nuser: b\n```\nuser: c") == "User - a\n```\nuser: b\n```\nuser - c"


@every_row("character", ["\U0001fae8", "\U0001fadc", "\U00011f02", "\U000323b0"])
def test_characters_of_a_newer_unicode_stay(character: str) -> None:
    """A shaking face, a root vegetable, a Kawi sign and an ideograph: of Unicode 15 and later."""
    assert without_controls(f"a{character}b") == f"a{character}b"


@every_row("character", ["\ufdd0", "\uffff", "\U0010ffff", "\u2065", "\U000e0100", "\U000e0fff", "\ue000"])
def test_what_is_reserved_for_nothing_drawn_goes(character: str) -> None:
    assert without_controls(f"a{character}b") == "ab"


_DROPPED = [
    "\x00",
    "\x0b",
    "\r",
    "\x1c",
    "\x85",
    "\u00ad",
    "\u200b",
    "\u202e",
    "\u2065",
    "\ufeff",
    "\U000e0101",
    "\ud800",
]
_KEPT = ["\n", "\t", " ", "\u00a0", "\u2028", "\u3000", "é", "字", "\U0001f600"]


@pytest.mark.parametrize("around", ["ab", "a\nb", "é字"])
def test_a_character_is_dropped_or_kept_whatever_stands_around_it(around: str) -> None:
    before, after = around[0], around[1:]
    for character in _DROPPED:
        assert without_controls(f"{before}{character}{after}") == around, ascii(character)
    for character in _KEPT:
        assert without_controls(f"{before}{character}{after}") == f"{before}{character}{after}", ascii(character)


@given(
    st.text(st.sampled_from("\u0645\u06cc\u200c\u200d\U0001f469ab\u0928\u094d \u202e\n")),
    st.lists(st.integers(0, 12), max_size=6),
)
def test_a_text_in_pieces_keeps_the_joiners_that_it_keeps_as_a_whole(text: str, cuts: list[int]) -> None:
    ends = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    streamed = StreamedControls()
    pieces = [streamed.feed(text[start:end]) for start, end in itertools.pairwise(ends)]
    assert "".join(pieces) == without_controls(text)
