import re
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.text.markdown.section_text import section_text
from app.knowledge.chunk_limits import ChunkLimits
from app.knowledge.chunker import Chunker
from app.knowledge.document import SectionHeading
from app.knowledge.page_sections import MAX_NAME_CHARS
from app.providers.token_counter import MarkdownTextSplitter, TokenizersTokenCounter
from crawler.extract.extraction_pool import DEFAULT_TIMEOUT_SECONDS
from tests.every_row import every_row
from tests.knowledge.chunked_pages import page, sentence, texts

EMBEDDER_TOKENS = 256


def test_each_section_is_a_chunk_with_its_headings_and_anchor(chunker: Chunker) -> None:
    markdown = f"# Help\n\n{sentence(60)}\n\n## Returns\n\n{sentence(60, 'return')}"

    first, second = chunker.cut(page(markdown, SectionHeading(1, "Help"), SectionHeading(2, "Returns", "returns")))

    assert (first.breadcrumb, first.anchor, first.position) == (("Help",), None, 0)
    assert (second.breadcrumb, second.anchor, second.position) == (("Help", "Returns"), "returns", 1)
    assert second.text.startswith("## Returns\n\nThe return number 0")
    assert second.context == "shop.example | Help | Returns"


def test_a_question_and_its_answer_are_a_chunk_of_their_own_however_short(chunker: Chunker) -> None:
    markdown = "# Help\n\nAll about it.\n\n## Is it free?\n\nYes.\n\n## Is it fast?\n\nVery.\n\n## Legal\n\nNo."
    asked = [
        SectionHeading(2, name, anchor, is_question=True)
        for name, anchor in (("Is it free?", "free"), ("Is it fast?", "fast"))
    ]

    _, free, fast, _ = chunker.cut(page(markdown, SectionHeading(1, "Help"), *asked, SectionHeading(2, "Legal")))

    assert (free.text, free.anchor, free.breadcrumb[-1]) == ("## Is it free?\n\nYes.", "free", "Is it free?")
    assert (fast.text, fast.anchor) == ("## Is it fast?\n\nVery.", "fast")


def test_a_long_paragraph_is_cut_between_sentences_and_says_each_once(chunker: Chunker) -> None:
    said = [
        f"Whoever reads part {n} doesn't need the others; it's whole by itself, e.g. in a quotation." for n in range(40)
    ]

    chunks = chunker.cut(page(f"## Parts\n\n{' '.join(said)}", SectionHeading(2, "Parts")))

    assert len(chunks) > 1
    assert " ".join(chunk.text.removeprefix("## Parts\n\n") for chunk in chunks) == " ".join(said)
    assert all(chunk.text.endswith("quotation.") for chunk in chunks)


@pytest.mark.parametrize("between", [", ", " "])
def test_a_sentence_without_end_is_cut_between_what_it_lists(chunker: Chunker, between: str) -> None:
    said = [f"~/.ssh/id_ed{n}.pub" for n in range(90)]

    chunks = chunker.cut(page(f"This is stored in {between.join(said)}"))

    assert len(chunks) > 2
    assert " ".join(texts(chunks)) == f"This is stored in {between.join(said)}"
    assert all(chunk.text.startswith("~/.ssh/") for chunk in chunks[1:])


def test_a_long_item_is_cut_by_itself(chunker: Chunker) -> None:
    first = " ".join(f"Step {n} of the first item is told in a sentence of its own." for n in range(25))
    second = " ".join(f"The second item goes on with its sentence {n}, and so does the rest." for n in range(12))

    chunks = chunker.cut(page(f"## Steps\n\n- {first}\n- {second}", SectionHeading(2, "Steps")))

    assert len(chunks) > 2
    assert not [chunk.text for chunk in chunks if "first item" in chunk.text and "second item" in chunk.text]


