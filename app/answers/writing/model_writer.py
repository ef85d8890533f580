"""Answers by a chat model."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Final

from app.actions.action_calls import CalledAction, CallOutcome
from app.answers.writing.answer_context import AnswerContext, FoundSource, Proposal, Source, WritingItem
from app.answers.writing.prompt_builder import PromptBuilder
from app.core.errors import ModelInterrupted, ModelUnavailable
from app.core.turn import AnsweredBy
from app.kit.tracing import span
from app.providers.chat.chat_model import ChatEnd, ChatModel, TextDelta, ToolOffer
from app.sources.source import UNLINKED

_CHARS_PER_TOKEN: Final = 3  # a low guess: a model that stops too early is worse than one that the guard cuts


class ModelWriter:
    """An AnswerWriter over the chat port.

    If the model calls actions instead of answering, their results become further sources of a second prompt, which
    offers no actions: no result can cause another call. If it calls only for a change, that is proposed and nothing
    more is written.
    """

    answered_by = AnsweredBy.MODEL

    def __init__(self, model: ChatModel, prompts: PromptBuilder) -> None:
        self._model = model
        self._prompts = prompts

    async def write(self, context: AnswerContext) -> AsyncGenerator[WritingItem, None]:
        actions, has_begun = context.actions, False
        tools = actions.tools if actions else ()
        async with aclosing(self._said(context, tools)) as items:
            async for item in items:
                if actions and isinstance(item, ChatEnd) and item.calls:
                    called = await actions.run(item.calls)
                    break
                has_begun = has_begun or isinstance(item, TextDelta)
                yield item
            else:
                return
        if actions.proposed is not None:
            yield Proposal(actions.proposed)
            if all(each.outcome is CallOutcome.PROPOSED for each in called):
                yield replace(item, calls=())
                return
        found = _sources(called, len(context.sources) + 1)
        for source in found:
            yield FoundSource(source)
        if has_begun:
            yield TextDelta("\n\n")
        in_vain = [each for each in called if not each.is_answered and each.outcome is not CallOutcome.PROPOSED]
        context = replace(
            context,
            actions=None,
            sources=(*context.sources, *found),
            failed_calls=tuple(f"{each.action.title}: {each.text}" for each in in_vain),
            to_confirm=actions.proposed.title if actions.proposed else "",
        )
        try:
            async with aclosing(self._said(context, ())) as items:
                async for item in items:
                    yield item
        except ModelUnavailable as error:
            if has_begun:  # no other writer may go on where this one stopped
                raise ModelInterrupted(str(error)) from error
            raise

    async def _said(
        self, context: AnswerContext, tools: tuple[ToolOffer, ...]
    ) -> AsyncGenerator[TextDelta | ChatEnd, None]:
        max_tokens = context.agent.max_answer_chars // _CHARS_PER_TOKEN + 100
        with span("docent.prompt"):
            *before, last = self._prompts.build(context)
        async with self._model.stream([*before, replace(last, tools=tools)], max_tokens=max_tokens) as stream:
            async for item in stream:
                yield item


def _sources(called: Sequence[CalledAction], first: int) -> list[Source]:
    """Sources numbered from `first`. A result has an address of its own that nobody can open."""
    answered = [each for each in called if each.is_answered]
    return [
        Source(number, f"{UNLINKED}{each.action.id}", each.action.title, each.text, action=each.action.name)
        for number, each in enumerate(answered, start=first)
    ]
