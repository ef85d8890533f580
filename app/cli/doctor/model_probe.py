"""`docent doctor --model`: measures how long visitors wait for the configured chat models."""

import re
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from importlib.resources import files
from time import perf_counter
from typing import TYPE_CHECKING, Final

from app.agents.agent import AgentConfig
from app.answers.writing.agent_models import WritingModel
from app.answers.writing.answer_context import AnswerContext, Source
from app.answers.writing.generation import new_canary
from app.answers.writing.prompt_builder import PromptBuilder
from app.bootstrap.infrastructure import Infrastructure
from app.bootstrap.models import chat_models
from app.core.costs import estimated_tokens
from app.core.errors import DocentError, ModelUnavailable
from app.core.turn import TokenUsage
from app.providers.chat.chat_model import ChatEnd, TextDelta
from app.providers.chat.model_reply import WARM_UP, model_reply
from crawler.extract.extraction import extract_page

if TYPE_CHECKING:
    from app.providers.chat.openai_chat_model import OpenAIChatModel

FORMS: Final = ("full", "short")
_QUESTION: Final = "How much does the Plus plan cost a month?"
_ANSWER: Final = "3.90"
_PAGES: Final = ("warranty", "pricing", "shipping", "returns", "help/battery", "features/alerts")
_PRICED: Final = 2  # number of the source with the answer
_CITED: Final = rf"[\[\u3010]\D{{0,9}}{_PRICED}"
_SOURCE_CHARS: Final = 1_000  # six of these are as long as the sources of half of all questions
_PATIENCE_SECONDS: Final = 300.0
_MAX_TOKENS: Final = 600  # as for a visitor's answer
_LONG_SECONDS: Final = 5.0
_NOTICEABLY: Final = 0.8  # of the time that the full form takes


@dataclass(frozen=True, slots=True)
class Probe:
    """One answer to one form of the prompt ("full" or "short"). `first_seconds` is the time to its first word,
    `answer_seconds` to its last; `cites` is whether it cites the source that has the answer."""

    form: str
    prompt_tokens: int
    first_seconds: float
    answer_seconds: float
    answer_tokens: int
    cites: bool

    @property
    def tokens_per_second(self) -> float:
        return self.answer_tokens / max(self.answer_seconds - self.first_seconds, 0.001)


@dataclass(frozen=True, slots=True)
class ModelProbe:
    """The measurements of one model, and the recommended form of the prompt. `problem` is "" unless the model failed
    or was too slow."""

    part: str
    name: str
    form: str  # in the settings
    probes: tuple[Probe, ...] = ()
    refused: tuple[str, ...] = ()
    recommended: str = "full"
    problem: str = ""

    def in_words(self) -> Iterator[str]:
        for probe in self.probes:
            yield (
                f"{self.part} {self.name}, {probe.form} prompt of {probe.prompt_tokens} tokens: first word after "
                f"{probe.first_seconds:.1f} s, then {probe.tokens_per_second:.0f} tokens a second, "
                f"{probe.answer_seconds:.1f} s in all; {'cites' if probe.cites else 'does not cite'} its source"
            )
        if self.refused:
            yield f"{self.part} {self.name}: does not take {', '.join(self.refused)}; answers are asked for without"
        if self.probes:
            yield f"{self.part} {self.name}: the {self.recommended} prompt is recommended; the {self.form} one is set"


async def probe_models(base: Infrastructure) -> list[ModelProbe]:
    """Ask each chat model that answers visitors one question in each form of the prompt, after a short call that lets
    a server load the model."""
    patient = base.settings.model_copy(update={"model_silence_seconds": _PATIENCE_SECONDS})
    parts = [part for part in patient.chat_endpoints if part != "helper_model"]
    async with AsyncExitStack() as closing:
        return [
            await _probed(base, ModelProbe(part.replace("_", " "), endpoint.name, endpoint.prompt), model)
            for part, endpoint, model in chat_models(patient, closing, parts, max_retries=0)
        ]


async def _probed(base: Infrastructure, known: ModelProbe, model: "OpenAIChatModel") -> ModelProbe:
    try:
        await model_reply(model, WARM_UP, max_tokens=_MAX_TOKENS, budget_seconds=_PATIENCE_SECONDS)
        probes = tuple([await _asked(base, model, form) for form in FORMS])
    except DocentError as error:
        return replace(known, problem=f"{known.part.capitalize()}: {error}")
    known = replace(
        known, probes=probes, refused=tuple(sorted(model.taken.refused)), recommended=better_form(*probes).form
    )
    longest = base.settings.model_silence_seconds
    if (waited := min(probe.first_seconds for probe in probes)) <= longest:
        return known
    return replace(
        known,
        problem=f"{known.part.capitalize()}: the first word of {known.name} takes {waited:.1f} s. "
        f"DOCENT_MODEL_SILENCE_SECONDS ends an answer after {longest:g} s without a word, so visitors get quotations. "
        "Use a smaller model or a faster machine, or raise that setting.",
    )


def better_form(full: Probe, short: Probe) -> Probe:
    """The short form if it cites and the full one does not, or if it is as good and avoids a slow first word."""
    is_faster = full.first_seconds > _LONG_SECONDS and short.first_seconds < _NOTICEABLY * full.first_seconds
    return short if short.cites > full.cites or (is_faster and short.cites == full.cites) else full


async def _asked(base: Infrastructure, model: "OpenAIChatModel", form: str) -> Probe:
    prompts = PromptBuilder(base.models.tokens, clock=base.clock)
    messages = prompts.build(replace(_context(), model=WritingModel(model, is_short=form == "short")))
    began, first, text, usage = perf_counter(), 0.0, "", TokenUsage()
    async with model.stream(messages, max_tokens=_MAX_TOKENS) as items:
        async for item in items:
            if isinstance(item, TextDelta):
                first = first or perf_counter() - began
                text += item.text
            elif isinstance(item, ChatEnd):
                usage = item.usage
    if not text:
        raise ModelUnavailable(f"The model gave no answer to the {form} prompt.")
    return Probe(
        form,
        usage.prompt_tokens or sum(estimated_tokens(message.content) for message in messages),
        first,
        perf_counter() - began,
        usage.completion_tokens or estimated_tokens(text),
        bool(re.search(_CITED, text)),
    )


def _context() -> AnswerContext:
    """A question with pages of the demonstration website, as long as the usual prompt of a visitor's question."""
    root = files("app") / "demo_site"
    sources = []
    for number, path in enumerate(_PAGES, start=1):
        url = f"https://nimbrel.example/{path}/"
        page = extract_page((root / path / "index.html").read_bytes(), url, "utf-8")
        start = max(0, page.markdown.find(_ANSWER) - _SOURCE_CHARS // 2)  # 0 if the page lacks the answer
        text = page.markdown[start : start + _SOURCE_CHARS]
        sources.append(Source(number, url, page.title, text, chunk_id=path))
    agent = AgentConfig(name="Nimbrel")
    return AnswerContext(agent, _QUESTION, _QUESTION, tuple(sources), language="en", canary=new_canary())
