"""Answers by a chat model."""

from collections.abc import AsyncGenerator

from app.answers.writing.answer_context import AnswerContext
from app.answers.writing.prompt_builder import PromptBuilder
from app.core.turn import AnsweredBy
from app.kit.tracing import span
from app.providers.chat.chat_model import ChatEnd, ChatModel, TextDelta

_CHARS_PER_TOKEN = 3  # a low guess: a model that stops too early is worse than one that the guard cuts


class ModelWriter:
    """An AnswerWriter over the chat port."""

    answered_by = AnsweredBy.MODEL

    def __init__(self, model: ChatModel, prompts: PromptBuilder) -> None:
        self._model = model
        self._prompts = prompts

    async def write(self, context: AnswerContext) -> AsyncGenerator[TextDelta | ChatEnd, None]:
        max_tokens = context.agent.max_answer_chars // _CHARS_PER_TOKEN + 100
        with span("docent.prompt"):
            messages = self._prompts.build(context)
        async with self._model.stream(messages, max_tokens=max_tokens) as stream:
            async for item in stream:
                yield item
