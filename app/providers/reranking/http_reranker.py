"""Reranker by an HTTP endpoint with one of three common APIs.

- cohere: Cohere and Jina, https://docs.cohere.com/reference/rerank, https://jina.ai/reranker
- tei: Hugging Face's Text Embeddings Inference, `POST /rerank`
- workers-ai: Cloudflare Workers AI, models of the bge-reranker family
"""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import httpx

from app.core.errors import RerankerUnavailable
from app.core.text.letter_forms import encodable
from app.kit.tracing import trace_headers
from app.providers.reranking.reranker import PairScore

Shape = Literal["cohere", "tei", "workers-ai"]

_SMALLEST: Final = 1e-6  # a probability of 0 or 1 has no logit


@dataclass(frozen=True, slots=True)
class _Dialect:
    """`ask` builds the request body from model, question and texts; `read` finds (index, score) in the response."""

    ask: Callable[[str, str, Sequence[str]], Mapping[str, Any]]
    read: Callable[[Any], list[tuple[int, float]]]


_DIALECTS: Final[Mapping[Shape, _Dialect]] = {
    "cohere": _Dialect(
        lambda model, question, texts: {
            "model": model,
            "query": question,
            "documents": list(texts),
            "top_n": len(texts),
        },
        lambda body: [(entry["index"], entry["relevance_score"]) for entry in body["results"]],
    ),
    "tei": _Dialect(
        lambda model, question, texts: {"query": question, "texts": list(texts), "truncate": True},
        lambda body: [(entry["index"], entry["score"]) for entry in body],
    ),
    "workers-ai": _Dialect(
        lambda model, question, texts: {
            "query": question,
            "contexts": [{"text": text} for text in texts],
            "top_k": len(texts),
        },
        lambda body: [(entry["id"], entry["score"]) for entry in body["result"]["response"]],
    ),
}


class HttpReranker:
    """`url` is the endpoint itself. `scores` is the kind that it returns: probabilities in [0, 1], or logits."""

    def __init__(
        self,
        *,
        url: str,
        shape: Shape,
        model: str = "",
        api_key: str | None = None,
        scores: Literal["probability", "logit"] = "probability",
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._url = httpx.URL(url)
        self._dialect = _DIALECTS[shape]
        self._model = model
        self._has_logits = scores == "logit"
        headers = {"authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.AsyncClient(headers=headers, transport=transport)

    @property
    def reads(self) -> None:
        return None  # an endpoint does not tell which languages its model reads

    async def score(self, question: str, texts: Sequence[str], *, budget_seconds: float) -> list[PairScore]:
        if not texts:
            return []
        try:
            if budget_seconds <= 0:
                raise TimeoutError
            async with asyncio.timeout(budget_seconds):
                found = await self._ask(question, texts)
            return [self._pair_score(found[number]) for number in range(len(texts))]
        except TimeoutError as error:
            raise self._failed(f"took longer than its budget of {budget_seconds:g} s") from error
        except httpx.HTTPStatusError as error:
            raise self._failed(f"answered with status {error.response.status_code}") from error
        except httpx.HTTPError as error:
            raise self._failed("cannot be reached, or broke the connection off") from error
        except (ValueError, LookupError, TypeError) as error:
            raise self._failed("sent an invalid response") from error

    async def close(self) -> None:
        await self._client.aclose()

    async def _ask(self, question: str, texts: Sequence[str]) -> dict[int, float]:
        body = self._dialect.ask(self._model, encodable(question), [encodable(text) for text in texts])
        # The budget is the timeout.
        response = await self._client.post(self._url, json=body, headers=trace_headers(), timeout=None)
        response.raise_for_status()
        return {int(number): float(score) for number, score in self._dialect.read(response.json())}

    def _pair_score(self, score: float) -> PairScore:
        if not math.isfinite(score):
            raise ValueError(score)
        if self._has_logits:
            return PairScore(score, 1 / (1 + math.exp(-max(-500.0, score))))
        probability = min(1.0, max(0.0, score))
        inner = min(1 - _SMALLEST, max(_SMALLEST, probability))
        return PairScore(math.log(inner / (1 - inner)), probability)

    def _failed(self, happened: str) -> RerankerUnavailable:
        return RerankerUnavailable(f"The reranker at {self._url.host} {happened}.")
