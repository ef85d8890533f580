"""Answers in the pages' own words."""

from collections.abc import Sequence
from dataclasses import replace
from unittest.mock import ANY

from app.agents.agent import AgentConfig
from app.answers.writing.answer_context import AnswerContext, Source
from app.answers.writing.extractive_writer import ExtractiveWriter
from app.answers.writing.passage_judge import JudgedPassage, PassageJudge
from app.answers.writing.passages import Passage
from app.providers.chat.chat_model import ChatEnd, TextDelta
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.memory_keyword_index import MemoryKeywordIndex


def source(number: int, text: str, heading: str = "", title: str = "Page", order: float = 1.0) -> Source:
    return Source(
        number,
        f"https://x.example/{number}",
        title,
        text,
        chunk_id=f"c{number}",
        heading=heading,
        breadcrumb=(heading,) if heading else (),
        order=order,
    )


async def written(
    question: str,
    *texts: str | Source,
    embedder: HashingEmbedder | None = None,
    own_page: str = "",
    max_chars: int = 1500,
    threshold: float = 0.0,
) -> tuple[str, float | None]:
    """The answer, and what the writer thinks of it."""
    sources = tuple(
        text if isinstance(text, Source) else source(number, text)
        for number, text in enumerate(texts, 2 if own_page else 1)
    )
    if own_page:
        sources = (Source(1, "https://x.example/1", "Your page", own_page, is_unasked=True), *sources)
    config = AgentConfig(name="x", max_answer_chars=max_chars, confidence_threshold=threshold)
    writer = ExtractiveWriter(PassageJudge(embedder or HashingEmbedder(), MemoryKeywordIndex()))
    text, confidence = "", None
    async for item in writer.write(AnswerContext(config, question, question, sources, language="en")):
        if isinstance(item, TextDelta):
            text += item.text
        elif isinstance(item, ChatEnd):
            confidence = item.confidence
    return text.strip(), confidence


async def answer(question: str, *texts: str | Source, own_page: str = "", max_chars: int = 1500) -> str:
    return (await written(question, *texts, own_page=own_page, max_chars=max_chars))[0]


async def test_the_passage_that_answers_is_quoted_with_its_source() -> None:
    text = "The warranty of every lamp is 3 years."
    assert await answer("How long is the warranty of a lamp?", text) == f"{text} [1]"


async def test_the_heading_of_the_section_is_shown() -> None:
    found = await answer("How do I restart the hub?", source(1, "Hold its button for ten seconds.", "hub restart"))
    assert found == "**hub restart**\n\nHold its button for ten seconds. [1]"


async def test_a_heading_that_several_pages_have_is_shown_with_its_page() -> None:
    found = await answer(
        "Which option makes a shallow clone?",
        source(1, "**--depth**\n\nMake a shallow clone.", "OPTIONS", "git-clone"),
        source(2, "**--tags**\n\nFetch the tags.", "OPTIONS", "git-fetch"),
    )
    assert found.startswith("**git-clone: OPTIONS**\n\n**--depth**\n\nMake a shallow clone. [1]")
    assert found.endswith("git-fetch: OPTIONS [2]")


async def test_the_name_on_a_manual_page_is_followed_by_the_usage() -> None:
    text = "git-bisect - find the commit that introduced a bug\n\n## SYNOPSIS\n\n```\ngit bisect start\n```"
    found = await answer("Find the commit that introduced a bug", source(1, text, "NAME", "git-bisect"))
    assert found == (
        "**git-bisect: NAME**\n\ngit-bisect - find the commit that introduced a bug [1]\n\n"
        "**git-bisect: SYNOPSIS**\n\n```\ngit bisect start\n```\n\n[1]"
    )


async def test_a_short_section_that_answers_stands_alone() -> None:
    text = "Cancel it under Settings.\n\n## Pay by invoice\n\nIt is sent by mail."
    found = await answer("How do I cancel it?", source(1, text, "Cancel it", "Plans"))
    assert found == "**Cancel it**\n\nCancel it under Settings. [1]"


async def test_a_definition_is_quoted_with_its_term() -> None:
    others = "\n\n".join(f"**--lamp{n}**\n\nLight up the lamp with the number {n} in the hall." for n in range(12))
    text = f"{others}\n\n**--depth**\n\nMake a shallow clone.\n\n{others}"
    assert "**--depth**\n\nMake a shallow clone." in await answer(
        "How do I make a shallow clone?", source(1, text, "x")
    )


