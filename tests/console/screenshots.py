"""Pictures of the console, for eyes: `make screenshots`, or `python -m tests.console.screenshots FOLDER [NAME ...]`."""

import asyncio
import sys
import tempfile
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Final, Literal
from uuid import UUID, uuid4

import structlog
from PIL import Image
from playwright.async_api import Browser, async_playwright

from app.conversations.records.turns import TurnRecords
from app.core.turn import AnsweredBy, Citation, GapReason, VisitorSession
from app.live_chat.live_chats import LiveChats
from app.live_chat.live_pictures import LivePictures
from app.store.transaction import Transaction
from app.workspaces.operators import Operators
from tests.console.conftest import COOKIE
from tests.doubles.visitors import visitor_of
from tests.e2e.conftest import ARGUMENTS, CHROMIUM
from tests.store.sample_rows import ask
from tests.web.console.page_examples import OpenConsole, open_console
from tests.web.console.test_gaps import asked_in_vain, gaps_path
from tests.web.live_server import serving

ASKED: Final = (
    ("Do you ship to Malta?", 5),
    ("Can I pay by invoice?", 4),
    ("Is there a student discount?", 3),
    ("Does the lamp work outdoors in winter?", 2),
)
ANSWERED: Final = (9, 11, 12, 8, 10, 4, 5, 13, 16, 14, 19, 17, 6, 12)  # a day
DAY: Final = 24 * 3600
BULBS: Final = "Any LED bulb with an E27 base fits our table lamps, up to the watts on the label [1]."
LAMPS: Final = Citation(1, "https://www.example.com/lamps", "Lamps", None, "c1")
# What is glued below the lamp of the pictures, as a visitor sends it.
LABEL: Final = """<body style="margin: 0; background: #8d7a64"><div style="margin: 30px 36px; padding: 18px 22px;
transform: rotate(-3deg); background: #f2efe6; color: #2a2722; font: 17px/1.5 sans-serif; box-shadow: 2px 5px 9px #000">
<b style="font-size: 27px">LUMO 2</b> table lamp<br>220-240 V ~ 50/60 Hz &nbsp; IP20<br><span style="font-size: 23px">
E27 &nbsp; max. <span style="filter: blur(2px)">12 W</span> LED</span><hr>Made in Graz &nbsp; No. 0481-7</div>"""
OVERVIEW: Final = "/console"
REPORT: Final = "/console/report?first=2025-12-19&last=2025-12-31"
SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")


async def main(folder: Path, names: Collection[str] = ()) -> None:
    """Those of the names, or all."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    with tempfile.TemporaryDirectory() as data:
        async with open_console(Path(data)) as console, serving(console.house.app) as (_, client):
            gap = None
            for question, times in reversed(ASKED):
                for _ in range(times):
                    gap = await asked_in_vain(console.house, question)
            gaps = gaps_path(console.house)
            await _answered(console)
            async with async_playwright() as playwright:
                browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
                for name, path, height in (
                    ("gaps", gaps, 640),
                    ("gap", f"{gaps}/{gap}", 900),
                    ("overview", OVERVIEW, 900),
                    ("report", REPORT, 1040),
                ):
                    if path == OVERVIEW:
                        await console.visitor_asks_for_a_person()
                    for scheme in SCHEMES:
                        file = folder / f"console-{name}-{scheme}.png"
                        if not names or file.stem in names:
                            picture = await _take(browser, console, str(client.base_url), path, height, scheme)
                            _small(picture).save(file, optimize=True)
                agent = f"/console/agents/{console.house.agent.id}"
                for name, path, height in (
                    ("new-agent", "/console/new-agent", 620),
                    ("sources", f"{agent}/sources", 620),
                    ("settings", f"{agent}/settings", 820),
                    ("conversation", f"{agent}/conversations/{console.rooms.ids['conversation_id']}", 820),
                    ("live-chat", f"/console/live/{await _a_live_chat(console, browser)}", 960),
                ):
                    file = folder / f"console-{name}.png"
                    if not names or file.stem in names:
                        picture = await _take(browser, console, str(client.base_url), path, height, "light", 1280)
                        _small(picture).save(file, optimize=True)
                await browser.close()


async def _answered(console: OpenConsole) -> None:
    """Two weeks in which the agent knew the answer mostly."""
    house = console.house
    session = await visitor_of(house.record, house.actor.workspace_id, house.agent.id)
    house.clock.advance(-len(ANSWERED) * DAY)
    for times in ANSWERED:
        house.clock.advance(DAY)
        for number in range(times):
            how = AnsweredBy.HANDOFF if number % 7 == 5 else AnsweredBy.CURATED if number % 4 == 3 else AnsweredBy.MODEL
            gap = GapReason.LOW_CONFIDENCE if number % 6 == 4 else None
            times_ms = 300 + 37 * number + 11 * times
            turn = await ask(house.record, session, answered_by=how, gap=gap, first_token_ms=times_ms, language="en")
        await house.record.write(partial(_liked, session, turn))


async def _a_live_chat(console: OpenConsole, browser: Browser) -> UUID:
    """The operator of the pictures has it, and one visitor waits beside it."""
    house, chats = console.house, console.house.parts.get(LiveChats)
    admin = next(each for each in await house.parts.get(Operators).of_workspace(house.actor) if "admin" in each.email)
    ann = replace(house.actor, name=admin.email, operator_id=admin.id)
    session = await visitor_of(house.record, house.actor.workspace_id, house.agent.id)
    await ask(house.record, session, "Which bulb fits my lamp?", answer=BULBS, citations=(LAMPS,), language="en")
    house.clock.advance(60)
    await chats.ask(session)
    await chats.say(session, uuid4(), "The old label is hard to read. Which bulb do I need?")
    await chats.take_over(ann, session.conversation_id, "Ann")
    await chats.reply(ann, session.conversation_id, uuid4(), "Good morning! Could you send me a picture of it?")
    house.clock.advance(60)
    page = await browser.new_page(viewport={"width": 420, "height": 260})
    await page.set_content(LABEL)
    await house.parts.get(LivePictures).send_own(session, uuid4(), await page.screenshot())
    await page.close()
    await console.visitor_asks_for_a_person()
    return session.conversation_id


def _liked(session: VisitorSession, turn: UUID, tx: Transaction) -> None:
    TurnRecords(tx).feedback(session, turn, "up", "")


async def _take(
    browser: Browser,
    console: OpenConsole,
    base: str,
    path: str,
    height: int,
    scheme: Literal["light", "dark"],
    width: int = 1180,
) -> bytes:
    context = await browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
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
    asyncio.run(main(into, sys.argv[2:]))
