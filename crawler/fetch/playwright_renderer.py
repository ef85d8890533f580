"""Renders pages that have no text without their scripts, with Chromium through Playwright (the extra `render`).

The browser never opens a connection: the crawler's fetcher serves every request of a page, so that address checks,
robots.txt, pacing and size limits apply. To stop anything else (sockets, WebRTC, look-ups), no name resolves in the
browser, and its proxy does not exist.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import anyio
from playwright.async_api import Browser, Error, Page, Playwright, Route, WebSocketRoute, async_playwright

from crawler.errors import RenderingFailed
from crawler.fetch.fetch_result import Fetched, WantedBody
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.robots import Robots

_NO_NETWORK = (
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
)
_WANTED = frozenset({"script", "xhr", "fetch"})  # these produce text; pictures, styles, fonts and frames do not
_PASSED_ON = ("access-control-allow-origin", "access-control-allow-credentials")


@dataclass(frozen=True, slots=True)
class RenderLimits:
    total_seconds: float = 20.0
    settle_seconds: float = 5.0  # time for requests after the document has loaded
    max_requests: int = 60
    max_bytes: int = 5 * 1024 * 1024  # of one response, and of the rendered page


class PlaywrightRenderer:
    """One browser, started when first needed, one page at a time, each in a fresh profile. Close with `aclose`.

    `executable` is Chromium's path. It runs in its sandbox unless `arguments` say otherwise.
    """

    def __init__(
        self,
        fetcher: Fetcher,
        robots: Robots,
        executable: str,
        limits: RenderLimits | None = None,
        arguments: Sequence[str] = (),
    ) -> None:
        self._fetcher = fetcher
        self._robots = robots
        self._executable = executable
        self._limits = limits or RenderLimits()
        self._arguments = (*_NO_NETWORK, *arguments)
        self._turn = anyio.Lock()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None

    async def aclose(self) -> None:
        """End the browser. Idempotent."""
        browser, self._browser = self._browser, None
        playwright, self._playwright = self._playwright, None
        with anyio.CancelScope(shield=True):
            if browser is not None:
                await browser.close()
            if playwright is not None:
                await playwright.stop()

    async def render(self, fetched: Fetched) -> bytes:
        """The page's HTML in UTF-8 once it has settled. Only the crawler's own fetcher sends requests.

        Raises RenderingFailed.
        """
        async with self._turn:
            try:
                with anyio.fail_after(self._limits.total_seconds):
                    async with self._blank_page(fetched) as page:
                        html = await self._settled(page, fetched.final_url)
            except TimeoutError as error:
                raise RenderingFailed(f"its scripts took longer than {self._limits.total_seconds:g} s") from error
            except Error as error:
                raise RenderingFailed(f"the browser says: {error.message.splitlines()[0]}") from error
        if len(html) > self._limits.max_bytes:
            raise RenderingFailed(f"its scripts produced more than {self._limits.max_bytes} bytes")
        return html

    async def _settled(self, page: Page, url: str) -> bytes:
        await page.goto(url, wait_until="domcontentloaded", timeout=self._limits.total_seconds * 1000)
        with suppress(Error):  # a page that keeps sending requests is used as it is by then
            await page.wait_for_load_state("networkidle", timeout=self._limits.settle_seconds * 1000)
        return (await page.content()).encode()

    @asynccontextmanager
    async def _blank_page(self, fetched: Fetched) -> AsyncIterator[Page]:
        browser = await self._running_browser()
        context = await browser.new_context(
            user_agent=self._fetcher.user_agent, accept_downloads=False, service_workers="block"
        )
        try:
            requests = _PageRequests(self._fetcher, self._robots, fetched, self._limits)
            await context.route("**/*", requests.answer)
            await context.route_web_socket("**/*", _close)
            yield await context.new_page()
        finally:
            with anyio.CancelScope(shield=True):
                await context.close()

    async def _running_browser(self) -> Browser:
        if self._browser is None or not self._browser.is_connected():
            await self.aclose()
            self._playwright = await async_playwright().start()
            self._browser = await self._playwright.chromium.launch(
                executable_path=self._executable, args=list(self._arguments)
            )
        return self._browser


class _PageRequests:
    def __init__(self, fetcher: Fetcher, robots: Robots, fetched: Fetched, limits: RenderLimits) -> None:
        self._fetcher = fetcher
        self._robots = robots
        self._fetched = fetched
        self._wanted = WantedBody(max_bytes=limits.max_bytes)
        self._left = limits.max_requests
        self._has_document = False

    async def answer(self, route: Route) -> None:
        request = route.request
        if request.resource_type == "document" and not self._has_document:
            self._has_document = True
            content_type = self._fetched.headers.get("content-type", "text/html")
            await route.fulfill(body=self._fetched.body, headers={"content-type": content_type})
            return
        self._left -= 1
        if self._left < 0 or request.method != "GET" or request.resource_type not in _WANTED:
            await route.abort()
            return
        url = request.url.partition("#")[0]
        answer = None
        if await self._robots.refusal(url) is None:
            answer = await self._fetcher.fetch(url, wanted=self._wanted, admit=self._robots.refusal)
        if not isinstance(answer, Fetched):
            await route.abort()
            return
        headers = {name: answer.headers[name] for name in _PASSED_ON if name in answer.headers}
        await route.fulfill(
            body=answer.body, headers={"content-type": answer.headers.get("content-type", ""), **headers}
        )


async def _close(socket: WebSocketRoute) -> None:
    await socket.close()
