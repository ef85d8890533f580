"""A visitor whose connection fails as planned and who reads on as the widget does; what it saw is its log."""

import asyncio
import json
import time
from collections import deque
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass, field
from typing import Any

from tests.nemesis.connection import SITE, Connection, Refused, requested
from tests.nemesis.plan import Cut, TurnPlan

# Both processes may be starting, for 20 seconds each on a busy machine, and it takes 25 until the turn of one that was
# killed is cut.
_GIVE_UP_SECONDS = 300


@dataclass
class Seen:
    """One turn as its visitor saw it. `longest` is the longest text that stood on the screen, `growth` the moments
    at which it had grown to a length."""

    plan: TurnPlan
    is_acknowledged: bool = False
    longest: str = ""
    growth: list[tuple[float, int]] = field(default_factory=list)
    ends: list[dict[str, Any]] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    cut_count: int = 0
    resumed_count: int = 0
    gave_up: bool = False

    def shows(self, text: str) -> None:
        shared = min(len(text), len(self.longest))
        if text[:shared] != self.longest[:shared]:
            self.contradictions.append(f"{self.longest[-40:]!r} and then {text[-40:]!r}")
        if len(text) > len(self.longest):
            self.longest = text
            self.growth.append((time.monotonic(), len(text)))

    def seen_before(self, moment: float) -> str:
        return self.longest[: max((length for at, length in self.growth if at <= moment), default=0)]


class Visitor:
    """Asks one turn in a conversation of its own, from an address of its own, so that limits count it alone."""

    def __init__(
        self, plan: TurnPlan, ports: list[int], agent_id: str, patience_seconds: float = _GIVE_UP_SECONDS
    ) -> None:
        self.seen = Seen(plan)
        self._plan = plan
        self._ports = ports
        self._agent_id = agent_id
        self._patience_seconds = patience_seconds
        self._address = f"10.{plan.number >> 16 & 255}.{plan.number >> 8 & 255}.{plan.number & 255}"
        self._home = plan.home
        self._cuts = deque(plan.cuts)
        self._token = ""
        self._text = ""
        self._last_id = 0
        self._is_known = False  # the server has answered for this turn before

    async def ask(self) -> Seen:
        """Until the turn has ended, the visitor has left for good, or all patience is gone."""
        give_up_at = time.monotonic() + self._patience_seconds
        while time.monotonic() < give_up_at:
            try:
                await self._read_on()
                return self.seen
            except _WasCut as was_cut:
                if not self._plan.comes_back:
                    return self.seen
                self._is_known = self._is_known and not was_cut.cut.posts_again
                self._home += was_cut.cut.moves
            except Refused as refusal:
                self.seen.refusals.append(str(refusal))
                if refusal.status in {401, 403, 422}:
                    raise
                self._is_known = self._is_known and refusal.status != 404
                await asyncio.sleep(0.5)
            except (OSError, asyncio.IncompleteReadError, TimeoutError):
                self._home += 1
                await asyncio.sleep(0.2)
        self.seen.gave_up = True
        return self.seen

    async def _read_on(self) -> None:
        """One connection. Raises _WasCut, Refused, OSError, IncompleteReadError, TimeoutError."""
        port = self._ports[self._home % len(self._ports)]
        self._token = self._token or await self._new_token(port)
        if not self._is_known:
            self._last_id, self._text = 0, ""
        async with self._stream(port) as connection:
            self.seen.resumed_count += self._last_id > 0
            count = 0
            await self._suffer(count, connection)
            async with aclosing(connection.frames()) as frames:
                async for frame in frames:
                    count += 1
                    self._take(frame)
                    if frame["event"] in {"done", "error"}:
                        return
                    await self._suffer(count, connection)
        raise ConnectionResetError("the stream ended in the middle")

    def _stream(self, port: int) -> AbstractAsyncContextManager[Connection]:
        credentials = {"X-Forwarded-For": self._address, "Authorization": f"Bearer {self._token}"}
        if self._is_known:
            credentials["Last-Event-ID"] = str(self._last_id)
            return requested(port, f"/v1/widget/turns/{self._plan.turn_id}/stream", None, credentials)
        body = {"turn_id": str(self._plan.turn_id), "message": self._plan.question, "page_url": f"{SITE}/"}
        return requested(port, "/v1/widget/messages/stream", body, credentials)

    def _take(self, frame: dict[str, Any]) -> None:
        if frame["id"] <= self._last_id:
            self.seen.contradictions.append(f"event {frame['id']} after event {self._last_id}")
        self._last_id, self._is_known = frame["id"], True
        match frame["event"]:
            case "start":
                self.seen.is_acknowledged = True
            case "token":
                self._text += frame["token"]
                self.seen.shows(self._text)
            case "done" | "error":
                self.seen.ends.append(frame)

    async def _suffer(self, frame_count: int, connection: Connection) -> None:
        """What is planned after so many frames. A stall lets the connection live."""
        if not self._cuts or self._cuts[0].frames != frame_count:
            return
        cut = self._cuts.popleft()
        if cut.fault == "stall":
            await asyncio.sleep(cut.stall_seconds)
            return
        self.seen.cut_count += 1
        if cut.fault == "reset":
            connection.reset()
        raise _WasCut(cut)

    async def _new_token(self, port: int) -> str:
        body = {"agent_id": self._agent_id, "page_url": f"{SITE}/"}
        async with requested(port, "/v1/widget/init", body, {"X-Forwarded-For": self._address}) as connection:
            return str(json.loads(await connection.rest())["token"])


class _WasCut(Exception):
    def __init__(self, cut: Cut) -> None:
        super().__init__()
        self.cut = cut
