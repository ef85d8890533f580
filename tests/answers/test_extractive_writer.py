"""Answers in the pages' own words."""

from dataclasses import replace

from app.agents.agent import AgentConfig
from app.answers.guard.output_guard import OutputGuard
from app.answers.writing.answer_context import AnswerContext
from app.answers.writing.extractive_writer import ExtractiveWriter
from app.answers.writing.passage_readings import PassageReadings
from app.core.turn import Exchange
from tests.answers.extractive_answers import answer, source, written
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.memory_keyword_index import MemoryKeywordIndex


async def test_the_passage_that_answers_is_quoted_with_its_source() -> None:
    text = "The warranty of every lamp is 3 years."
    assert await answer("How long is the warranty of a lamp?", text) == f"{text} [1]"


async def test_the_heading_of_the_section_is_shown() -> None:
    found = await answer("How do I restart the hub?", source(1, "Hold its button for ten seconds.", "hub restart"))
    assert found == "**hub restart**\n\nHold its button for ten seconds. [1]"


async def test_an_address_in_a_heading_leaves_as_it_stands() -> None:
    found = await answer("Which lamps are there?", source(1, "The lamps of the hall.", "qemu:///system lamps"))
    guard = OutputGuard({1}, link_hosts=(), max_chars=1_000, source_text="## qemu:///system lamps")
    assert guard.feed(found) + guard.close() == "**`qemu:///system` lamps**\n\nThe lamps of the hall. [1]"


async def test_a_heading_that_several_pages_have_is_shown_with_its_page() -> None:
    found = await answer(
        "Which option makes a shallow clone?",
        source(1, "**--depth**\n\nMake a shallow clone.", "OPTIONS", "git-clone"),
        source(2, "**--tags**\n\nFetch the tags.", "OPTIONS", "git-fetch"),
    )
    assert found.startswith("**git-clone: OPTIONS**\n\n**--depth**\n\nMake a shallow clone. [1]")


async def test_a_short_section_that_answers_stands_alone() -> None:
    text = "Cancel it under Settings.\n\n## Pay by invoice\n\nIt is sent by mail."
    found = await answer("How do I cancel it?", source(1, text, "Cancel it", "Plans"))
    assert found == "**Cancel it**\n\nCancel it under Settings. [1]"


async def test_a_question_for_a_price_gets_the_passage_that_names_one() -> None:
    found = await answer(
        "What does the Plus plan cost?",
        source(1, "Made for gardens that grow.", "Plus plan"),
        source(2, "€3.90 for each month.", "Plus plan"),
    )
    assert found.startswith("**Plus plan**\n\n€3.90")


TWO_PAGES = (
    source(1, "The warranty of a lamp is 3 years.", "Warranty"),
    source(2, "Delivery of a lamp costs €5 in Ireland.", "Delivery"),
)


async def test_each_of_two_questions_gets_its_passage() -> None:
    found = await answer("How long is the warranty of a lamp and what does delivery cost?", *TWO_PAGES)
    assert found == (
        "**Warranty**\n\nThe warranty of a lamp is 3 years. [1]\n\n"
        "**Delivery**\n\nDelivery of a lamp costs €5 in Ireland. [2]"
    )


async def test_a_question_without_an_answer_beside_one_with_an_answer_makes_it_less_sure() -> None:
    text, alone = await written("How long is the warranty of a lamp?", *TWO_PAGES, threshold=0.2)
    both, half = await written("How long is the warranty of a lamp and who wrote Aida?", *TWO_PAGES, threshold=0.2)
    assert both == text
    assert alone is not None
    assert half is not None
    assert half < alone


BASKET = source(1, "A basket holds what you mean to order, on one device.", "Basket", "Shop")
WISHES = source(2, "It holds what you may order later. Everyone with its link can see it.", "Wish list", "Account")
REFUNDS = source(3, "You get what you paid for the order back in a week.", "Refunds", "Help")


async def test_a_question_for_a_difference_gets_what_both_are() -> None:
    found = await answer("What is the difference between a basket and a wish list?", BASKET, WISHES, REFUNDS)
    assert found.startswith("**Basket**\n\nA basket holds what you mean to order, on one device. [1]")
    assert "**Wish list**\n\nIt holds what you may order later. Everyone with its link can see it. [2]" in found


async def test_what_both_are_is_told_however_long_the_first_is() -> None:
    long = replace(BASKET, text=f"{BASKET.text} {'The device keeps it for a day or two. ' * 10}".strip())
    wishes = replace(WISHES, text=f"{WISHES.text} {'Nobody but you can change what it holds. ' * 10}".strip())
    found = await answer("What is the difference between a basket and a wish list?", long, wishes, REFUNDS)
    assert f"**Basket**\n\n{long.text} [1]" in found
    assert f"**Wish list**\n\n{wishes.text} [2]" in found


