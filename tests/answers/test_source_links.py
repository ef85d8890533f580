"""Links of the sources reach the answer: a quotation has its page's own, a model those of hosts that it may link."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace

import pytest

from app.agents.agent import AgentConfig
from app.answers.writing.answer_context import AnswerContext, Source, WritingItem
from app.answers.writing.extractive_writer import ExtractiveWriter
from app.answers.writing.generation import Generation
from app.answers.writing.passage_readings import PassageReadings
from app.answers.writing.prompt_builder import PromptBuilder
from app.core.text.markdown.links import split_links
from app.core.turn import AnsweredBy, Finish, TokenUsage
from app.providers.chat.chat_model import ChatEnd, TextDelta
from app.providers.onnx_threads import EMBEDDER_FOLDER
from app.providers.token_counter import TokenizersTokenCounter
from tests.answers.extractive_answers import source
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.memory_keyword_index import MemoryKeywordIndex
from tests.every_row import every_row

FORM = "Fill in the [tax form](https://x.example/forms/tax.pdf) and read [the rules](https://gov.example/rules)."
QUESTION = "Where is the tax form?"


def linking(markdown: str, number: int = 1) -> Source:
    text, links = split_links(markdown)
    return replace(source(number, text), links=tuple(links))


def context(*sources: Source, max_chars: int = 900, hosts: tuple[str, ...] = ()) -> AnswerContext:
    agent = AgentConfig(name="x", max_answer_chars=max_chars, confidence_threshold=0.0, allowed_link_hosts=hosts)
    return AnswerContext(agent, QUESTION, QUESTION, sources, language="en")


async def quoted(markdown: str, max_chars: int = 900) -> str:
    generation = Generation(context(linking(markdown), max_chars=max_chars), lambda *_: None)
    await generation.write([ExtractiveWriter(PassageReadings(HashingEmbedder(), MemoryKeywordIndex()))])
    return generation.text.strip()


@dataclass(frozen=True)
class SaysThis:
    said: str
    answered_by = AnsweredBy.MODEL

    async def write(self, context: AnswerContext) -> AsyncGenerator[WritingItem, None]:
        yield TextDelta(self.said)
        yield ChatEnd(Finish.COMPLETE, TokenUsage())


async def modelled(said: str, *sources: Source) -> str:
    generation = Generation(context(*sources), lambda *_: None)
    await generation.write([SaysThis(said)])
    return generation.text.strip()


@every_row(
    ("page", "answer"),
    [
        pytest.param(FORM, f"{FORM} [1]", id="links stay, also to other sites"),
        pytest.param(
            "The tax form: [ask for it](mailto:tax@x.example) or [call](tel:+44207).",
            "The tax form: ask for it ([tax@x.example](mailto:tax@x.example)) or call ([+44207](tel:+44207)). [1]",
            id="addresses are shown",
        ),
        pytest.param(
            "For the tax form write to [tax@x.example](mailto:tax@x.example) now.",
            "For the tax form write to [tax@x.example](mailto:tax@x.example) now. [1]",
            id="once",
        ),
        pytest.param(
            "The tax form is at [https://gov.example/tax](https://gov.example/tax), see https://other.example/a there.",
            "The tax form is at [https://gov.example/tax](https://gov.example/tax),"
            " see `https://other.example/a` there. [1]",
            id="an address that the page links is a link, another one is code",
        ),
        pytest.param(
            "Send the tax form by [`POST /tax`](https://x.example/api).",
            "Send the tax form by [`POST /tax`](https://x.example/api). [1]",
            id="around code",
        ),
        pytest.param(
            "## [Tax form](https://x.example/form)\n\nThe tax form is for companies.",
            "**[Tax form](https://x.example/form)**\n\nThe tax form is for companies. [1]",
            id="of a heading",
        ),
    ],
)
async def test_a_quotation_has_the_links_of_its_page(page: str, answer: str) -> None:
    assert await quoted(page) == answer


async def test_targets_do_not_count_against_the_length_of_an_answer() -> None:
    long = f"The tax form is [here](https://x.example/{'a' * 200}), and the rules of it are on the same page."
    assert await quoted(long, max_chars=120) == f"{long} [1]"


def test_a_model_reads_paths_on_its_sources_hosts_and_addresses_and_no_other_hosts() -> None:
    asked = context(linking(FORM), linking("Send it to [us](mailto:tax@x.example).", 2))
    prompt = PromptBuilder(TokenizersTokenCounter(EMBEDDER_FOLDER)).build(asked)[-1].content
    assert "Fill in the [tax form](/forms/tax.pdf) and read the rules." in prompt
    assert "Send it to [us](mailto:tax@x.example)." in prompt
    assert prompt.count("https://x.example/") == 2


def test_a_model_reads_links_of_hosts_that_the_operator_allows() -> None:
    allowed = context(linking(FORM), hosts=("*.gov.example", "gov.example"))
    prompt = PromptBuilder(TokenizersTokenCounter(EMBEDDER_FOLDER)).build(allowed)[-1].content
    assert "[the rules](https://gov.example/rules)" in prompt


@every_row(
    ("said", "shown"),
    [
        pytest.param(
            "Take the [form](/forms/tax.pdf) [1].",
            "Take the [form](https://x.example/forms/tax.pdf) [1].",
            id="as read",
        ),
        pytest.param(
            "Read [the rules](https://gov.example/rules) [1].", "Read the rules [1].", id="a page's other host"
        ),
        pytest.param(
            "Write to [us](mailto:tax@x.example) [1].",
            "Write to [us](mailto:tax@x.example) [1].",
            id="a page's address",
        ),
        pytest.param("Write to [us](mailto:me@evil.example) [1].", "Write to us [1].", id="another address"),
        pytest.param("Go [there](javascript:a) [1].", "Go there [1].", id="a script"),
    ],
)
async def test_a_model_may_link_where_its_hosts_and_the_addresses_of_its_sources_are(said: str, shown: str) -> None:
    assert await modelled(said, linking(f"{FORM} Ask [us](mailto:tax@x.example).")) == shown
