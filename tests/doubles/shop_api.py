"""An API of a shop, in memory, which answers as it was told and remembers what it was asked."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.providers.http_caller import CallFailed, HttpReply

SHOP_HOST = "api.shop.example"
SHOP = f"https://{SHOP_HOST}"


@dataclass(frozen=True)
class AskedOfShop:
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None


@dataclass
class ShopApi:
    """An HttpCaller. `replies` are by path: JSON with status 200, a reply as it is, an error, or None for silence."""

    replies: dict[str, Any] = field(default_factory=lambda: {"/orders/A-17": {"order": {"status": "shipped"}}})
    asked: list[AskedOfShop] = field(default_factory=list)

    async def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> HttpReply:
        self.asked.append(AskedOfShop(method, url, dict(headers), body))
        path = url.removeprefix(SHOP).partition("?")[0]
        match self.replies.get(path, HttpReply(404, b"{}")):
            case None:
                await asyncio.Event().wait()
                raise AssertionError("nobody ends this wait")
            case HttpReply() as reply:
                return reply
            case CallFailed() as error:
                raise error
            case told:
                return HttpReply(200, json.dumps(told).encode())