def test_what_is_nested_in_a_long_item_stays_a_list(chunker: Chunker) -> None:
    nested = [f"- `tool-{n}` prints the lines of a file in an order of its own." for n in range(40)]
    first = "- Tools that know no patterns:"
    item = "\n  ".join([first, *nested])

    chunks = texts(chunker.cut(page(item)))

    assert len(chunks) > 2
    assert chunks[0].startswith("- Tools that know no patterns:\n  - `tool-0` prints")
    assert [line.strip() for text in chunks for line in text.splitlines()] == [
        "- Tools that know no patterns:",
        *nested,
    ]
    assert all(line.startswith("- ") for text in chunks[1:] for line in text.splitlines())


def test_a_line_that_announces_something_in_a_long_definition_stays_with_it(chunker: Chunker) -> None:
    parameters = "\n".join(f"- lamp{n}: the number {n} of those in the hall" for n in range(30))
    chunks = texts(chunker.cut(page(f"`light(*lamps)`\n\n**Parameters**\n\n{parameters}")))

    assert len(chunks) > 1
    assert chunks[0].startswith("`light(*lamps)`\n\n**Parameters**\n\n- lamp0")


def test_many_terms_of_one_definition_are_cut_within_the_limits(chunker: Chunker) -> None:
    terms = "\n\n".join(f"`light_the_lamp_with_the_number({n})`" for n in range(60))
    assert len(chunker.cut(page(f"{terms}\n\n{sentence(400)}"))) > 2


def test_a_long_answer_is_cut_within_the_limits(chunker: Chunker) -> None:
    heading = SectionHeading(2, "Is it free?", "free", is_question=True)

    chunks = chunker.cut(page(f"## Is it free?\n\n{sentence(600)}", heading))

    assert len(chunks) > 2
    assert {chunk.anchor for chunk in chunks} == {"free"}


def test_a_page_without_text_has_no_chunks(chunker: Chunker) -> None:
    assert chunker.cut(page(" \n\n")) == []


def test_a_long_section_is_cut_and_every_piece_keeps_its_place(chunker: Chunker) -> None:
    chunks = chunker.cut(page(f"# Help\n\n## Delivery\n\n{sentence(600)}", SectionHeading(2, "Delivery", "delivery")))

    assert len(chunks) > 2
    assert {chunk.anchor for chunk in chunks} == {"delivery"}
    assert {chunk.breadcrumb for chunk in chunks} == {("Help", "Delivery")}


def test_a_heading_stays_with_the_text_under_it(chunker: Chunker) -> None:
    markdown = f"# Help\n\n## Delivery\n\n{sentence(600)}\n\n## Codes\n\n```\n" + "run the job\n" * 80 + "```"

    for chunk in chunker.cut(page(markdown)):
        assert not chunk.text.splitlines()[-1].startswith("#")


def test_a_heading_without_text_introduces_the_next_section(chunker: Chunker) -> None:
    markdown = f"# Help\n\n## Plans\n\n### Free\n\n{sentence(60)}\n\n### Team\n\n{sentence(60)}"

    first, second = chunker.cut(page(markdown, SectionHeading(3, "Free", "free"), SectionHeading(3, "Team", "team")))

    assert first.text.startswith("# Help\n\n## Plans\n\n### Free\n\nThe parcel")
    assert (first.breadcrumb, first.anchor) == (("Help", "Plans", "Free"), "free")
    assert second.anchor == "team"


def test_tiny_neighbours_become_one_chunk_that_points_at_the_first(chunker: Chunker) -> None:
    markdown = "## Phone\n\n+49 30 1234\n\n## Mail\n\nhelp@shop.example\n\n## Post\n\nBox 7, Berlin"
    anchors = [SectionHeading(2, name, name.lower()) for name in ("Phone", "Mail", "Post")]

    [chunk] = chunker.cut(page(markdown, *anchors))

    assert chunk.text == markdown
    assert (chunk.breadcrumb, chunk.anchor) == (("Phone",), "phone")


