"""Pictures of the console, for eyes: `make screenshots`, or `python -m tests.console.screenshots FOLDER`."""

import asyncio
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Final, Literal

import structlog
from PIL import Image
from playwright.async_api import Browser, async_playwright

from tests.console.conftest import COOKIE
from tests.e2e.conftest import ARGUMENTS, CHROMIUM
from tests.web.console.page_examples import OpenConsole, open_console
from tests.web.console.test_gaps import asked_in_vain, gaps_path
from tests.web.live_server import serving

ASKED: Final = (
    ("Do you ship to Malta?", 5),
    ("Can I pay by invoice?", 4),
    ("Is there a student discount?", 3),
    ("Does the lamp work outdoors in winter?", 2),
)
SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")


async def main(folder: Path) -> None:
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    with tempfile.TemporaryDirectory() as data:
        async with open_console(Path(data)) as console, serving(console.house.app) as (_, client):
            gap = None
            for question, times in reversed(ASKED):
                for _ in range(times):
                    gap = await asked_in_vain(console.house, question)
            gaps = gaps_path(console.house)
            async with async_playwright() as playwright:
                browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
                for name, path, height in (("gaps", gaps, 640), ("gap", f"{gaps}/{gap}", 900)):
                    for scheme in SCHEMES:
                        picture = await _take(browser, console, str(client.base_url), path, height, scheme)
                        _small(picture).save(folder / f"console-{name}-{scheme}.png", optimize=True)
                await browser.close()


async def _take(
    browser: Browser, console: OpenConsole, base: str, path: str, height: int, scheme: Literal["light", "dark"]
) -> bytes:
    context = await browser.new_context(
        viewport={"width": 1180, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    secret, where = console.admin.cookies[COOKIE], base.replace("http:", "https:")
    await context.add_cookies([{"name": COOKIE, "value": secret, "url": where, "secure": True, "httpOnly": True}])
    page = await context.new_page()
    await page.goto(base.rstrip("/") + path)
    picture = await page.screenshot()
    await context.close()
    return picture


def _small(picture: bytes) -> Image.Image:
    """256 colours are enough for an interface, and weigh a third."""
    return Image.open(BytesIO(picture)).convert("RGB").quantize(256, dither=Image.Dither.NONE)


if __name__ == "__main__":
    into = Path(sys.argv[1])
    into.mkdir(parents=True, exist_ok=True)
    asyncio.run(main(into))