async def test_a_long_definition_is_quoted_from_its_beginning() -> None:
    others = "\n\n".join(f"**Lamp {n}**\n\nLight up the lamp with the number {n} in the hall." for n in range(12))
    told = " ".join(f"Open door {n} of the house with its own small key." for n in range(8))
    text = f"{others}\n\n**How do I ring?**\n\nPress the button. {told} The bell will ring twice then.\n\n{others}"
    found = await answer("When will the bell ring?", source(1, text, "x"))
    assert "**How do I ring?**\n\nPress the button. Open door 0" in found
    assert "The bell will ring twice then." in found


async def test_steps_are_quoted_whole_with_the_line_that_introduces_them() -> None:
    steps = "\n".join(f"{number}. Turn the reset wheel of the hub to mark {number}." for number in range(1, 9))
    text = f"The hub is a box.\n\n{'It is grey. ' * 90}\n\nHow to reset the hub:\n\n{steps}\n\n{'It is heavy. ' * 90}"
    found = await answer("How do I reset the hub?", text)
    assert found.startswith(f"How to reset the hub:\n\n{steps}")
    assert "It is grey" not in found


async def test_the_steps_behind_the_paragraph_about_them_come_along() -> None:
    steps = "\n".join(f"{number}. Turn its wheel to mark {number}, and wait." for number in range(1, 19))
    about = f"How to reset the hub of a lamp depends on its wheel. {'It is grey. ' * 20}".strip()
    found = await answer(
        "How do I reset the hub of a lamp?", f"{'It is a box. ' * 40}\n\n{about}\n\n{steps}\n\nIt is heavy."
    )
    assert found == f"{about}\n\n{steps}\n\n[1]"


async def test_a_short_section_is_quoted_whole() -> None:
    prices = "| Delivery | Price |\n|---|---|\n| Norway | 15 euros |"
    text = f"{prices}\n\nWithin a week we deliver to Norway."
    assert await answer("How long does delivery to Norway take?", text) == f"{text} [1]"


async def test_what_stands_around_the_answer_and_is_about_something_else_is_left_out() -> None:
    warranty = "The warranty of a lamp is 3 years, and of a lamp with a battery 2 years."
    told = f"{warranty}\n\nBoxes are grey.\n\nThe warranty of a lamp ends abroad, wherever that lamp was bought."
    text = f"We met in Galway.\n\n{told}\n\nPlease bring shoes."
    assert await answer("How long is the warranty of a lamp?", text) == f"{told} [1]"


async def test_a_line_that_says_little_alone_keeps_what_follows_it() -> None:
    text = "This is how to reset a hub.\n\nHold the pin until it is red.\n\nWait for ten seconds, and open the door."
    assert await answer("How do I reset a hub?", f"We met in Galway.\n\n{text}") == f"We met in Galway.\n\n{text} [1]"


async def test_a_title_stays_with_what_it_names() -> None:
    named = f"Zinc plates\n\nThe warranty of a lamp is 3 years. {'It is for each lamp. ' * 8}".strip()
    found = await answer("How long is the warranty of a lamp?", f"We met in Galway.\n\n{named}")
    assert found == f"{named} [1]"


async def test_the_line_that_names_what_is_quoted_comes_along() -> None:
    price = "The lamp costs 29 euros and the warranty of this lamp is 3 years, whoever bought it and wherever it was."
    before = "Boxes are made of paper. " * 25
    found = await answer("What is the warranty of this lamp?", f"{before.strip()}\n\nAurora\n\n{price}\n\n{before * 2}")
    assert found.startswith(f"Aurora\n\n{price}")


async def test_short_code_close_behind_comes_along() -> None:
    about = f"To reset the hub of a lamp, ask it over the network. {'The hub of a lamp hears. ' * 14}".strip()
    more = f"The hub of a lamp minds noise. {'It is a hub. ' * 18}".strip()
    code = "```\ncurl -X POST 10.0.0.7\n```"
    found = await answer("How do I reset the hub of a lamp?", f"{about}\n\n{more}\n\n{code}\n\n{'It is. ' * 90}")
    assert found.startswith(f"{about}\n\n{more}\n\n{code}\n\n[1]")


async def test_a_list_that_was_cut_is_introduced_once() -> None:
    items = [
        f"- Lamp {number} has a warranty of {number} years. {'It shines on. ' * 7}".strip() for number in range(1, 5)
    ]
    text = "\n".join(["These lamps have a warranty:", "", *items])
    found = await answer("Which lamps have a warranty of years?", f"{text}\n\n{'It is. ' * 90}")
    assert found.startswith(f"{text}\n\n[1]")