async def test_what_is_compared_is_not_added_where_the_passage_names_both() -> None:
    both = source(1, "A basket is kept on one device, a wish list in your account.", "Basket", "Shop")
    found = await answer("What is the difference between a basket and a wish list?", both, WISHES)
    assert found.startswith("**Basket**\n\nA basket is kept on one device, a wish list in your account. [1]")


async def test_a_passage_that_answers_both_questions_is_quoted_once() -> None:
    text = "The warranty of a lamp is 3 years, and delivery costs €5."
    assert await answer("How long is the warranty of a lamp and what does delivery cost?", text) == f"{text} [1]"


async def test_the_question_that_a_follow_up_leans_on_is_not_asked_again() -> None:
    earlier, asked = "How long is the warranty of a lamp?", "And what does its delivery cost?"
    embedder = HashingEmbedder()
    context = AnswerContext(
        AgentConfig(name="x"), asked, f"{earlier} {asked}", TWO_PAGES, (Exchange(earlier, "3 years."),), language="en"
    )
    async for _item in ExtractiveWriter(PassageReadings(embedder, MemoryKeywordIndex())).write(context):
        pass
    assert f"{earlier} {asked}" in embedder.embedded
    assert earlier not in embedder.embedded


async def test_a_common_section_with_a_number_is_named_with_what_it_is_of() -> None:
    examples = replace(
        source(1, "The warranty of a lamp is 3 years.", "4.2.1 Examples"),
        breadcrumb=("4 Warranty", "4.2 Lamps", "4.2.1 Examples"),
    )
    others = source(2, "Boxes are grey.", "Examples", "Boxes")
    found = await answer("How long is the warranty of a lamp?", examples, others)
    assert found.startswith("**4.2 Lamps: Examples**\n\n")


async def test_a_manuals_section_is_named_without_its_number() -> None:
    hubs = replace(source(1, "The warranty of a lamp is 3 years.", "4.2. Lamps"), language="en")
    assert (await answer("How long is the warranty of a lamp?", hubs)).startswith("**Lamps**\n\n")


async def test_two_parts_of_one_section_stand_under_one_heading() -> None:
    first = replace(source(1, "The warranty of a lamp is 3 years.", "Lamps"), url="https://x.example/l#lamps")
    second = replace(source(2, "The warranty of a lamp starts when the lamp is bought.", "Lamps"), url=first.url)
    found = await answer("How long is the warranty of a lamp?", first, second)
    assert found.count("**Lamps**") == 1
    assert "[1]" in found
    assert "[2]" in found


async def test_more_of_the_section_that_answers_may_be_longer() -> None:
    told = {
        "Oak and ash": "The warranty of a lamp is three years.",
        "Elm and fir": "The warranty of a lamp ends when its case is open.",
    }
    care = "are oiled in winter, and whoever owns a chair does it again in the warm summer that comes after."
    section = source(1, "\n\n".join(f"{each} {f'{wood} {care} ' * 3}" for wood, each in told.items()), "Warranty")
    found = await answer("What is the warranty of a lamp?", section)
    assert all(each in found for each in told.values())


async def test_what_introduces_two_parts_of_one_list_is_told_once() -> None:
    woods = ("oak", "ash", "elm", "fir", "yew", "box", "fig", "gum", "tea")
    items = [
        "The warranty of a lamp is three years from the day of the purchase.",
        *(
            f"Tables of {wood} are oiled once in a winter, and left alone in summer, by whoever owns them."
            for wood in woods
        ),
        "The warranty of a lamp is long, and ends when somebody opens its case.",
    ]
    rules = source(1, "\n".join(["The house has its rules:\n", *(f"- {item}" for item in items)]), "Rules")
    found = await answer("How long is the warranty of a lamp?", rules)
    assert "three years" in found
    assert "opens its case" in found
    assert "Tables of yew" not in found
    assert found.count("The house has its rules") == 1


async def test_what_is_below_one_of_many_pictures_is_quoted() -> None:
    people = "\n\n".join(
        f"*Ada {number} Byron, head of lamp number {number} in Galway and around it*" for number in range(20)
    )
    found = await answer("Who is head of lamp number 17?", f"These are all of us.\n\n{people}")
    assert "*Ada 17 Byron" in found


async def test_a_second_passage_that_mostly_repeats_the_first_is_not_quoted() -> None:
    said = "The warranty of every lamp is 3 years, on every part of it but the bulb."
    note = "Note: keep it."
    first, second = source(1, said, "Shops"), source(2, f"{said} {note}", "Homes", order=0.9)
    found = await answer("How long is the warranty of a lamp?", first, second)
    assert found.count("3 years") == 1


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
    async for _item in ExtractiveWriter(PassageReadings(embedder, MemoryKeywordIndex())).write(context):
        pass
    assert embedder.embedded == []


async def test_a_text_is_embedded_once_however_often_it_is_asked_about() -> None:
    embedder = HashingEmbedder()
    writer = ExtractiveWriter(PassageReadings(embedder, MemoryKeywordIndex()))
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
