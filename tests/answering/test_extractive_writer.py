"""Answers in the pages' own words."""

from app.answering.brief import AnswerBrief, Source
from app.answering.extractive_writer import ExtractiveWriter
from app.domain.agent import AgentConfig
from app.ports.chat_model import TextDelta
from tests.doubles.overlap_reranker import OverlapReranker


async def written(
    question: str,
    *texts: str,
    reranker: OverlapReranker | None = None,
    own_page: str = "",
    max_chars: int = 1500,
    heading: str = "",
) -> str:
    sources = tuple(
        Source(number, f"https://x.example/{number}", "Page", text, chunk_id=f"c{number}", heading=heading)
        for number, text in enumerate(texts, 2 if own_page else 1)
    )
    if own_page:
        sources = (Source(1, "https://x.example/1", "Your page", own_page, is_unasked=True), *sources)
    brief = AnswerBrief(AgentConfig(name="x", max_answer_chars=max_chars), question, question, sources)
    writer = ExtractiveWriter(reranker or OverlapReranker())
    return "".join([item.text async for item in writer.write(brief) if isinstance(item, TextDelta)]).strip()


async def test_the_best_sentence_is_quoted_with_its_source() -> None:
    text = "Lamps are warm. The warranty of every lamp is 3 years. We are based in Galway, by the sea."
    assert await written("How long is the warranty of a lamp?", text) == "The warranty of every lamp is 3 years. [1]"


async def test_the_best_source_comes_first_and_its_sentences_in_their_order() -> None:
    answer = await written(
        "When is the warranty repair free of charge?",
        "A repair takes about ten days here.",
        "The warranty repair is free of charge. Free warranty repair ends when the charge is paid.",
    )
    first, second = answer.index("The warranty repair is free"), answer.index("Free warranty repair ends")
    assert first < second
    assert "[2]" in answer


async def test_the_first_choice_of_search_is_always_heard() -> None:
    answer = await written(
        "How large can a table become?",
        "Relation size has an upper limit of 32 TB.",
        "A table can become large. How large a table can become depends on many things.",
    )
    assert "32 TB. [1]" in answer
    assert "[2]" in answer


async def test_one_quote_of_each_page_comes_before_a_second_of_any() -> None:
    answer = await written(
        "Does a delete hand back rows?",
        "A delete hands rows over. Does a delete remove rows? A delete has no way back. Rows go with a delete.",
        "Returning makes a delete hand back rows.",
        "Give a delete a returning clause: rows come back by hand.",
    )
    assert all(mark in answer for mark in ("[1]", "[2]", "[3]"))


async def test_steps_are_quoted_whole() -> None:
    text = "Reset the hub like this:\n\n1. Hold the reset button of the hub.\n2. Wait for the light.\n3. Let go."
    answer = await written("How do I reset the hub?", text)
    assert "Reset the hub like this:" in answer
    assert "3. Let go." in answer


async def test_half_a_list_of_steps_is_never_quoted() -> None:
    steps = "\n".join(f"{number}. Turn the hub's reset wheel to mark {number}." for number in range(1, 9))
    text = f"The hub has a reset wheel. How to reset the hub:\n\n{steps}\n\nThe reset of a hub takes a minute."
    answer = await written("How do I reset the hub?", text, max_chars=120)
    assert "mark" not in answer or "mark 8" in answer
    assert len(answer) <= 120


async def test_a_code_block_is_quoted_whole() -> None:
    text = "Reset the hub over the network:\n\n```\ncurl -X POST \\\n  http://hub/reset\n```"
    assert "```\ncurl -X POST \\\n  http://hub/reset\n```" in await written("How do I reset the hub?", text)


async def test_rows_of_one_long_table_are_quoted_under_one_header() -> None:
    rows = "\n".join(f"| E{n} | error meaning {n} |" for n in range(40, 50))
    answer = await written("What is the meaning of error E42 or E44?", f"| Code | Meaning |\n|---|---|\n{rows}")
    assert answer.count("| Code | Meaning |") == 1
    assert "E42" in answer
    assert "E44" in answer
    assert "E49" not in answer


async def test_a_wording_that_two_pages_share_is_quoted_once() -> None:
    sentence = "The warranty of every lamp is 3 years."
    answer = await written("How long is the warranty of a lamp?", sentence, sentence)
    assert answer == f"{sentence} [1]"


async def test_a_pages_own_bracketed_number_is_not_taken_for_a_citation() -> None:
    answer = await written("How high is the tower of Galway?", "The tower of Galway is 12 metres high.[7]")
    assert answer == "The tower of Galway is 12 metres high.(7) [1]"


async def test_nothing_is_written_without_sources() -> None:
    assert await written("How long is the warranty?") == ""


async def test_without_a_reranker_the_words_decide() -> None:
    reranker = OverlapReranker()
    reranker.is_down = True
    text = "Lamps are warm and bright. The warranty of every lamp is 3 years."
    assert "3 years" in await written("How long is the warranty of a lamp?", text, reranker=reranker)


async def test_the_visitors_own_page_is_quoted_only_when_it_answers() -> None:
    page = "The station measures rain and wind. Reset the hub with a pin."
    assert await written("Reset the hub with what?", own_page=page) == "Reset the hub with a pin. [1]"
    assert await written("Does the station count lightning strikes?", own_page=page) == ""
    assert await written("Who wrote the opera Aida for Cairo?", own_page=page) == ""


async def test_a_chunk_goes_before_the_visitors_own_page() -> None:
    page = "The warranty of a lamp\n3 years"
    answer = await written("How long is the warranty of a lamp?", "The warranty of a lamp is 3 years.", own_page=page)
    assert answer == "The warranty of a lamp is 3 years. [2]"


async def test_lines_of_the_visitors_own_page_are_not_run_together() -> None:
    page = "Nimbrel One, our station\nWarranty: 3 years for every lamp\nWeight: 740 grams with the lamp"
    assert await written("Warranty of every lamp?", own_page=page) == "Warranty: 3 years for every lamp [1]"


async def test_the_visitors_own_page_is_judged_by_words_when_the_reranker_is_away() -> None:
    page = "The station measures rain and wind. Reset the hub with a pin."
    away = OverlapReranker()
    away.is_down = True
    assert await written("Who wrote the opera Aida?", own_page=page, reranker=away) == ""
    assert await written("Reset the hub with a?", own_page=page, reranker=away) != ""


async def test_a_sentence_that_leans_on_the_one_before_brings_it_along() -> None:
    text = "Lamps from our outlet are sold as seen. They have no warranty for the battery of a lamp. We are in Galway."
    answer = await written("Is there a warranty for the battery of a lamp?", text)
    assert answer == "Lamps from our outlet are sold as seen. They have no warranty for the battery of a lamp. [1]"


async def test_the_first_sentence_of_a_section_brings_its_heading_where_it_leans() -> None:
    text = "Then a return is a matter of warranty, if the lamp is broken. We are in Galway."
    answer = await written("May I return a broken lamp?", text, heading="After 30 days")
    assert answer == "After 30 days: Then a return is a matter of warranty, if the lamp is broken. [1]"
