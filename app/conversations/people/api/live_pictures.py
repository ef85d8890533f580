"""Pictures of live chats: visitors see those of their own conversation, operators those of their workspace."""

from typing import Any
from uuid import UUID

from pydantic import Base64Bytes, ConfigDict, Field
from starlette.responses import Response

from app.conversations.people.api.live_chats import TAKEN, AdminLiveChats, LiveChatOut
from app.conversations.people.api.widget_person import EXAMPLE_ID, PersonOut, WidgetPerson
from app.conversations.people.live_pictures import MAX_UPLOAD_BYTES, LivePictures
from app.core.actor import Actor
from app.providers.pictures.pillow_picture import MEDIA_TYPE
from app.web.limits_policy import LimitsPolicy, VisitorLimits
from app.web.operation import Api, Call, Model, VisitorCaller, get, post, read, visitor, write

_MAX_BYTES = MAX_UPLOAD_BYTES * 4 // 3 + 4096  # in Base64, with the JSON around it
_NUMBERS = {"number": "[1-9][0-9]{0,8}"}
_EXAMPLE_GIF = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


class PersonPictureIn(Model):
    model_config = ConfigDict(json_schema_extra={"examples": [{"message_id": EXAMPLE_ID, "picture": _EXAMPLE_GIF}]})

    message_id: UUID = Field(description="Made by the client: sending it again changes nothing.")
    picture: Base64Bytes = Field(
        description="PNG, JPEG, WebP or GIF in Base64, told by its bytes; at most 5 MB and 16 megapixels."
    )


class WidgetPictures(Api):
    tag = WidgetPerson.tag

    def __init__(self, pictures: LivePictures, limits: LimitsPolicy, counting: VisitorLimits) -> None:
        self._pictures = pictures
        self._limits = limits
        self._counting = counting

    @post(
        "/v1/widget/person/pictures",
        "Send a picture to the person, if the agent accepts pictures",
        access=visitor,
        max_body_bytes=_MAX_BYTES,
        codes=("not_found", "no_active_chat"),
    )
    async def send_own_picture(self, call: Call[VisitorCaller, PersonPictureIn]) -> PersonOut:
        """Counts against the same limit as messages."""
        session, given = call.caller.session, call.input
        await self._counting.count(
            call.request,
            session.visitor_id,
            "person",
            per_address=self._limits.questions_per_address,
            per_visitor=self._limits.questions_per_visitor,
        )
        return PersonOut.of(await self._pictures.send_own(session, given.message_id, given.picture))

    @get(
        "/v1/widget/person/pictures/{number}",
        "Get the picture of a message of this conversation",
        access=visitor,
        codes=("not_found",),
        response_media_type=MEDIA_TYPE,
        path_patterns=_NUMBERS,
    )
    async def get_own_picture(self, call: Call[VisitorCaller, None]) -> Response:
        return picture_response(await self._pictures.own(call.caller.session, message_number(call)))


class AdminLivePictures(Api):
    tag = AdminLiveChats.tag

    def __init__(self, pictures: LivePictures) -> None:
        self._pictures = pictures

    @post(
        "/v1/conversations/{conversation_id}/live-chat/pictures",
        "Send the visitor a picture, if the agent accepts pictures",
        access=write,
        max_body_bytes=_MAX_BYTES,
        codes=TAKEN,
    )
    async def send_picture(self, call: Call[Actor, PersonPictureIn]) -> LiveChatOut:
        given = call.input
        conversation_id = call.path_id("conversation_id")
        return LiveChatOut.of(await self._pictures.send(call.caller, conversation_id, given.message_id, given.picture))

    @get(
        "/v1/conversations/{conversation_id}/live-chat/pictures/{number}",
        "Get the picture of a message of the live chat",
        access=read,
        response_media_type=MEDIA_TYPE,
        path_patterns=_NUMBERS,
    )
    async def get_picture(self, call: Call[Actor, None]) -> Response:
        found = await self._pictures.of_conversation(call.caller, call.path_id("conversation_id"), message_number(call))
        return picture_response(found)


def message_number(call: Call[Any, Any]) -> int:
    return int(call.request.path_params["number"])


def picture_response(body: bytes) -> Response:
    """Not cached, because it is erased with the conversation."""
    headers = {
        "Cache-Control": "no-store",
        "Content-Disposition": 'attachment; filename="picture.webp"',
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    }
    return Response(body, media_type=MEDIA_TYPE, headers=headers)
