"""Some pages of a source read now, over the API."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.core.list_page import PageRequest
from app.sources import kinds
from app.sources.source import SourceConfig
from app.sources.sources import Sources
from tests.web.house import House, Json, open_house


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(tmp_path) as built:
        yield built


async def a_source(house: House, config: SourceConfig) -> str:
    return f"/v1/sources/{(await house.parts.get(Sources).create(house.actor, house.agent.id, config)).id}"


SITE = SourceConfig(kinds.SITE, "Docs", url="https://www.example.com/docs")


async def test_the_named_pages_wait_to_be_read_and_no_others(house: House) -> None:
    path = await a_source(house, SITE)
    asked = ["https://www.example.com/docs/b?utm_source=x", "https://www.example.com/docs/a#top"]

    answer = await house.api("POST", f"{path}/sync", {"urls": asked})

    assert answer.status_code == 202
    run = answer.json()
    assert (run["state"], run["only_asked"], run["counts"]) == ("queued", True, {"queued": 2})
    assert [str(run_id) for _, run_id in house.jobs.crawls] == [run["id"]]
    pages = (await house.api("GET", f"{path}/pages")).json()["items"]
    assert [page["url"] for page in pages] == ["https://www.example.com/docs/b", "https://www.example.com/docs/a"]


async def test_without_a_body_the_whole_source_is_read(house: House) -> None:
    path = await a_source(house, SITE)
    await house.api("POST", f"{path}/sync", {"urls": ["https://www.example.com/docs/a"]})

    for body in (None, {}, {"urls": None}):
        run = (await house.api("POST", f"{path}/sync", body)).json()
        assert not run["only_asked"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"urls": []}, "urls"),
        ({"urls": ["https://www.example.com/docs/a", "https://www.example.com/shop"]}, "urls.1"),
        ({"urls": ["https://elsewhere.example/docs/a"]}, "urls.0"),
        ({"urls": [f"https://www.example.com/docs/{n}" for n in range(501)]}, "urls"),
    ],
    ids=["none", "another folder", "another host", "too many"],
)
async def test_what_is_not_of_the_source_is_refused_whole(house: House, body: Json, field: str) -> None:
    path = await a_source(house, SITE)
    answer = await house.api("POST", f"{path}/sync", body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, field)
    assert house.jobs.crawls == []
    source = (await house.parts.get(Sources).sources(house.actor, house.agent.id, PageRequest())).items[0]
    assert source.run is None


async def test_a_text_has_no_pages_to_read(house: House) -> None:
    path = await a_source(house, SourceConfig(kinds.TEXT, "Note", text="Hello."))
    answer = await house.api("POST", f"{path}/sync", {"urls": ["https://www.example.com/"]})
    assert answer.status_code == 422
