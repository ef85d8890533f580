"""A question's words as an agent's pages spell them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.providers.indexes.tantivy_keyword_index import TantivyKeywordIndex
from app.providers.onnx_threads import EMBEDDER_FOLDER
from app.providers.token_counter import TokenizersTokenCounter
from tests.contracts.keyword_index_contract import AGENT, OTHER_AGENT, row

PAGES = (
    "The warranty of a Nimbrel station is three years. The Plus plan costs 4 euros a month.",
    "A key frame holds a value. Web pages send a webhook when the station is offline.",
    "Hold the button of the station for ten seconds. Delivery takes two days; coloring books are free.",
    "Redundant lines and solid wood for what grows.",
    "The results of a false form are noted. The results differ by their resolution; a flash is one of them.",
)


@pytest.fixture(scope="module")
def is_word() -> TokenizersTokenCounter:
    return TokenizersTokenCounter(EMBEDDER_FOLDER)


@pytest.fixture
async def index(tmp_path: Path, is_word: TokenizersTokenCounter) -> AsyncIterator[TantivyKeywordIndex]:
    index = TantivyKeywordIndex(tmp_path, is_word=is_word.is_word)
    await index.put(AGENT, "en", [row(f"p{number}", text) for number, text in enumerate(PAGES)])
    yield index
    await index.close()


@pytest.mark.parametrize(
    ("typed", "spelt"),
    [
        ("How long is the waranty?", "How long is the warranty?"),
        ("How long is the warrranty?", "How long is the warranty?"),
        ("how much is it per motnh", "how much is it per month"),
        ("Delivrey to the UK", "Delivery to the UK"),
        ("reset a ststion, please", "reset a station, please"),
        ("my growig plants", "my growing plants"),
        ("reset the nimrbel", "reset the nimbrel"),
        ("who sells colouring books", "who sells coloring books"),
        ("add a web hook", "add a webhook"),
        ("what resoultion has it", "what resolution has it"),  # and not a form of "result"
        ("a falsh in the picture", "a flash in the picture"),
        ("nohting happens", "nothing happens"),  # a common word, though no page holds it
    ],
)
async def test_a_word_that_no_page_holds_is_spelt_as_they_spell_it(
    index: TantivyKeywordIndex, typed: str, spelt: str
) -> None:
    assert await index.respelt(AGENT, "en", typed) == spelt


@pytest.mark.parametrize(
    "typed",
    [
        *("", "?!", "How long is the warranty?", "THE WARRANTY", "stations and plans"),
        *("how can I get a refund", "opacity slider", "what is a keyframe"),  # words, though no page holds them
        *("Does it work with Waranty Inc?", "connect Homekit", "E42x", "wifi6"),  # names and codes
        *("is it hidden forme", "is it hidden for me"),
        *("plen", "a b c d"),  # too short to tell what is meant
        *("保证期多久", "сколько стоит", "ما هي مدة الضمان"),
    ],
)
async def test_words_names_and_other_languages_stay_as_they_are(index: TantivyKeywordIndex, typed: str) -> None:
    assert await index.respelt(AGENT, "en", typed) == typed


async def test_other_languages_are_spelt_by_their_pages_alone(tmp_path: Path) -> None:
    index = TantivyKeywordIndex(tmp_path)
    await index.put(AGENT, "de", [row("a", "Die Garantie gilt drei Jahre. Das Passwort ändern Sie im Konto.")])
    await index.put(OTHER_AGENT, "ru", [row("b", "Гарантия действует три года.")])

    assert await index.respelt(AGENT, "de", "Wie lange gilt die Garnatie?") == "Wie lange gilt die Garantie?"
    assert await index.respelt(OTHER_AGENT, "ru", "какая гарантяи") == "какая гарантия"
    await index.close()


async def test_a_question_without_an_index_stays_as_it_is(tmp_path: Path) -> None:
    assert await TantivyKeywordIndex(tmp_path).respelt(AGENT, "en", "the waranty") == "the waranty"


async def test_of_endless_strange_words_only_the_first_ones_are_looked_at(index: TantivyKeywordIndex) -> None:
    strange = " ".join(f"zyx{'abcdefgh'[n % 8] * (3 + n % 5)}q" for n in range(5_000))
    assert await index.respelt(AGENT, "en", f"{strange} waranty") == f"{strange} waranty"