async def test_code_behind_the_answer_stays_whatever_its_words_are() -> None:
    text = "Reset the hub over the network.\n\nMind the noise.\n\n```\ncurl -X POST 10.0.0.7\n```"
    assert await answer("How do I reset the hub over the network?", text) == f"{text}\n\n[1]"


async def test_what_is_left_of_a_section_does_not_lean_on_what_was_left_out() -> None:
    text = "Lamps from our outlet come cheap.\n\nThey have no warranty for the battery of a lamp."
    assert await answer("Is there a warranty for the battery of a lamp?", text) == f"{text} [1]"


async def test_without_the_embedder_a_short_section_is_quoted_whole() -> None:
    embedder = HashingEmbedder()
    embedder.is_down = True
    text = "The warranty of a lamp is 3 years.\n\nPlease bring shoes."
    assert await written("How long is the warranty of a lamp?", text, embedder=embedder) == (f"{text} [1]", ANY)


async def test_titles_of_linked_pages_are_not_quoted() -> None:
    text = "The warranty of every lamp is 3 years.\n\nAbout warranties\n\nReturns and repairs"
    assert await answer("How long is the warranty of a lamp?", text) == "The warranty of every lamp is 3 years. [1]"


async def test_another_part_of_the_section_is_quoted_under_the_same_heading() -> None:
    far = f"{'It shines on. ' * 40}".strip()
    text = f"The warranty of a lamp is 3 years.\n\n{far}\n\n{far}\n\nThe warranty of a lamp ends abroad."
    found = await answer("What of the warranty of a lamp?", source(1, text, "Lamps"))
    assert found.startswith("**Lamps**\n\nThe warranty of a lamp")
    assert "The warranty of a lamp is 3 years. [1]" in found
    assert "The warranty of a lamp ends abroad. [1]" in found
    assert found.count("**Lamps**") == 1


async def test_code_is_quoted_whole_with_the_sentence_before_it() -> None:
    text = "Reset the hub over the network:\n\n```\ncurl -X POST \\\n  http://hub/reset\n```"
    assert await answer("How do I reset the hub?", text) == f"{text}\n\n[1]"


async def test_rows_of_a_long_table_come_with_its_header() -> None:
    rows = [f"| E{number} | {'cause ' * 12}{number} |" for number in range(30)]
    found = await answer("What is error E21?", "\n".join(["| Code | Meaning |", "|---|---|", *rows]))
    assert found.startswith("| Code | Meaning |\n|---|---|\n")
    assert rows[21] in found
    assert len(found) < 800


async def test_a_passage_is_no_longer_than_it_has_to_be_read() -> None:
    text = "\n\n".join(f"The lamp of room {number} is warm. {'It shines on. ' * 20}" for number in range(9))
    assert len(await answer("How warm is the lamp of room 4?", text)) < 700


async def test_what_leans_on_the_text_before_it_does_not_come_first() -> None:
    before = f"Lamps from our outlet are sold as seen. {'They are cheap. ' * 10}"
    text = f"{before.strip()}\n\nThey have no warranty for the battery of a lamp."
    found = await answer("Is there a warranty for the battery of a lamp?", text)
    assert found.startswith("Lamps from our outlet")


async def test_a_second_section_is_quoted_where_it_is_nearly_as_good() -> None:
    found = await answer(
        "Who repairs a lamp free of charge?",
        source(1, "The shop repairs a lamp free of charge.", "Shop"),
        source(2, "The maker repairs a lamp free of charge.", "Maker"),
    )
    assert "The shop repairs a lamp free of charge. [1]" in found
    assert "The maker repairs a lamp free of charge. [2]" in found


async def test_a_quotation_does_not_end_in_a_line_that_announces_something() -> None:
    about = f"The warranty of a lamp is 3 years. {'It is for each lamp. ' * 20}".strip()
    lead = f"{'The warranty of a lamp ends abroad. ' * 5}The warranty of a lamp has these limits:"
    items = "\n".join(f"- Lamp {number} shines. {'It shines on. ' * 10}".strip() for number in range(9))
    found = await answer("How long is the warranty of a lamp?", f"{about}\n\n{lead}\n\n{items}")
    assert f"{lead} [1]" not in found
    assert f"{lead}\n\n[1]" not in found


