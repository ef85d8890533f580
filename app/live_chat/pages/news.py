"""Server-Sent Events for the console's pages: `news` at once, then whenever something has changed."""

import json
from collections.abc import AsyncIterator
from contextlib import aclosing

import anyio
from starlette.responses import Response

from app.live_chat.live_chats import LiveSigns
from app.live_chat.operator_news import News, OperatorNews
from app.web.console.page import NoForm, Pages, Visit, page, read
from app.web.limits_policy import StreamPolicy
from app.web.sse import event_stream
from app.workspaces.sign_in import SignIn


class NewsPages(Pages):
    def __init__(self, news: OperatorNews, sign_in: SignIn, signs: LiveSigns, policy: StreamPolicy) -> None:
        self._news = news
        self._signs = signs
        self._sign_in = sign_in
        self._policy = policy

    @page("/console/news", access=read, is_stream=True)
    async def news(self, visit: Visit[NoForm]) -> Response:
        """Ends with the session, which it does not keep alive."""
        stopping = anyio.Event()  # the library sets it when the server has to stop
        return event_stream(self._frames(visit, stopping), self._policy, stopping, grace_seconds=1)

    async def _frames(self, visit: Visit[NoForm], stopping: anyio.Event) -> AsyncIterator[bytes]:
        await self._signs.operator_is_here(visit.actor.workspace_id)

        async def pause() -> bool:
            with anyio.move_on_after(self._policy.news_look_seconds):
                await stopping.wait()
            if stopping.is_set() or not await self._sign_in.is_signed_in(visit.secret):
                return False
            await self._signs.operator_is_here(visit.actor.workspace_id)
            return True

        async with aclosing(self._news.watch(visit.actor, pause)) as looks:
            async for look in looks:
                yield _frame(look)


def _frame(news: News) -> bytes:
    told = {
        "waiting": news.waiting,
        "asked_at": news.asked_at.isoformat() if news.asked_at else None,
        "moved_at": news.moved_at.isoformat() if news.moved_at else None,
    }
    return f"event: news\ndata: {json.dumps(told, separators=(',', ':'))}\n\n".encode("ascii")
