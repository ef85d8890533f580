"""Pictures in a live chat: drawn anew, for nobody but its visitor and its operators, and gone with the conversation."""

from base64 import b64encode
from dataclasses import replace
from io import BytesIO
from uuid import UUID, uuid4

import httpx2
import pytest
from PIL import Image

from app.agents.agents import Agents
from app.conversations.live_chat import MAX_PICTURES
from app.live_chat.live_chats import LiveChats
from app.live_chat.live_pictures import MAX_UPLOAD_BYTES
from tests.doubles.sample_files import picture_file
from tests.web.house import House, Json, VisitorHttp


async def switch(house: House, *, live_pictures: bool) -> None:
    agents = house.parts.get(Agents)
    await agents.change_draft(
        house.actor, house.agent.id, lambda draft: replace(draft, live_chat=True, live_pictures=live_pictures)
    )
    await agents.publish(house.actor, house.agent.id)


async def who_talks(house: House) -> VisitorHttp:
    """A visitor who talks with an operator."""
    visitor = await house.visitor()
    await visitor.call("POST", "/person")
    await house.parts.get(LiveChats).take_over(house.actor, conversation(visitor))
    return visitor


@pytest.fixture
async def visitor(house: House) -> VisitorHttp:
    await switch(house, live_pictures=True)
    return await who_talks(house)


def conversation(visitor: VisitorHttp) -> UUID:
    return UUID(visitor.session["conversation_id"])


def sent(body: bytes) -> Json:
    return {"message_id": str(uuid4()), "picture": b64encode(body).decode("ascii")}


async def send(visitor: VisitorHttp, body: bytes) -> httpx2.Response:
    return await visitor.call("POST", "/person/pictures", sent(body))


async def test_both_sides_send_and_see_them(house: House, visitor: VisitorHttp) -> None:
    told = (await send(visitor, picture_file(size=(3200, 1600)))).json()
    [message] = told["messages"]
    assert (message["text"], message["picture"]) == ("[Picture]", {"width": 1600, "height": 800})
    here = f"/v1/conversations/{conversation(visitor)}/live-chat"
    await house.api("POST", f"{here}/take")
    theirs = await house.api("GET", f"{here}/pictures/1")
    own = await visitor.call("GET", "/person/pictures/1")
    for answer in (theirs, own):
        assert (answer.status_code, answer.headers["content-type"]) == (200, "image/webp")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "sandbox" in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"
        shown = Image.open(BytesIO(answer.content))
        assert (shown.format, shown.size) == ("WEBP", (1600, 800))
    await house.parts.get(LiveChats).hand_back(house.actor, conversation(visitor))
    await visitor.call("POST", "/person")
    await house.api("POST", f"{here}/take")
    replied = await house.api("POST", f"{here}/pictures", sent(picture_file()))
    assert [each["author"] for each in replied.json()["messages"]] == ["visitor", "operator"]
    assert (await visitor.call("GET", "/person/pictures/2")).status_code == 200


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF"])
async def test_four_kinds_are_taken_and_nothing_that_the_file_says_is_kept(visitor: VisitorHttp, form: str) -> None:
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    body = picture_file(form, exif=exif) if form != "GIF" else picture_file(form, comment=b"taken at home")
    assert (await send(visitor, body)).status_code == 200
    assert b"taken at home" not in (await visitor.call("GET", "/person/pictures/1")).content


async def test_the_same_message_twice_is_one(visitor: VisitorHttp) -> None:
    body = sent(picture_file())
    for _ in range(2):
        told = (await visitor.call("POST", "/person/pictures", body)).json()
    assert len(told["messages"]) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        picture_file("BMP"),
        picture_file()[:60],
        picture_file(size=(4001, 4001)),
    ],
    ids=["nothing", "SVG", "BMP", "half a PNG", "too many pixels"],
)
async def test_what_is_no_picture_or_too_many_pixels_is_refused(visitor: VisitorHttp, body: bytes) -> None:
    refused = await send(visitor, body)
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "picture")


async def test_it_is_bounded_by_bytes_and_by_number(visitor: VisitorHttp) -> None:
    assert (await send(visitor, b"x" * (MAX_UPLOAD_BYTES + 1))).status_code == 422
    assert (await send(visitor, b"x" * (MAX_UPLOAD_BYTES + 1_000_000))).status_code == 413
    for _ in range(MAX_PICTURES):
        assert (await send(visitor, picture_file())).status_code == 200
    refused = await send(visitor, picture_file())
    assert f"at most {MAX_PICTURES} pictures" in refused.json()["error"]["message"]


async def test_it_is_off_until_an_agent_takes_them(house: House) -> None:
    await switch(house, live_pictures=False)
    visitor = await who_talks(house)
    assert visitor.session["agent"]["live_pictures"] is False
    refused = await send(visitor, picture_file())
    assert (refused.status_code, "live_pictures" in refused.json()["error"]["message"]) == (422, True)


async def test_it_is_taken_while_a_person_is_there_alone(house: House, visitor: VisitorHttp) -> None:
    assert visitor.session["agent"]["live_pictures"] is True
    await visitor.call("POST", "/person/end")
    refused = await send(visitor, picture_file())
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "no_active_chat")


async def test_nobody_else_sees_it(house: House, visitor: VisitorHttp) -> None:
    """Numbers may be guessed; a conversation is the token's, or the workspace's."""
    await send(visitor, picture_file())
    other = await who_talks(house)
    assert (await other.call("GET", "/person/pictures/1")).status_code == 404
    here = f"/v1/conversations/{conversation(visitor)}/live-chat/pictures/1"
    assert (await house.http.get(here)).status_code == 401
    assert (await house.http.get("/v1/widget/person/pictures/1")).status_code == 401
    assert (await house.api("GET", here.replace("/1", "/2"))).status_code == 404


async def test_an_export_holds_it_and_an_erasure_takes_it(house: House, visitor: VisitorHttp) -> None:
    await send(visitor, picture_file())
    shown = (await visitor.call("GET", "/person/pictures/1")).content
    [exported] = (await visitor.call("GET", "/me/export")).json()["conversations"]
    assert [each["picture"] for each in exported["live_messages"]] == [b64encode(shown).decode("ascii")]
    assert await pictures(house) == 1
    assert (await visitor.call("DELETE", "/me")).json()["rows"]["live_messages"] == 1
    assert await pictures(house) == 0


async def pictures(house: House) -> int:
    return int(
        await house.record.read(
            lambda tx: tx.connection.exec_driver_sql("select count(*) from live_pictures").scalar_one()
        )
    )
