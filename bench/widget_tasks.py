"""`python -m bench.widget_tasks [DIST ...]`: how long the widget keeps a page's main thread, with a CPU 4 times slower.

Several builds take turns, so that all feel the same load of the machine. The longest task is told by the time that the
observer of long tasks sees, and by the processor time that the thread had, which other work changes less.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, sync_playwright

from app.web.widget_script import built_widget
from tests.doubles.scripted_widget_api import ScriptedWidgetApi, Step, citations, done, serve, tokens
from tests.e2e.conftest import ARGUMENTS, CHROMIUM, Site

_SLOWER = 4  # times, as a phone of the middle class is to a desktop
_LONG_MS = 50
_TURNS = 40
_PARAGRAPH = (
    "You can return anything within **30 days** of delivery [1], unworn and in its box, to *any* of our shops or by "
    "the label that came with it. "
)
_TABLE = "\n\n| Country | Fee | Days |\n|---|---|---|\n" + "".join(
    f"| Country {at} | {at}.50 EUR | {at} to {at + 2} days |\n" for at in range(1, 13)
)
_CODE = (
    "\n\n```ts\n"
    + "\n".join(
        f"export const price{at} = async (name: string) => fetch(`/v1/{at}/${{name}}`); // no {at}" for at in range(12)
    )
    + "\n```\n\n"
)
_STEPS = "\n\n" + "".join(f"{at}. Open **Orders** and choose `return {at}` [2].\n" for at in range(1, 9)) + "\n"
ANSWER = f"## Returns\n\n{_PARAGRAPH * 5}{_TABLE}\n{_PARAGRAPH * 5}{_CODE}{_PARAGRAPH * 5}{_STEPS}{_PARAGRAPH * 4}"
_SOURCES = [
    {"id": at, "url": f"https://shop.example/{at}", "title": f"Returns {at}", "as_of": "2026-03-01"} for at in (1, 2, 3)
]
# The observer counts those of the page; the trace has the processor time of the thread beside it.
_OBSERVED = """window.tasks = [];
new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((each) => each.duration)))
  .observe({ type: "longtask", buffered: true });"""


@dataclass(frozen=True, slots=True)
class Run:
    longest_cpu_ms: float
    long_by_cpu: int
    longest_ms: float
    long_tasks: int


def _goto(page: Page, site: Site) -> None:
    page.goto(site.origin)
    page.locator("docent-widget .launcher").wait_for()


def _press(page: Page) -> None:
    page.locator("docent-widget .launcher").hover()
    page.wait_for_timeout(100)  # no hand presses as soon as it is there
    page.locator("docent-widget .launcher").click()


def _open(page: Page, _: Site) -> None:
    _press(page)
    page.locator("docent-widget .greeting").wait_for(state="attached")


def _ask(page: Page, _: Site) -> None:
    page.evaluate("Docent.ask('Returns?')")
    page.locator("docent-widget .turn:last-child .actions").wait_for()


def _reopen(page: Page, _: Site) -> None:
    _press(page)
    page.locator("docent-widget .answer .actions").nth(_TURNS - 1).wait_for(state="attached")


Act = Callable[[Page, Site], None]
SCENES: dict[str, tuple[Sequence[Act], Act]] = {
    "the page loads": ((), _goto),
    "the panel opens": ((_goto,), _open),
    "an answer of 600 words comes": ((_goto, _open), _ask),
    "a conversation of 40 turns opens": ((_goto,), _reopen),
}


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.widget_tasks", description=__doc__)
    parser.add_argument(
        "dist", nargs="*", type=Path, default=[built_widget()], help="folders of builds (default: this tree's)"
    )
    parser.add_argument("--runs", type=int, default=5, help="counted runs of each scene (default 5)")
    arguments = parser.parse_args(argv)
    found: dict[tuple[str, Path], list[Run]] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        # The first turn only warms up.
        for turn in range(arguments.runs + 1):
            for scene in SCENES:
                for dist in arguments.dist:
                    run = _run(browser, dist, scene)
                    if turn:
                        found.setdefault((scene, dist), []).append(run)
        browser.close()
    print("| scene | build | longest, ms of the processor | over 50 | longest, ms of the clock | over 50 |")
    print("|---|---|---|---|---|---|")
    for (scene, dist), runs in found.items():
        cpu, clock = median(run.longest_cpu_ms for run in runs), median(run.longest_ms for run in runs)
        counts = median(run.long_by_cpu for run in runs), median(run.long_tasks for run in runs)
        print(f"| {scene} | {dist} | {cpu:.0f} | {counts[0]:.0f} | {clock:.0f} | {counts[1]:.0f} |")


def _run(browser: Browser, dist: Path, scene: str) -> Run:
    api = ScriptedWidgetApi(files=dist, at_once=2 * _TURNS)
    written: list[Step] = [*tokens(ANSWER, size=6, pause_seconds=0.006), citations(*_SOURCES)]
    api.script["Returns?"] = [*written, done(next_questions=["What does it cost?"])]
    if SCENES[scene][1] is _reopen:
        api.messages = [message for turn in range(_TURNS) for message in _said(turn)]
    port, stop = serve(api.app())
    site = Site(api, port)
    context = browser.new_context(viewport={"width": 1180, "height": 760})
    try:
        page = context.new_page()
        before, act = SCENES[scene]
        page.add_init_script(_OBSERVED)
        for each in before:
            each(page, site)
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": _SLOWER})
        if before:
            page.evaluate("window.tasks = []")
        browser.start_tracing(page=page, categories=["toplevel"])
        act(page, site)
        page.wait_for_timeout(300)  # for what comes after it
        cpu = _processor_ms(browser.stop_tracing())
        seen = page.evaluate("window.tasks")
        return Run(max(cpu), sum(each > _LONG_MS for each in cpu), max(seen, default=0), len(seen))
    finally:
        context.close()
        stop()


def _said(turn: int) -> list[dict[str, object]]:
    text = ANSWER if turn % 8 == 0 else _PARAGRAPH * 4 + ("", _TABLE, _CODE, "")[turn % 4]
    told: dict[str, object] = {"turn_id": f"t{turn}", "created_at": "2026-01-01T00:00:00Z"}
    asked = {**told, "id": f"q{turn}", "role": "visitor", "text": f"Question {turn}?"}
    return [asked, {**told, "id": f"a{turn}", "role": "agent", "text": text, "citations": _SOURCES}]


def _processor_ms(trace: bytes) -> list[float]:
    """Of each task of a page's main thread."""
    events = json.loads(trace)["traceEvents"]
    named = (event for event in events if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain")
    mains = {(event["pid"], event["tid"]) for event in named}
    tasks = [
        event
        for event in events
        if event["name"].endswith("RunTask") and event["ph"] == "X" and (event["pid"], event["tid"]) in mains
    ]
    outer: list[float] = []
    ends = 0.0
    for task in sorted(tasks, key=lambda task: (task["ts"], -task["dur"])):
        # One task is told of twice, by its queue and by what runs it.
        if task["ts"] >= ends:
            ends = task["ts"] + task["dur"]
            outer.append(task.get("tdur", 0) / 1000)
    return outer


if __name__ == "__main__":
    main()
