"""What an operation is, is read from its handler."""

import pytest
from starlette.responses import Response

from app.web.access import everyone, read
from app.web.endpoint import Api, Call, get, post, put
from app.web.model import Model, Multipart


class NameIn(Model):
    name: str


class PictureIn(Multipart):
    name: str


class GreetingOut(Model):
    text: str


class Greetings(Api):
    tag = "Greetings"

    def __init__(self, word: str) -> None:
        self._word = word

    @post("/greetings", "Greet", access=everyone, status=201, codes=("not_found",))
    async def make_greeting(self, call: Call[None, NameIn]) -> GreetingOut:
        return GreetingOut(text=f"{self._word}, {call.input.name}")

    @get("/greetings/{greeting_id}", "One greeting", access=everyone)
    async def get_one_greeting(self, call: Call[None, None]) -> Response:
        return Response(self._word)

    @put("/greetings/picture", "A picture", access=everyone)
    async def put_picture(self, call: Call[None, PictureIn]) -> None: ...

    async def helper(self) -> None: ...


def test_marked_methods_are_the_operations_in_their_order() -> None:
    operations = [(each.method, each.path, each.operation, each.tag) for each in Greetings("Hello").endpoints()]
    assert operations == [
        ("POST", "/greetings", "makeGreeting", "Greetings"),
        ("GET", "/greetings/{greeting_id}", "getOneGreeting", "Greetings"),
        ("PUT", "/greetings/picture", "putPicture", "Greetings"),
    ]


def test_bodies_and_responses_are_read_from_the_annotations() -> None:
    made, one, picture = Greetings("Hello").endpoints()
    assert (made.input_model, made.form_model, made.response_model) == (NameIn, None, GreetingOut)
    assert (one.input_model, one.form_model, one.response_model) == (None, None, None)
    assert (picture.input_model, picture.form_model, picture.response_model) == (None, PictureIn, None)


def test_a_handler_that_does_not_say_what_it_takes_is_refused_when_it_is_declared() -> None:
    with pytest.raises((KeyError, ValueError)):

        class _Silent(Api):
            @get("/silent", "Nothing", access=read)
            async def get_silence(self, call):  # type: ignore[no-untyped-def]
                return None
