"""What `docent doctor` asks of each model: one small call, and whether it answered."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Final
from urllib.parse import urlsplit

from app.bootstrap.infrastructure import Infrastructure
from app.bootstrap.models import chat_endpoints
from app.core.errors import DocentError
from app.providers.chat.chat_model import ChatMessage, ChatModel
from app.providers.chat.model_reply import model_reply
from app.settings import Settings

_BUDGET_SECONDS: Final = 30.0
_MAX_TOKENS: Final = 20
_SHOWN_CHARS: Final = 40
_ASKED: Final = (ChatMessage("user", "Reply with the single word: ready"),)


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """One model and what it answered; `problem` says why it did not, "" where it did."""

    part: str
    name: str
    answered: str = ""
    milliseconds: int = 0
    problem: str = ""

    def in_words(self) -> str:
        if self.problem:
            return f"{self.part} {self.name}: no answer"
        return f"{self.part} {self.name}: {self.answered} ({self.milliseconds} ms)"


async def check_models(base: Infrastructure) -> list[ModelCheck]:
    """Chat models (none where none is set), embedder and reranker, each asked once and without its circuit."""
    settings = base.settings
    async with AsyncExitStack() as closing:
        checks = [
            await _checked(part.replace("_", " "), name, partial(_chat, model))
            for part, name, model in chat_endpoints(
                settings, closing, max_retries=0, parts=("model", "fallback_model", "helper_model")
            )
        ]
    checks.append(await _checked("embedder", base.models.embedder.model_id, partial(_embed, base)))
    checks.append(await _checked("reranker", _reranker_name(settings), partial(_rerank, base)))
    return checks


async def _checked(part: str, name: str, ask: Callable[[], Awaitable[str]]) -> ModelCheck:
    began = perf_counter()
    try:
        answered = await ask()
    except DocentError as error:
        return ModelCheck(part, name, problem=f"{part.capitalize()}: {error}")
    return ModelCheck(part, name, answered, round((perf_counter() - began) * 1000))


async def _chat(model: ChatModel) -> str:
    reply = await model_reply(model, _ASKED, max_tokens=_MAX_TOKENS, budget_seconds=_BUDGET_SECONDS)
    return f'answered "{" ".join(reply.split())[:_SHOWN_CHARS]}"'


async def _embed(base: Infrastructure) -> str:
    [vector] = await base.models.embedder.embed(["ready?"])
    return f"gave a vector of {len(vector)} numbers"


async def _rerank(base: Infrastructure) -> str:
    [score] = await base.models.reranker.score("ready?", ["yes"], budget_seconds=_BUDGET_SECONDS)
    return f"gave the score {score.probability:.2f}"


def _reranker_name(settings: Settings) -> str:
    if settings.rerank_url:
        host = urlsplit(settings.rerank_url).hostname or settings.rerank_url
        return f"{settings.rerank_model} at {host}" if settings.rerank_model else f"at {host}"
    return settings.rerank_folder or "as shipped"
