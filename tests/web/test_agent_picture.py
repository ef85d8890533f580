"""The picture of an agent: uploaded, published with the settings, served to any website, and nothing else served so."""

from dataclasses import replace
from io import BytesIO
from typing import Any

import httpx2
import pytest
from PIL import Image

from app.agents.agents import MAX_UPLOAD_BYTES, Agents
from tests.doubles.sample_files import picture_file
from tests.web.house import House


async def upload(house: House, body: bytes, name: str = "logo.png") -> httpx2.Response:
    return await house.http.post(
        f"/v1/agents/{house.agent.id}/picture",
        headers={"Authorization": f"Bearer {house.write}"},
        files={"file": (name, body)},
    )


async def shown(house: House) -> str | None:
    """What visitors are told of."""
    found: str | None = (await house.init())["agent"]["theme"]["picture"]
    return found


async def served(house: House, fingerprint: str | None) -> httpx2.Response:
    return await house.http.get(f"/widget/pictures/{house.agent.id}/{fingerprint}.webp")


async def test_visitors_get_it_once_it_is_published_from_any_website(house: House) -> None:
    response = await upload(house, picture_file())
    assert response.status_code == 200
    assert await shown(house) is None
    await house.parts.get(Agents).publish(house.actor, house.agent.id)
    answer = await served(house, await shown(house))
    assert answer.status_code == 200
    assert Image.open(BytesIO(answer.content)).format == "WEBP"
    assert {
        name: answer.headers[name] for name in ("content-type", "access-control-allow-origin", "cache-control")
    } == {
        "content-type": "image/webp",
        "access-control-allow-origin": "*",
        "cache-control": "public, max-age=31536000, immutable",
    }
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]


async def test_one_that_was_replaced_or_taken_away_is_served_no_longer(house: House) -> None:
    agents = house.parts.get(Agents)
    await upload(house, picture_file())
    await agents.publish(house.actor, house.agent.id)
    first = await shown(house)
    await upload(house, picture_file(color="#aa2200"))
    assert (await served(house, first)).status_code == 200
    await agents.publish(house.actor, house.agent.id)
    second = await shown(house)
    assert second not in (None, first)
    assert [(await served(house, each)).status_code for each in (first, second)] == [404, 200]
    patch = await house.api("PATCH", f"/v1/agents/{house.agent.id}", {"theme": {"picture": None}})
    assert patch.json()["draft"]["theme"]["picture"] is None
    await agents.publish(house.actor, house.agent.id)
    assert await shown(house) is None
    assert (await served(house, second)).status_code == 404


@pytest.mark.parametrize(
    "body",
    [b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"", picture_file("GIF")],
    ids=["SVG", "nothing", "GIF"],
)
async def test_what_it_is_is_told_by_its_bytes_and_not_by_its_name(house: House, body: bytes) -> None:
    response = await upload(house, body, "logo.png")
    error = response.json()["error"]
    assert (response.status_code, error["code"], error.get("field")) == (422, "invalid_request", "file")


async def test_it_is_bounded(house: House) -> None:
    assert (await upload(house, b"x" * (MAX_UPLOAD_BYTES + 100_000))).status_code == 413


@pytest.mark.parametrize(
    "text", ["PHN2Zz4=", "not base64!", "A" * 50_000], ids=["another kind of file", "no base64", "too long"]
)
async def test_settings_take_only_what_an_upload_has_made(house: House, text: str) -> None:
    response = await house.api("PATCH", f"/v1/agents/{house.agent.id}", {"theme": {"picture": text}})
    assert response.status_code == 422
    assert "picture" in response.json()["error"]["field"]


async def test_an_agents_file_carries_it(house: House) -> None:
    made: dict[str, Any] = (await upload(house, picture_file())).json()["draft"]["theme"]
    agents = house.parts.get(Agents)
    exported = (await house.api("GET", f"/v1/agents/{house.agent.id}/file")).json()
    await agents.change_draft(house.actor, house.agent.id, lambda c: replace(c, theme=replace(c.theme, picture=None)))
    applied = await house.api("POST", f"/v1/agents/{house.agent.id}/file", {"file": exported})
    assert applied.status_code == 200, applied.text
    draft = (await agents.agent(house.actor, house.agent.id)).draft
    assert draft.theme.picture == made["picture"]
