"""`python -m bench.serving.services`: a chat model and a reranker that cost next to nothing, in a process of their own.

Prints one JSON line with both addresses and serves until it is ended. The model gives its first token after 50 ms and
then 20 a second, or as told, or all at once where the question says so; where it says BRIEFLY, only the last two. The
reranker answers after 20 ms. An answer begins with a sentence of the first source, cited, because an answer is held
back until a statement is confirmed; only the model of the name UNFOUNDED cites nothing.
"""

import argparse
import asyncio
import json
import re
import sys
from typing import Any, Final

FIRST_TOKEN_SECONDS = 0.05
RERANK_SECONDS = 0.02
AT_ONCE = "Answer at once."
BRIEFLY = "Answer briefly."
UNFOUNDED = "unfounded"
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


_SOURCE: Final = re.compile(r'<source id="(\d+)"[^\n]*>\n(.*?)\n</source>', re.DOTALL)
_SENTENCE: Final = re.compile(r"^\w[^\n|`*\[\]]{30,}?[.!?](?=\s|$)", re.MULTILINE)


def words(count: int) -> list[str]:
    """The answer that every stream gets, token by token."""
    return [f"word{number} " for number in range(count)]


def cited_sentence(prompt: str) -> str:
    """What the first source in the prompt says in a whole sentence, and its mark; "" without one."""
    found = ((number, _SENTENCE.search(text)) for number, text in _SOURCE.findall(prompt))
    return next((f"{sentence[0]} [{number}]\n\n" for number, sentence in found if sentence), "")


class _Service(asyncio.Protocol):
    """HTTP/1.1 with kept connections, of which only length and path of a request are read."""

    def __init__(self, frames: list[bytes], token_seconds: float) -> None:
        self._frames = frames
        self._token_seconds = token_seconds
        self._received = b""
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, body = self._received.partition(b"\r\n\r\n")
        if not found:
            return
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        if len(body) < length:
            return
        self._received = body[length:]
        loop = asyncio.get_running_loop()
        if b"/rerank" in head.split(b"\r\n", 1)[0]:
            count = len(json.loads(body[:length])["texts"])
            loop.call_later(RERANK_SECONDS, self._rank, count)
        else:
            self._transport.write(_HEAD + _cited(json.loads(body[:length])))
            seconds = 0 if AT_ONCE.encode() in body[:length] else self._token_seconds
            position = len(self._frames) - 2 if BRIEFLY.encode() in body[:length] else 0
            loop.call_later(FIRST_TOKEN_SECONDS, self._say, position, seconds)

    def _rank(self, count: int) -> None:
        scores = [{"index": number, "score": round(0.9 - number / 100, 2)} for number in range(count)]
        body = json.dumps(scores).encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
        self._transport.write(head + body)

    def _say(self, position: int, token_seconds: float) -> None:
        if self._transport.is_closing():
            return
        self._transport.write(self._frames[position])
        if position + 1 < len(self._frames):
            asyncio.get_running_loop().call_later(token_seconds, self._say, position + 1, token_seconds)


def _cited(asked: dict[str, Any]) -> bytes:
    quoted = "" if asked["model"] == UNFOUNDED else cited_sentence(str(asked["messages"][-1]["content"]))
    return _frame({"choices": [{"index": 0, "delta": {"content": quoted}}]}) if quoted else b""


def _frames(count: int) -> list[bytes]:
    """One network write each; the last holds the end as well."""
    written = [_frame({"choices": [{"index": 0, "delta": {"content": word}}]}) for word in words(count)]
    end: dict[str, Any] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    usage = {"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": count}}
    return [*written, _frame(end) + _frame(usage) + _chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n"]


def _frame(data: dict[str, Any]) -> bytes:
    whole = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", **data}
    return _chunk(b"data: " + json.dumps(whole).encode() + b"\n\n")


def _chunk(content: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(content), content)


async def _serve(token_count: int, tokens_a_second: float) -> None:
    frames = _frames(token_count)
    server = await asyncio.get_running_loop().create_server(
        lambda: _Service(frames, 1 / tokens_a_second), "127.0.0.1", 0, backlog=2048
    )
    base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    sys.stdout.write(json.dumps({"model": f"{base}/v1", "rerank": f"{base}/rerank"}) + "\n")
    sys.stdout.flush()
    async with server:
        await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, required=True)
    parser.add_argument("--rate", type=float, required=True, help="tokens a second")
    arguments = parser.parse_args()
    asyncio.run(_serve(arguments.tokens, arguments.rate))


if __name__ == "__main__":
    main()