def test_sections_that_say_enough_are_not_merged(chunker: Chunker) -> None:
    markdown = f"## May I return it?\n\n{sentence(48)}\n\n## Who pays?\n\n{sentence(48)}"

    assert len(chunker.cut(page(markdown))) == 2


def test_tiny_sections_of_different_parents_stay_apart(chunker: Chunker) -> None:
    markdown = f"# A\n\n{sentence(60)}\n\n## Small\n\nOne\n\n# B\n\n{sentence(60)}"

    assert [chunk.breadcrumb[0] for chunk in chunker.cut(page(markdown)) if "One" in chunk.text] == ["A"]
    assert not [text for text in texts(chunker.cut(page(markdown))) if "One" in text and "# B" in text]


def test_a_table_that_goes_on_repeats_its_header(chunker: Chunker) -> None:
    rows = "\n".join(f"| Plan {n} | {n * 10} euros a month for every seat |" for n in range(60))
    chunks = chunker.cut(page(f"## Prices\n\n| Plan | Price |\n|---|---|\n{rows}"))

    assert len(chunks) > 2
    assert all("| Plan | Price |\n|---|---|\n| Plan " in chunk.text for chunk in chunks)
    kept = [line for chunk in chunks for line in chunk.text.splitlines() if "euros" in line]
    assert kept == rows.splitlines()


@pytest.mark.parametrize("words", range(40, 200, 12))
def test_a_list_is_never_cut_from_the_line_that_introduces_it(chunker: Chunker, words: int) -> None:
    steps = "\n".join(f"{n}. Turn the wheel to number {n}." for n in range(1, 6))

    chunks = chunker.cut(page(f"## Open\n\n{sentence(words)}\n\nThere are five steps:\n\n{steps}\n\n{sentence(80)}"))

    assert [text for text in texts(chunks) if f"There are five steps:\n\n{steps}" in text]


def test_a_list_that_is_too_long_is_cut_between_items_and_introduced_again(chunker: Chunker) -> None:
    items = [f"- **option-{n}**: {sentence(16, f'option {n}')}" for n in range(30)]

    chunks = chunker.cut(page("## Options\n\nIt takes these:\n\n" + "\n".join(items)))

    assert len(chunks) > 3
    assert all("It takes these:\n\n- **option-" in chunk.text for chunk in chunks)
    assert [line for chunk in chunks for line in chunk.text.splitlines() if line.startswith("- ")] == items


def test_a_chunk_that_begins_within_a_definition_begins_with_its_term(chunker: Chunker) -> None:
    told = [f"**`--option-{n}`**\n\n{sentence(70)}\n\n{sentence(70)}\n\n{sentence(70)}" for n in range(4)]
    markdown = "\n\n".join([*told, "**`--last`**\n\nThat is all."])

    chunks = texts(chunker.cut(page(markdown)))

    assert len(chunks) > 4
    assert all(text.startswith("**`--") for text in chunks)
    assert section_text(chunks) == markdown


def test_a_word_without_end_is_cut_although_it_counts_as_one_token(
    chunker: Chunker, counter: TokenizersTokenCounter
) -> None:
    endless = "กขค" * 5000
    assert counter.count(endless) < 10

    chunks = chunker.cut(page(endless))

    assert max(len(chunk.text) for chunk in chunks) <= ChunkLimits().chunk_chars
    assert "".join(texts(chunks)) == endless


@pytest.mark.parametrize(
    "markdown",
    ["[" * 100_000, "# " + "[" * 100_000 + "\n\n" + "[" * 20_000, "- " + "[" * 100_000, "![" * 50_000],
    ids=["paragraph", "heading", "list", "pictures"],
)
def test_100_kb_of_open_brackets_become_chunks_within_the_time_of_a_page(chunker: Chunker, markdown: str) -> None:
    started = time.process_time()
    chunks = chunker.cut(page(markdown))

    assert time.process_time() - started < DEFAULT_TIMEOUT_SECONDS
    assert sum(chunk.text.count("[") for chunk in chunks) >= markdown.count("[")
    assert max(len(name) for chunk in chunks for name in (*chunk.breadcrumb, "")) <= MAX_NAME_CHARS


