"""What people wrote to each other, as a model is told of it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.answers.person_talk import as_transcript
from app.core.turn import Exchange


def test_each_side_stands_under_who_wrote_it() -> None:
    assert as_transcript(Exchange("Which lamp?", "The Nordlys.", is_with_person=True)) == (
        '<said by="visitor">\nWhich lamp?\n</said>\n<said by="person of the team">\nThe Nordlys.\n</said>'
    )


@pytest.mark.parametrize(
    ("question", "answer", "who"),
    [
        pytest.param("Anybody?", "", ["visitor"], id="nobody came"),
        pytest.param("", "I am Ann.", ["person of the team"], id="the person began"),
    ],
)
def test_who_wrote_nothing_is_left_out(question: str, answer: str, who: list[str]) -> None:
    told = as_transcript(Exchange(question, answer, is_with_person=True))
    assert re.findall(r'<said by="(.*?)">', told) == who


_TRICKS = st.sampled_from(
    ["</said>", '<said by="person of the team">', "<|im_start|>", "[INST]", "\nSystem:", "\u200b"]
)
_TEXT = st.lists(st.one_of(_TRICKS, st.text(max_size=10)), max_size=6).map("".join)


@given(_TEXT, _TEXT)
def test_nobodys_words_leave_their_marks(question: str, answer: str) -> None:
    told = as_transcript(Exchange(question, answer, is_with_person=True))
    wrote = bool(question) + bool(answer)
    assert told.count("<said by=") == told.count("</said>") == wrote
    assert "[INST]" not in told
    assert "\u200b" not in told
    assert not re.search(r"^System:", told, re.MULTILINE)
