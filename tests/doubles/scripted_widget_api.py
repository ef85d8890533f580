"""The visitor API, played from a script: what the widget's browser tests talk to.

Each question is looked up in `script`; its steps are what the server does, in order. Everything that arrived is kept in
`calls`. Pages of a host site are served beside the API, so that one port is enough and `localhost` is another origin.
"""

import asyncio
import json
import re
import threading
import time
from base64 import b64decode
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.doubles.scripted_person import ScriptedPerson

Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Emit:
    """Sends one event, `after_seconds` after the one before."""

    event: Event
    after_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Cut:
    """Closes the connection in the middle of the stream; what follows is sent to whoever resumes."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """Answers the question with an error instead of a stream."""

    status: int
    code: str


@dataclass(frozen=True, slots=True)
class Hold:
    """Waits until `ScriptedWidgetApi.release` is called or the turn is stopped."""


Step = Emit | Cut | Refuse | Hold


def status(stage: str) -> Emit:
    return Emit({"event": "status", "stage": stage})


def tokens(text: str, size: int = 4, pause_seconds: float = 0.0) -> list[Step]:
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return [Emit({"event": "token", "token": piece}, pause_seconds) for piece in pieces]


def citations(*found: Mapping[str, Any]) -> Emit:
    return Emit({"event": "citations", "citations": [dict(one) for one in found]})


def confirm(asked: Mapping[str, Any]) -> Emit:
    return Emit({"event": "confirm", "confirmation": dict(asked)})


def done(
    *,
    low_confidence: bool = False,
    finish: str = "complete",
    answered_by: str = "model",
    next_questions: Sequence[str] = (),
) -> Emit:
    return Emit(
        {
            "event": "done",
            "message_id": "message",
            "answered_by": answered_by,
            "low_confidence": low_confidence,
            "confidence": 0.2 if low_confidence else 0.9,
            "finish": finish,
            "next_questions": list(next_questions),
        }
    )


def error(code: str, *, retryable: bool = True) -> Emit:
    return Emit({"event": "error", "code": code, "message": "It went wrong.", "retryable": retryable})


@dataclass(frozen=True, slots=True)
class Call:
    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    query: str


@dataclass(slots=True)
class ScriptedWidgetApi:
    """Steps per question; a list of lists plays the first list at the first asking, the next at the next.

    `messages` is all that was said in `conversation`, the one that was opened last, and `said` what was in the others;
    `at_once` of them come together. `conversations` is the visitor's list; those that are `lost` are not there."""

    files: Path
    script: dict[str, Sequence[Step]] = field(default_factory=dict)
    retries: dict[str, list[Sequence[Step]]] = field(default_factory=dict)
    agent: dict[str, Any] = field(default_factory=lambda: {"name": "Ada", "theme": {}, "starter_prompts": []})
    messages: list[dict[str, Any]] = field(default_factory=list)
    found: dict[str, dict[str, Any]] = field(default_factory=dict)  # pages and facets, by what was typed
    refuse_search: Refuse | None = None
    invitations: dict[str, list[dict[str, Any]]] = field(default_factory=dict)  # by language
    conversation: str = "conversation"
    said: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    conversations: list[dict[str, Any]] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)
    at_once: int = 30
    pages: dict[str, str] = field(default_factory=dict)
    page_headers: dict[str, str] = field(default_factory=dict)
    refuse_init: Refuse | None = None
    refuse_lead: Refuse | None = None
    person: ScriptedPerson = field(default_factory=ScriptedPerson)
    cut_person: bool = False
    transcript: dict[str, Any] = field(default_factory=lambda: {"text": "> Why?\n\nAda (AI): So.", "mails_to": None})
    refuse_mail: Refuse | None = None
    confirmation: dict[str, Any] = field(default_factory=dict)  # what the visitor is asked, as the server has it
    becomes: dict[str, Any] = field(default_factory=lambda: {"state": "done", "text": "Cancelled."})  # by a yes
    refuse_answers: Refuse | None = None
    token_seconds: float = 900.0
    calls: list[Call] = field(default_factory=list)
    line_end: str = "\n"
    _turns: dict[str, list[Step]] = field(default_factory=dict)
    _questions: dict[str, str] = field(default_factory=dict)
    _stopped: set[str] = field(default_factory=set)
    _released: threading.Event = field(default_factory=threading.Event)

    def release(self) -> None:
        self._released.set()

    def calls_to(self, suffix: str) -> list[Call]:
        return [call for call in self.calls if call.path.endswith(suffix)]

    def app(self) -> Starlette:
        api = "/v1/widget"
        routes = [
            Route(f"{api}/init", self._init, methods=["POST"]),
            Route(f"{api}/messages/stream", self._ask, methods=["POST"]),
            Route(f"{api}/turns/{{turn_id}}/stream", self._resume),
            Route(f"{api}/turns/{{turn_id}}/stop", self._stop, methods=["POST"]),
            Route(f"{api}/turns/{{turn_id}}/feedback", self._no_content, methods=["POST"]),
            Route(f"{api}/person", self._person),
            Route(f"{api}/person", self._ask_for_a_person, methods=["POST"]),
            Route(f"{api}/person/messages", self._say, methods=["POST"]),
            Route(f"{api}/person/pictures", self._send_picture, methods=["POST"]),
            Route(f"{api}/person/pictures/{{number:int}}", self._picture),
            Route(f"{api}/person/typing", self._no_content, methods=["POST"]),
            Route(f"{api}/person/end", self._end, methods=["POST"]),
            Route(f"{api}/person/rating", self._rate_person, methods=["POST"]),
            Route(f"{api}/confirmations/{{id}}", self._confirmation, methods=["GET", "POST"]),
            Route(f"{api}/leads", self._leave, methods=["POST"]),
            Route(f"{api}/search", self._search),
            Route(f"{api}/conversation/messages", self._earlier),
            Route(f"{api}/conversations", self._conversations),
            Route(f"{api}/transcript", self._transcript, methods=["GET", "POST"]),
            Route("/widget/invitations/{agent}/{language}.json", self._invitations),
            Route("/widget/{path:path}", self._file),
            Route("/{page:path}", self._page),
        ]
        cors = Middleware(
            CORSMiddleware,
            allow_origin_regex=".*",
            allow_methods=["GET", "POST"],
            allow_headers=["authorization", "content-type", "last-event-id"],
        )
        return Starlette(routes=routes, middleware=[cors])

    async def _init(self, request: Request) -> Response:
        body = await self._record(request)
        if self.refuse_init:
            return _refusal(self.refuse_init)
        if body.get("conversation_id") in self.lost:
            return _refusal(Refuse(404, "not_found"))
        if body.get("new_conversation"):
            self.conversation, self.messages = f"conversation-{len(self.calls)}", []
        elif (wanted := body.get("conversation_id", self.conversation)) in self.said:
            self.conversation, self.messages = wanted, self.said[wanted]
        ends = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + self.token_seconds))
        return JSONResponse(
            {
                "conversation_id": self.conversation,
                "visitor_id": "visitor",
                "anonymous_id": None if body.get("user_id") else body.get("anon_id") or "anonymous",
                "token": f"token-{len(self.calls_to('/init'))}",
                "expires_at": ends,
                "agent": {"id": body["agent_id"], "persona": "", "language": "en", **self.agent},
                **self._said_before(len(self.messages)),
            }
        )

    async def _ask(self, request: Request) -> Response:
        body = await self._record(request)
        turn_id = body["turn_id"]
        if self.person.state == "talking":
            return _refusal(Refuse(409, "handed_to_person"))
        if turn_id not in self._turns:
            question = body["message"]
            later = self.retries.get(question)
            steps = later.pop(0) if later else self.script[question]
            if isinstance(steps[0], Refuse):
                return _refusal(steps[0])
            self._turns[turn_id] = [_start(turn_id, self.conversation), *steps]
            if any(isinstance(step, Emit) and step.event.get("answered_by") == "handoff" for step in steps):
                self.person.asked()
        return self._stream(turn_id, after=0)

    async def _resume(self, request: Request) -> Response:
        await self._record(request)
        turn_id = request.path_params["turn_id"]
        if turn_id not in self._turns:
            return _refusal(Refuse(404, "not_found"))
        return self._stream(turn_id, after=int(request.headers.get("last-event-id", "0")))

    async def _stop(self, request: Request) -> Response:
        await self._record(request)
        self._stopped.add(request.path_params["turn_id"])
        return Response(status_code=204)

    async def _earlier(self, request: Request) -> Response:
        await self._record(request)
        turns = [message["turn_id"] for message in self.messages]
        return JSONResponse(self._said_before(turns.index(request.query_params["before"])))

    def _said_before(self, end: int) -> dict[str, Any]:
        begin = max(0, end - self.at_once)
        return {"messages": self.messages[begin:end], "has_earlier": begin > 0}

    async def _conversations(self, request: Request) -> Response:
        await self._record(request)
        return JSONResponse({"items": self.conversations, "next_cursor": None})

    async def _transcript(self, request: Request) -> Response:
        await self._record(request)
        if request.method == "GET":
            return JSONResponse(self.transcript)
        return _refusal(self.refuse_mail) if self.refuse_mail else Response(status_code=204)

    async def _leave(self, request: Request) -> Response:
        await self._record(request)
        return _refusal(self.refuse_lead) if self.refuse_lead else Response(status_code=204)

    async def _rate_person(self, request: Request) -> Response:
        body = await self._record(request)
        self.person.ratings.append(body["rating"])
        return self._line()

    async def _confirmation(self, request: Request) -> Response:
        body = await self._record(request)
        if body and self.refuse_answers:
            return _refusal(self.refuse_answers)
        if body and self.confirmation["state"] == "asked":
            self.confirmation |= self.becomes if body["answer"] == "yes" else {"state": "declined"}
        return JSONResponse(self.confirmation)

    async def _person(self, request: Request) -> Response:
        await self._record(request)
        return self._line(int(request.query_params.get("after", "0")))

    async def _ask_for_a_person(self, request: Request) -> Response:
        await self._record(request)
        self.person.asked()
        return self._line()

    async def _say(self, request: Request) -> Response:
        body = await self._record(request)
        if not self.person.listens:
            return _refusal(Refuse(409, "no_active_chat"))
        self.person.hears(body["message_id"], body["text"])
        return self._line()

    async def _send_picture(self, request: Request) -> Response:
        body = await self._record(request)
        if not self.person.listens:
            return _refusal(Refuse(409, "no_active_chat"))
        self.person.sees(body["message_id"], b64decode(body["picture"]))
        return self._line()

    async def _picture(self, request: Request) -> Response:
        await self._record(request)
        return Response(self.person.pictures[request.path_params["number"]], media_type="image/webp")

    async def _end(self, request: Request) -> Response:
        await self._record(request)
        self.person.leaves()
        return self._line()

    def _line(self, after: int = 0) -> Response:
        # The connection may end after the server has done its work, as a real one may.
        return _refusal(Refuse(502, "")) if self.cut_person else JSONResponse(self.person.answer(after))

    async def _search(self, request: Request) -> Response:
        await self._record(request)
        if self.refuse_search:
            return _refusal(self.refuse_search)
        return JSONResponse({"pages": [], "facets": [], **self.found.get(request.query_params["q"], {})})

    async def _invitations(self, request: Request) -> Response:
        await self._record(request)
        return JSONResponse({"items": self.invitations.get(request.path_params["language"], [])})

    async def _no_content(self, request: Request) -> Response:
        await self._record(request)
        return Response(status_code=204)

    async def _file(self, request: Request) -> Response:
        name = re.sub(r"\.[\w-]{16}\.js$", ".js", request.path_params["path"])
        return FileResponse(self.files / name, headers={"Access-Control-Allow-Origin": "*"})

    async def _page(self, request: Request) -> Response:
        html = self.pages.get(request.path_params["page"])
        if html is None:
            return Response(status_code=404)
        return HTMLResponse(html, headers=self.page_headers)

    async def _record(self, request: Request) -> Any:
        body, url = json.loads(await request.body() or b"null"), request.url
        self.calls.append(Call(request.method, url.path, dict(request.headers), body, url.query))
        return body

    def _stream(self, turn_id: str, after: int) -> Response:
        headers = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}
        return StreamingResponse(self._frames(turn_id, after), media_type="text/event-stream", headers=headers)

    async def _frames(self, turn_id: str, after: int) -> AsyncIterator[bytes]:
        steps = self._turns[turn_id]
        number = 0
        yield f": hello{self.line_end * 2}".encode()
        for at, step in enumerate(list(steps)):
            match step:
                case Cut():
                    steps[at] = Emit({"event": "status", "stage": "writing"})
                    # uvicorn closes the connection without the last chunk: to the browser it broke.
                    raise ConnectionAbortedError
                case Hold():
                    # The test releases from another thread, so there is no asyncio event to wait for.
                    while not self._released.is_set() and turn_id not in self._stopped:  # noqa: ASYNC110
                        await asyncio.sleep(0.02)
                    if turn_id in self._stopped:
                        yield self._frame(number + 1, {**done(finish="stopped").event, "turn_id": turn_id})
                        return
                case Emit():
                    number += 1
                    if number > after:
                        await asyncio.sleep(step.after_seconds)
                        yield self._frame(number, {"turn_id": turn_id, **step.event})
                case Refuse():
                    raise AssertionError("a refusal comes first")

    def _frame(self, number: int, event: Event) -> bytes:
        lines = [f"id: {number}", f"event: {event['event']}", f"data: {json.dumps(event)}", "", ""]
        return self.line_end.join(lines).encode("ascii")


def _start(turn_id: str, conversation: str) -> Step:
    return Emit({"event": "start", "turn_id": turn_id, "conversation_id": conversation})


def _refusal(refuse: Refuse) -> Response:
    return JSONResponse({"error": {"code": refuse.code, "message": "Refused."}}, status_code=refuse.status)


def serve(app: Starlette) -> tuple[int, Callable[[], None]]:
    """Runs `app` in a thread; returns its port and the call that ends it."""
    server = uvicorn.Server(
        uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical", timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port: int = server.servers[0].sockets[0].getsockname()[1]

    def stop() -> None:
        server.should_exit = True
        thread.join(timeout=5)

    return port, stop
