"""Answers by a chat model."""

import math
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Final

from app.answers.offered_actions import CalledAction, CallOutcome
from app.answers.page_context import found_source
from app.answers.writing.answer_context import AnswerContext, FoundSource, Proposal, Source, WritingItem
from app.answers.writing.answer_searches import MadeSearch
from app.answers.writing.prompt_builder import PromptBuilder
from app.core.costs import estimated_tokens
from app.core.errors import ModelInterrupted, ModelUnavailable
from app.core.text.canned_messages import canned_messages
from app.core.turn import AnsweredBy
from app.kit.tracing import span
from app.providers.chat.chat_model import ChatEnd, ChatItem, TextDelta, ToolOffer
from app.sources.source import UNLINKED

_TOKENS_PER_CHAR: Final = 1 / 3  # a high guess: a model that stops too early is worse than one that the guard cuts


class ModelWriter:
    """An AnswerWriter over the chat port.

    If the model calls tools instead of answering, what they return becomes further sources of another prompt. That
    offers no actions, so no result can cause an action; it may search on as often as it has searches left. If it calls
    only for a change, that is proposed and nothing more is written.
    """

    answered_by = AnsweredBy.MODEL

    def __init__(self, prompts: PromptBuilder) -> None:
        self._prompts = prompts

    async def write(self, context: AnswerContext) -> AsyncGenerator[WritingItem, None]:
        has_begun = has_paused = False
        while True:
            tools = (
                *(context.actions.tools if context.actions else ()),
                *(context.searches.tools if context.searches else ()),
            )
            try:
                async with aclosing(self._written(context, tools)) as items:
                    async for item in items:
                        if tools and isinstance(item, ChatEnd) and item.calls:
                            end = item
                            break
                        if isinstance(item, TextDelta):
                            has_begun, has_paused = True, False
                        yield item
                    else:
                        return
            except ModelUnavailable as error:
                if has_begun:  # no other writer may go on where this one stopped
                    raise ModelInterrupted(str(error)) from error
                raise
            called = await context.actions.run(end.calls) if context.actions else []
            made = await context.searches.run(end.calls) if context.searches else []
            proposed = context.actions.proposed if context.actions else None
            if proposed is not None:
                yield Proposal(proposed)
                if not made and all(each.outcome is CallOutcome.PROPOSED for each in called):
                    yield replace(end, calls=())
                    return
            found = _results(called, len(context.sources) + 1)
            found += _looked_up(made, context.sources, len(context.sources) + len(found) + 1)
            for source in found:
                yield FoundSource(source)
            if has_begun and not has_paused:
                yield TextDelta("\n\n")
                has_paused = True
            may_go_on = bool(called or made) and context.searches and context.searches.tools
            context = replace(
                context,
                actions=None,
                searches=context.searches if may_go_on else None,
                sources=(*context.sources, *found),
                failed_calls=(*context.failed_calls, *_failed_actions(called), *_failed_searches(made)),
                to_confirm=proposed.title if proposed else context.to_confirm,
            )

    async def _written(self, context: AnswerContext, tools: tuple[ToolOffer, ...]) -> AsyncGenerator[ChatItem, None]:
        if context.model is None:
            raise ModelUnavailable("There is no chat model.")
        max_tokens = _longest(context)
        with span("docent.prompt"):
            *before, last = self._prompts.build(context)
        model = context.model.model
        async with model.stream([*before, replace(last, tools=tools)], max_tokens=max_tokens) as stream:
            async for item in stream:
                yield item


def _longest(context: AnswerContext) -> int:
    """The most tokens of an answer, by the scripts of the question and of the answer's language."""
    texts = [text for text in (context.question, canned_messages(context.language).not_found) if text]
    each = max(_TOKENS_PER_CHAR, *(estimated_tokens(text) / len(text) for text in texts))
    return math.ceil(context.agent.max_answer_chars * each) + 100


def _results(called: Sequence[CalledAction], first: int) -> list[Source]:
    """Sources numbered from `first`. A result has an address of its own that nobody can open."""
    answered = [each for each in called if each.is_answered]
    return [
        Source(number, f"{UNLINKED}{each.action.id}", each.action.title, each.text, action=each.action.name)
        for number, each in enumerate(answered, start=first)
    ]


def _looked_up(made: Sequence[MadeSearch], known: Sequence[Source], first: int) -> list[Source]:
    """What the searches found, each chunk once and none that is a source already, numbered from `first`."""
    chunks = {item.chunk.id: item for search in made for item in search.found}
    new = [item for key, item in chunks.items() if key not in {source.chunk_id for source in known}]
    return [replace(found_source(number, item), is_looked_up=True) for number, item in enumerate(new, start=first)]


def _failed_actions(called: Sequence[CalledAction]) -> list[str]:
    in_vain = [each for each in called if not each.is_answered and each.outcome is not CallOutcome.PROPOSED]
    return [f"{each.action.title}: {each.text}" for each in in_vain]


def _failed_searches(made: Sequence[MadeSearch]) -> list[str]:
    return [f'Search for "{each.query}": {each.reason}' for each in made if each.reason]