async def test_a_long_paragraph_stays_one() -> None:
    text = " ".join(f"The warranty of lamp {number} is {number} years and no more." for number in range(12))
    assert await answer("How long is the warranty of a lamp?", text) == f"{text} [1]"


async def test_long_code_stays_one() -> None:
    lines = "\n".join(f"curl -X POST http://10.0.0.{number}/lamp/reset" for number in range(14))
    text = f"This resets the hub of each lamp:\n\n```sh\n{lines}\n```"
    assert await answer("How do I reset the hub of a lamp?", text) == f"{text}\n\n[1]"


async def test_the_rest_of_the_best_section_may_be_a_little_worse_than_other_pages() -> None:
    class Judge(PassageJudge):
        async def judged(self, context: AnswerContext, candidates: Sequence[Passage]) -> list[JudgedPassage]:
            odds = {"Best.": 2.0, "Here.": 0.8, "There": 0.9}
            known = [
                JudgedPassage(passage, odds[passage.text[:5]]) for passage in candidates if passage.text[:5] in odds
            ]
            return sorted(known, key=lambda one: -one.odds)

        async def nearness(self, context: AnswerContext, passage: Passage) -> None:
            return None

    far = f"So it is. {'It shines on. ' * 50}".strip()
    one = source(1, f"Best. {'It is so. ' * 30}\n\n{far}\n\n{far}\n\nHere. It goes on like that.", "Lamps")
    other = source(2, "There. It goes on like that.", "Boxes")
    context = AnswerContext(AgentConfig(name="x"), "Which lamp?", "Which lamp?", (one, other))
    writer = ExtractiveWriter(Judge(HashingEmbedder(), MemoryKeywordIndex()))
    found = "".join([item.text async for item in writer.write(context) if isinstance(item, TextDelta)])
    assert "Here. It goes on like that. [1]" in found
    assert "There. It" not in found


async def test_the_steps_of_a_second_section_come_along() -> None:
    steps = "\n".join(f"{number}. Turn its wheel to mark {number}, and wait for a while." for number in range(1, 19))
    found = await answer(
        "Who repairs a lamp free of charge?",
        source(1, "The shop repairs a lamp free of charge.", "Shop"),
        source(2, f"The maker repairs a lamp free of charge.\n\nAsk so:\n\n{steps}", "Maker"),
    )
    assert f"The maker repairs a lamp free of charge.\n\nAsk so:\n\n{steps}\n\n[2]" in found


async def test_a_question_for_a_price_gets_the_passage_that_names_one() -> None:
    found = await answer(
        "What does the Plus plan cost?",
        source(1, "Made for gardens that grow.", "Plus plan"),
        source(2, "€3.90 for each month.", "Plus plan"),
    )
    assert found.startswith("**Plus plan**\n\n€3.90")


async def test_further_sections_are_named_and_not_quoted() -> None:
    found = await answer(
        "How long is the warranty of a lamp?",
        source(1, "The warranty of a lamp is 3 years.", "Lamp warranty"),
        source(2, "Boxes are made of paper in Galway.", "Boxes", order=0.1),
    )
    assert found.endswith("See also: Boxes [2]")
    assert "paper" not in found


async def test_a_section_that_is_several_sources_is_named_once() -> None:
    boxes = replace(
        source(2, "Boxes are made of paper in Galway.", "Boxes", order=0.1), url="https://x.example/b#boxes"
    )
    rest = replace(source(3, "Boxes are collected on Monday mornings.", "Boxes", order=0.1), url=boxes.url)
    found = await answer(
        "How long is the warranty of a lamp?", source(1, "The warranty of a lamp is 3 years.", "Lamps"), boxes, rest
    )
    assert found.endswith("See also: Boxes [2]")


async def test_two_parts_of_one_section_stand_under_one_heading() -> None:
    first = replace(source(1, "The warranty of a lamp is 3 years.", "Lamps"), url="https://x.example/l#lamps")
    second = replace(source(2, "The warranty of a lamp starts when the lamp is bought.", "Lamps"), url=first.url)
    found = await answer("How long is the warranty of a lamp?", first, second)
    assert found.count("**Lamps**") == 1
    assert "[1]" in found
    assert "[2]" in found