def test_cutting_again_gives_the_same(chunker: Chunker) -> None:
    markdown = f"# Help\n\n{sentence(900)}\n\n| a | b |\n|---|---|\n| 1 | 2 |"

    assert chunker.cut(page(markdown)) == chunker.cut(page(markdown))


@every_row("max_tokens", [64, 128, 256, 512])
def test_limits_fit_the_embedder(max_tokens: int) -> None:
    limits = ChunkLimits.for_embedder(max_tokens)

    assert limits.embedded_tokens <= max_tokens
    assert limits.chunk_tokens <= 200


@pytest.mark.parametrize("size", [40, 120, 208])
def test_chunks_of_another_size_are_no_longer_and_marked_as_cut_otherwise(
    chunker: Chunker, counter: TokenizersTokenCounter, size: int
) -> None:
    other = Chunker(MarkdownTextSplitter(counter), counter, ChunkLimits().of_size(size))
    counts = [counter.count(text) for text in texts(other.cut(page(sentence(900))))]

    assert size * 0.6 < max(counts) <= size
    assert other.cut_as != chunker.cut_as


WORDS = st.sampled_from(
    [
        "delivery",
        "returns",
        "`--force`",
        "Straße",
        "配送について",
        "https://shop.example/a?b=c&d=e",
        "a",
        "|",
        "**bold**",
        "1234567890" * 12,
        "naïve",
        "don't",
        "\u200b",
        "🙂",
        "-",
        "x" * 300,
        "[link](https://shop.example/very/long/path)",
    ]
)
LINES = st.one_of(
    st.lists(WORDS, min_size=1, max_size=120).map(" ".join),
    st.tuples(st.integers(1, 6), st.lists(WORDS, min_size=1, max_size=30)).map(
        lambda h: "#" * h[0] + " " + " ".join(h[1])
    ),
    st.lists(st.lists(WORDS, min_size=1, max_size=12).map(" ".join), min_size=1, max_size=30).map(
        lambda rows: "| a | b |\n|---|---|\n" + "\n".join(f"| {row} | {row} |" for row in rows)
    ),
    st.lists(st.lists(WORDS, max_size=20).map(" ".join), max_size=40).map(lambda c: "```py\n" + "\n".join(c) + "\n```"),
    st.just("```"),
    st.text(max_size=200),
)
MARKDOWN = st.lists(LINES, max_size=8).map("\n\n".join)


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(markdown=MARKDOWN)
def test_nothing_embedded_exceeds_what_the_embedder_reads(
    chunker: Chunker, counter: TokenizersTokenCounter, markdown: str
) -> None:
    limits = ChunkLimits()
    for chunk in chunker.cut(page(markdown)):
        assert chunk.text.strip()
        assert counter.count(chunk.text) <= limits.chunk_tokens
        assert counter.count(chunk.context) <= limits.context_tokens
        assert len(counter.tokenizer.encode(chunk.searchable_text).ids) <= EMBEDDER_TOKENS


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    paragraphs=st.lists(
        st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]), min_size=1), max_size=12
    )
)
def test_no_word_of_a_page_is_lost(chunker: Chunker, paragraphs: list[list[str]]) -> None:
    numbered = [f"{word}{n}x{m}" for n, words in enumerate(paragraphs) for m, word in enumerate(words)]
    markdown = "\n\n".join(
        ("## " if n % 4 == 1 else "") + " ".join(f"{word}{n}x{m}" for m, word in enumerate(words))
        for n, words in enumerate(paragraphs)
    )

    chunks = chunker.cut(page(markdown))

    found = {word for chunk in chunks for word in re.findall(r"\w+", chunk.text)}
    assert found >= set(numbered)
    assert [chunk.position for chunk in chunks] == list(range(len(chunks)))
