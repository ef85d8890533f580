"""The product is a core and its features: it runs without any, and with each of them alone."""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

import app
from app.bootstrap.application import APIS, endpoints_of, pages_of
from app.bootstrap.features import FEATURES
from app.feature import Feature, Features
from app.main import VERSION
from app.web.console.page import ConsolePage
from app.web.endpoint import AnyEndpoint
from tests.every_row import every_row
from tests.web.console.page_examples import OpenConsole, every_page, open_console
from tests.web.house import every_endpoint
from tests.web.test_every_route import call

_ROOT: Final = Path(app.__file__).parents[1]


@asynccontextmanager
async def with_features(folder: Path, *features: Feature) -> AsyncIterator[OpenConsole]:
    async with open_console(folder, {Features: Features(features)}) as console:
        yield console


def operations(console: OpenConsole) -> list[AnyEndpoint]:
    return endpoints_of(console.house.parts, VERSION)


async def faulty(console: OpenConsole, pages: Iterable[ConsolePage], calls: Iterable[AnyEndpoint]) -> Mapping[str, int]:
    """Those of the pages and look-ups that are not answered as they should be, with their statuses."""
    found = {}
    for page in pages:
        if page.method == "GET" and page.scope is not None and not page.is_stream:
            found[page.name] = (await console.admin.get(console.path(page))).status_code
    for endpoint in calls:
        if endpoint.method == "GET":
            found[endpoint.operation] = (await call(console.rooms, endpoint)).status_code
    return {name: status for name, status in found.items() if status != 200}


async def test_the_core_shows_its_pages_and_answers_its_calls_without_a_feature(tmp_path: Path) -> None:
    async with with_features(tmp_path) as console:
        calls = operations(console)
        assert await faulty(console, pages_of(console.house.parts).values(), calls) == {}
        assert {each.operation for each in calls} < {each.operation for each in every_endpoint()}


@every_row("feature", FEATURES, ids=lambda feature: feature.name)
async def test_a_feature_runs_without_the_others(feature: Feature, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What it changes nothing of is opened once, in the test above: the core's pages and calls."""
    async with with_features(tmp_path_factory.mktemp(feature.name), feature) as console:
        parts, edge = console.house.parts, feature.edge()
        pages, calls = pages_of(parts), {each.operation: each for each in operations(console)}
        own_pages = [pages[page.name] for kind in edge.pages for page in parts.get(kind).pages()]
        own_calls = [calls[each.operation] for kind in edge.apis for each in parts.get(kind).endpoints()]
        if feature.fills():
            own_pages, own_calls = [*pages.values()], [*calls.values()]
        assert await faulty(console, own_pages, [*own_calls, calls["getOpenApi"]]) == {}
        others = [page for page in every_page() if page.method == "GET" and page.name not in pages]
        statuses = {page.name: (await console.admin.get(console.path(page))).status_code for page in others}
        assert set(statuses.values()) == {404}, statuses
        known = {each.path for each in calls.values()}
        absent = [each for each in every_endpoint() if each.method == "GET" and each.path not in known]
        answered = {each.operation: (await call(console.rooms, each)).status_code for each in absent}
        assert set(answered.values()) == {404}, answered


def test_a_feature_says_after_which_calls_of_the_core_its_own_are_documented() -> None:
    anchors = {after for feature in FEATURES for after in feature.edge().apis.values() if after is not None}
    assert anchors <= set(APIS)


def test_no_two_features_have_one_name() -> None:
    assert len({feature.name for feature in FEATURES}) == len(FEATURES)
