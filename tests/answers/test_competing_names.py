"""Which products, plans, versions or places compete for the answer to a question that names none of them."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.agents.agent import AgentConfig
from app.answers.writing.answer_context import AnswerContext, Source
from app.answers.writing.clarifying_writer import ClarifyingWriter, competing_names, may_compete
from app.answers.writing.extractive_writer import ExtractiveWriter
from app.answers.writing.generation import Generation
from app.answers.writing.passage_judge import JudgedPassage
from app.answers.writing.passage_odds import Nearness
from app.answers.writing.passage_readings import PassageReadings
from app.answers.writing.passages import Looks, Passage, passages
from app.core.turn import AnsweredBy
from tests.answers.extractive_answers import source
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.memory_keyword_index import MemoryKeywordIndex
from tests.every_row import every_row

MATHS = source(1, "You need a degree in algebra and 60 credits.", "Requirements", "Become a maths teacher | Teach UK")
PHYSICS = source(2, "A year of laboratory work is asked for.", "Requirements", "Become a physics teacher | Teach UK")
QUESTION = "what are the requirements to become a teacher"


def judged(*sources: Source, lead: float = 0.2) -> list[JudgedPassage]:
    """The first passage of each, each `lead` behind the one before."""
    return [JudgedPassage(passages(each)[0], 3 - lead * at) for at, each in enumerate(sources)]


def test_pages_whose_titles_differ_in_one_name_compete() -> None:
    assert may_compete(QUESTION, [MATHS, PHYSICS])
    assert competing_names(QUESTION, judged(MATHS, PHYSICS)) == ["maths", "physics"]
    music = replace(
        PHYSICS, number=3, url="https://x.example/3", title="Become a music teacher", text="Play an instrument."
    )
    assert competing_names(QUESTION, judged(MATHS, PHYSICS, music)) == ["maths", "physics", "music"]


def test_the_whole_titles_are_named_where_one_product_has_no_more_than_the_family_s_name() -> None:
    one = source(1, "It runs for 4 weeks on its cells.", title="Battery of the Nimbrel One")
    wind = source(2, "The panel charges it by day.", title="Battery of the Nimbrel One Wind")
    names = competing_names("how long does the battery last", judged(one, wind))
    assert names == ["Battery of the Nimbrel One", "Battery of the Nimbrel One Wind"]


def test_pages_with_the_same_section_compete_if_it_is_what_is_asked_for() -> None:
    basic = source(1, "Press the button for ten seconds.", "Resetting it", "Basic")
    pro = source(2, "Open the app and choose Reset.", "Resetting it", "Pro Max")
    assert may_compete("how do I reset it", [basic, pro])
    assert competing_names("how do I reset it", judged(basic, pro)) == ["Basic", "Pro Max"]
    assert not may_compete("where is the fuse", [basic, pro])
    lost = [replace(each, heading="Resetting a lost card") for each in (basic, pro)]
    assert competing_names("how do I reset it", judged(*lost)) == []
    assert competing_names("where is the fuse", judged(basic, pro)) == []


def test_sections_of_a_page_compete_by_the_heading_above_them() -> None:
    fleet = replace(source(1, "Write to the fleet manager.", "Lost card"), breadcrumb=("Fleet card", "Lost card"))
    travel = replace(source(1, "Call the bank at any hour.", "Lost card"), breadcrumb=("Travel card", "Lost card"))
    names = competing_names("i lost my card", judged(fleet, travel))
    assert names == ["Fleet card", "Travel card"]


def test_versions_compete_that_only_the_address_tells_apart() -> None:
    old = replace(
        source(1, "Run setup.exe as before.", "Installing", "Install"), url="https://x.example/docs/v1/install"
    )
    new = replace(source(2, "Download the package.", "Installing", "Install"), url="https://x.example/docs/v2/install")
    assert competing_names("how do I install it", judged(old, new)) == ["v1", "v2"]


@every_row(
    ("question", "others"),
    [
        pytest.param("requirements to become a maths teacher", [PHYSICS], id="the question names one"),
        pytest.param("requirements to become a physics teacher", [PHYSICS], id="or the other"),
        pytest.param(QUESTION, [replace(PHYSICS, text=MATHS.text)], id="both say the same"),
        pytest.param(QUESTION, [replace(PHYSICS, title="How to start as a teacher")], id="the titles are no family"),
        pytest.param(
            QUESTION,
            [replace(PHYSICS, title="Where people who teach physics begin", heading="Requirements")],
            id="a title that is no name",
        ),
    ],
)
def test_nothing_competes_where_the_question_is_clear(question: str, others: list[Source]) -> None:
    assert competing_names(question, judged(MATHS, *others)) == []


def test_the_name_of_the_website_in_every_title_makes_no_family() -> None:
    one = source(1, "It reads the body of a request.", "Load", "mod_one - The Great Server Manual")
    two = source(2, "It writes a line into the log.", "Order", "mod_two - The Great Server Manual")
    assert not may_compete("when does the server load it", [one, two])
    assert competing_names("when does the server load it", judged(one, two)) == []


def test_a_passage_far_below_the_best_one_does_not_compete() -> None:
    assert competing_names(QUESTION, judged(MATHS, PHYSICS, lead=1.1)) == []


def test_the_page_that_the_visitor_looks_at_is_meant() -> None:
    assert competing_names(QUESTION, judged(MATHS, PHYSICS), f"{PHYSICS.url}/#top") == []
    assert competing_names(QUESTION, judged(MATHS, PHYSICS), "https://x.example/") == ["maths", "physics"]


class CountingReadings(PassageReadings):
    """Knows what it was asked."""

    def __init__(self) -> None:
        super().__init__(HashingEmbedder(), MemoryKeywordIndex())
        self.asked: list[str] = []

    async def nearness(self, context: AnswerContext, passages: Sequence[Passage]) -> dict[Looks, Nearness]:
        self.asked.append(context.asked)
        return await super().nearness(context, passages)


async def test_what_was_read_to_ask_back_is_not_read_again_for_the_quotation() -> None:
    readings = CountingReadings()
    quotes = ExtractiveWriter(readings)
    question = "what degree do teachers need for algebra"
    context = AnswerContext(AgentConfig(name="x", confidence_threshold=0), question, question, (MATHS, PHYSICS))
    assert may_compete(question, context.sources)
    generation = Generation(context, lambda piece, whole: None)
    await generation.write([ClarifyingWriter(quotes), quotes])
    assert generation.answered_by is AnsweredBy.EXTRACTIVE
    assert readings.asked == [question]
    assert replace(context, read_as="something else").readings == []
