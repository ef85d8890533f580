"""`python -m bench.serving.token_server PORT MODEL_URL`: the smallest honest server that hands a model's stream on,
made of the libraries that Docent is made of.

Starlette and sse-starlette as their manuals have it, httpx reading lines, uvicorn with uvloop and httptools. It checks
nothing, keeps nothing and knows nobody: what a token costs here is what these libraries cost.
"""

import json
import sys
from collections.abc import AsyncIterator, Mapping, Sequence

import httpx
import uvicorn
from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


async def model_tokens(
    http: httpx.AsyncClient, model_url: str, messages: Sequence[Mapping[str, str]]
) -> AsyncIterator[str]:
    """What a chat model says to these messages, token by token."""
    asked = {"model": "m", "stream": True, "messages": messages}
    async with http.stream("POST", f"{model_url}/chat/completions", json=asked) as answer:
        async for line in answer.aiter_lines():
            if line.startswith("data: ") and line != "data: [DONE]":
                for choice in json.loads(line[6:])["choices"]:
                    if text := choice["delta"].get("content"):
                        yield text


def app_of(model_url: str) -> Starlette:
    http = httpx.AsyncClient(timeout=60, limits=httpx.Limits(max_connections=None), trust_env=False)

    async def frames(question: str) -> AsyncIterator[dict[str, str]]:
        number = 0
        async for token in model_tokens(http, model_url, [{"role": "user", "content": question}]):
            number += 1
            yield {"id": str(number), "event": "token", "data": json.dumps({"event": "token", "token": token})}
        yield {"id": str(number + 1), "event": "done", "data": json.dumps({"event": "done"})}

    async def ask(request: Request) -> Response:
        return EventSourceResponse(frames((await request.json())["message"]), sep="\n")

    async def ready(request: Request) -> Response:
        return Response()

    return Starlette(routes=[Route("/v1/widget/messages/stream", ask, methods=["POST"]), Route("/readyz", ready)])


def main() -> None:
    port, model_url = int(sys.argv[1]), sys.argv[2]
    config = uvicorn.Config(app_of(model_url), port=port, loop="uvloop", http="httptools", log_level="warning")
    uvicorn.Server(config).run()


if __name__ == "__main__":
    main()
