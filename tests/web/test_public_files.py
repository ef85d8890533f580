"""A file is opened by its operators, and by visitors only where an operator has said so."""

import pytest

from app.core.source_file import Upload
from app.sources.files.source_files import SourceFiles
from tests.web.house import House

PAGE = b"<!doctype html><title>M</title><p>The manual</p><script>alert(document.domain)</script>"
NAME = 'Handbuch "\u00fc" X: y.html'


@pytest.fixture
async def source(house: House) -> str:
    stored = await house.parts.get(SourceFiles).add(house.actor, house.agent.id, Upload(NAME, PAGE))
    return str(stored.source.id)


async def make_public(house: House, source: str, is_public: bool, **more: object) -> str:
    """The address that its citations lead to then."""
    response = await house.api("PATCH", f"/v1/sources/{source}", {"is_public": is_public, **more})
    assert response.status_code == 200, response.text
    return str(response.json()["url"])


async def test_a_file_is_private_until_an_operator_says_otherwise(house: House, source: str) -> None:
    assert (await house.http.get(f"/v1/files/{source}")).status_code == 404
    address = await make_public(house, source, True)
    assert address.endswith(f"/v1/files/{source}")
    assert (await house.http.get(address)).content == PAGE
    assert await make_public(house, source, False) == ""
    assert (await house.http.get(address)).status_code == 404


async def test_a_visitors_token_opens_no_private_file(house: House, source: str) -> None:
    visitor = await house.visitor()
    for path in (f"/v1/files/{source}", f"/v1/sources/{source}/file/content"):
        assert (await house.http.get(path, headers=visitor.headers)).status_code in (401, 404)


async def test_what_is_in_a_file_runs_nowhere(house: House, source: str) -> None:
    headers = (await house.http.get(await make_public(house, source, True))).headers
    assert headers["content-disposition"].startswith('attachment; filename="')
    assert headers["content-disposition"].endswith("filename*=UTF-8''Handbuch%20%22%C3%BC%22%20X%3A%20y.html")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert headers["x-frame-options"] == "DENY"


async def test_an_operator_reads_a_private_file(house: House, source: str) -> None:
    response = await house.api("GET", f"/v1/sources/{source}/file/content")
    assert (response.status_code, response.content) == (200, PAGE)
    assert (await house.http.get(f"/v1/sources/{source}/file/content")).status_code == 401


async def test_another_workspace_opens_no_private_file_and_makes_none_public(house: House, source: str) -> None:
    foreign = {"Authorization": f"Bearer {house.foreign}"}
    assert (await house.http.get(f"/v1/sources/{source}/file/content", headers=foreign)).status_code == 404
    path = f"/v1/sources/{source}"
    assert (await house.http.patch(path, headers=foreign, json={"is_public": True})).status_code == 404
    assert (await house.http.get(f"/v1/files/{source}")).status_code == 404


async def test_an_address_of_the_operators_own_is_kept(house: House, source: str) -> None:
    own = "https://www.example.com/manual"
    assert await make_public(house, source, True, url=own) == own
    assert await make_public(house, source, False) == own


async def test_only_a_file_can_be_public(house: House) -> None:
    given = {"kind": "text", "name": "Note", "text": "Hello."}
    note = (await house.api("POST", f"/v1/agents/{house.agent.id}/sources", given)).json()
    response = await house.api("PATCH", f"/v1/sources/{note['id']}", {"is_public": True})
    assert (response.status_code, response.json()["error"]["field"]) == (422, "is_public")