async def test_the_caption_of_a_picture_is_not_quoted() -> None:
    found = await answer(
        "What does the administrator password open?",
        "Choose it well.\n\n**Figure 4.5. The administrator password**\n\nThe administrator password opens the hub.\n\n"
        "Figure 5 shows the administrator password.\n\nFig. 6: Administrator",
    )
    assert found == (
        "Choose it well.\n\nThe administrator password opens the hub.\n\nFigure 5 shows the administrator password. [1]"
    )


async def test_a_wording_that_two_pages_share_is_quoted_once() -> None:
    sentence = "The warranty of every lamp is 3 years."
    found = await answer("How long is the warranty of a lamp?", sentence, sentence)
    assert found.count(sentence) == 1


async def test_a_pages_own_bracketed_number_is_not_taken_for_a_citation() -> None:
    found = await answer("How high is the tower of Galway?", "The tower of Galway is 12 metres high.[7]")
    assert found == "The tower of Galway is 12 metres high.(7) [1]"


async def test_links_become_their_text_and_addresses_stay_as_code() -> None:
    text = "Ask [the shop](https://shop.example/a) or see https://other.example/warranty. Run `curl https://x.example`."
    found = await answer("Who knows the warranty of the shop?", text)
    assert found == ("Ask the shop or see `https://other.example/warranty`. Run `curl https://x.example`. [1]")


async def test_nothing_is_written_without_sources() -> None:
    assert await written("How long is the warranty?") == ("", None)


async def test_nothing_is_written_where_no_passage_is_sure_enough() -> None:
    text, confidence = await written(
        "Who wrote the opera Aida?", source(1, "Lamps are warm and stand on a desk.", order=0), threshold=0.4
    )
    assert text == ""
    assert confidence is not None
    assert confidence < 0.4


async def test_confidence_is_higher_where_the_passage_answers() -> None:
    page = "The warranty of a lamp is 3 years."
    _, sure = await written("How long is the warranty of a lamp?", page)
    _, unsure = await written("Do you sell bicycles to schools?", page)
    assert sure is not None
    assert unsure is not None
    assert sure > unsure + 0.2


async def test_without_the_embedder_the_words_decide() -> None:
    embedder = HashingEmbedder()
    embedder.is_down = True
    text, _ = await written(
        "How long is the warranty of a lamp?", "Boxes are made of paper.", "The warranty is 3 years.", embedder=embedder
    )
    assert text.startswith("The warranty is 3 years. [2]")


async def test_a_language_that_the_embedder_does_not_read_is_judged_by_words() -> None:
    embedder = HashingEmbedder()
    embedder.reads = frozenset({"de"})
    text, _ = await written("How long is the warranty?", "The warranty is 3 years.", embedder=embedder)
    assert text == "The warranty is 3 years. [1]"
    assert embedder.embedded == []


async def test_a_page_in_a_language_that_the_embedder_does_not_read_is_judged_by_words() -> None:
    embedder = HashingEmbedder()
    embedder.reads = frozenset({"en"})
    german = replace(source(1, "Die Garantie gilt drei Jahre."), language="de")
    context = AnswerContext(
        AgentConfig(name="x"), "Wie lange gilt die Garantie?", "Wie lange gilt die Garantie?", (german,)
    )
    async for _item in ExtractiveWriter(PassageJudge(embedder, MemoryKeywordIndex())).write(context):
        pass
    assert embedder.embedded == []


async def test_a_text_is_embedded_once_however_often_it_is_asked_about() -> None:
    embedder = HashingEmbedder()
    judge = PassageJudge(embedder, MemoryKeywordIndex())
    writer = ExtractiveWriter(judge)
    context = AnswerContext(AgentConfig(name="x"), "Which lamp?", "Which lamp?", (source(1, "A lamp for every desk."),))
    for _ in range(2):
        async for _item in writer.write(context):
            pass
    assert len(embedder.embedded) == len(set(embedder.embedded))


async def test_the_visitors_own_page_is_quoted_only_when_it_answers() -> None:
    page = "The station measures rain and wind every hour.\nReset the hub with a pin."
    assert await answer("Who wrote the opera Aida for Cairo?", own_page=page) == ""
    assert "Reset the hub with a pin." in await answer("Reset the hub with a pin?", own_page=page)


async def test_a_chunk_goes_before_the_visitors_own_page() -> None:
    page = "The warranty of a lamp\n3 years for every lamp"
    found = await answer("How long is the warranty of a lamp?", "The warranty of a lamp is 3 years.", own_page=page)
    assert found == "The warranty of a lamp is 3 years. [2]"
