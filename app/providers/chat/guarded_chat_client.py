"""Chat models at addresses that operators of a workspace have entered, through the crawler's guard."""

from collections.abc import Iterable, Sequence

import httpcore
from openai import DefaultAsyncHttpxClient

from app.core.setting_values import ReasoningEffort
from app.providers.chat.openai_chat_model import OpenAIChatModel
from app.providers.httptools_transport import HttptoolsTransport
from crawler.address_policy import AddressPolicy, Endpoint
from crawler.errors import CrawlError
from crawler.fetch.guarded_dialler import GuardedDialler


class GuardedChatModels:
    """`allowed` endpoints (ip, port) may be private. The models are closed with it."""

    def __init__(self, allowed: Iterable[Endpoint], *, silence_seconds: float, has_cache_control: bool) -> None:
        self._dialler = GuardedDialler(AddressPolicy(frozenset(allowed)))
        self._silence_seconds = silence_seconds
        self._has_cache_control = has_cache_control
        self._opened: list[OpenAIChatModel] = []

    async def close(self) -> None:
        for model in self._opened:
            await model.close()

    def open(
        self,
        *,
        url: str,
        model: str,
        key: str,
        temperature: float | None,
        reasoning_effort: ReasoningEffort | None,
        reasoning_tokens: int | None,
    ) -> OpenAIChatModel:
        opened = OpenAIChatModel(
            base_url=url,
            model=model,
            api_key=key or None,
            silence_seconds=self._silence_seconds,
            max_retries=0,
            temperature=temperature,
            reasoning_effort=reasoning_effort,
            reasoning_tokens=reasoning_tokens,
            has_cache_control=self._has_cache_control,
            client=DefaultAsyncHttpxClient(
                transport=HttptoolsTransport(self._addresses), follow_redirects=False, trust_env=False
            ),
        )
        self._opened.append(opened)
        return opened

    async def _addresses(self, host: str, port: int) -> Sequence[str]:
        try:
            return [str(each) for each in await self._dialler.checked_addresses(host, port)]
        except (CrawlError, httpcore.ConnectError) as error:
            raise OSError(str(error)) from error
