"""Text directives as browsers read them."""

import pytest

from app.core.turn import link_to_words
from tests.every_row import every_row

PAGE = "https://www.example.com/pricing"


@every_row(
    ("words", "directive"),
    [
        pytest.param("The Plus plan costs more", "The%20Plus%20plan%20costs%20more", id="a short sentence"),
        pytest.param("Wi-Fi, hub & app", "Wi%2DFi%2C%20hub%20%26%20app", id="what parts a directive"),
        pytest.param("Größe: 5 €?", "Gr%C3%B6%C3%9Fe%3A%205%20%E2%82%AC%3F", id="beyond ASCII"),
        pytest.param("one two  three\nfour", "one%20two%20three", id="a line of which too little is left"),
        pytest.param(" ".join(f"word{n}" for n in range(30)),
                     "word0%20word1%20word2%20word3%20word4,word25%20word26%20word27%20word28%20word29",
                     id="a long one by its ends"),
        pytest.param("First press the button.\nThen wait for a minute or two.",
                     "First%20press%20the%20button.,for%20a%20minute%20or%20two.", id="two blocks"),
        pytest.param("Plus\t€3.90 a month, or €39 a year", "%E2%82%AC3.90%20a%20month%2C%20or%20%E2%82%AC39%20a%20year",
                     id="the cell that tells most"),
        pytest.param("Plus\t€3.90", "%E2%82%AC3.90", id="short cells: the longest"),
        pytest.param("保証期間は三年です。" * 12, None, id="a script without blanks, whole"),
    ],
)  # fmt: skip
def test_words_become_a_directive(words: str, directive: str | None) -> None:
    link = link_to_words(PAGE, words)
    assert link.startswith(f"{PAGE}#:~:text=")
    if directive is not None:
        assert link == f"{PAGE}#:~:text={directive}"
    else:
        assert "," not in link


def test_the_headings_anchor_stays_before_it() -> None:
    assert link_to_words(f"{PAGE}#plus", "It costs €3.90") == f"{PAGE}#plus:~:text=It%20costs%20%E2%82%AC3.90"


def test_what_is_no_web_page_has_no_words_to_jump_to() -> None:
    assert link_to_words("urn:docent:note", "It costs €3.90") == "urn:docent:note"


@pytest.mark.parametrize("words", [None, "", " \n\t"])
def test_without_words_a_link_stays_as_it_is(words: str | None) -> None:
    assert link_to_words(f"{PAGE}#plus", words) == f"{PAGE}#plus"
