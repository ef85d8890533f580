"""`python -m bench.widget`: weight, and time from tag to launcher, of our widget beside public ones."""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, sync_playwright

from bench.widget_pages import CONTENDERS, Contender, fetch_missing, served, slug, zipped_files

_PACKAGES = Path(".venv/bench-widgets")
_CHROMIUM = "/usr/bin/chromium"
# What a widget asks of other hosts is refused at once, and so costs nothing.
_ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
_SLOWER = 4  # times, as a phone of the middle class is to a desktop
_LOADS = 9
_GIVE_UP_MS = 60_000


@dataclass(frozen=True, slots=True)
class Load:
    """`asked` are the paths that the page had asked the server for when its launcher stood."""

    took_ms: float
    asked: frozenset[str]


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _arguments(argv)
    fetch_missing(_PACKAGES)
    files = zipped_files(_PACKAGES)
    loads: dict[str, list[Load]] = {contender.name: [] for contender in CONTENDERS}
    with served(files) as origin, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=_ARGUMENTS)
        # They take turns, so that all feel the same load of the machine; the first turn only warms up.
        for turn in range(arguments.loads + 1):
            for contender in CONTENDERS:
                load = _load(browser, origin, slug(contender))
                if turn:
                    loads[contender.name].append(load)
        version = browser.version
        browser.close()
    weights = {path: len(body) for path, (_, body) in files.items()}
    rows = [_row(contender, loads[contender.name], weights) for contender in CONTENDERS]
    if arguments.json:
        print(json.dumps({"chromium": version, "loads": arguments.loads, "widgets": rows}))
        return
    print(f"Chromium {version}, CPU {_SLOWER} x slower, median of {arguments.loads} loads\n")
    print(
        "| widget | version | bytes gzipped | tag to launcher, ms | slowest, ms | stops at |\n|---|---|---|---|---|---|"
    )
    for row in rows:
        print("| " + " | ".join(f"{value:,}" if isinstance(value, int) else value for value in row.values()) + " |")


def _load(browser: Browser, origin: str, name: str) -> Load:
    """One load with nothing cached."""
    context = browser.new_context(viewport={"width": 1180, "height": 760})
    try:
        page = context.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url.removeprefix(origin)))
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": _SLOWER})
        page.goto(f"{origin}/{name}", wait_until="commit")
        page.wait_for_function("window.shownAt", timeout=_GIVE_UP_MS)
        return Load(float(page.evaluate("shownAt - tagAt")), frozenset(asked))
    finally:
        context.close()


def _row(contender: Contender, loads: Sequence[Load], weights: Mapping[str, int]) -> dict[str, str | int]:
    asked = frozenset[str]().union(*(load.asked for load in loads))
    times_ms = [load.took_ms for load in loads]
    return {
        "widget": contender.name,
        "version": contender.package.rpartition("@")[2] or "this tree",
        "bytes_gzipped": sum(weights.get(path, 0) for path in asked),
        "tag_to_launcher_ms": round(median(times_ms)),
        "slowest_ms": round(max(times_ms)),
        "stops_at": contender.shows,
    }


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.widget", description=__doc__)
    parser.add_argument("--loads", type=int, default=_LOADS, help="counted loads of each page (default 9)")
    parser.add_argument("--json", action="store_true", help="one object on one line")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()
