"""Files come in as multipart forms: what is right is kept, what is wrong is refused in the API's own words."""

from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, cast
from uuid import uuid4

import anyio
import httpx2
import pytest
from starlette.requests import ClientDisconnect, Request

from app.past_questions.past_imports import PastImports
from app.sources.files.api import FileReplacement
from app.sources.files.source_files import SourceFiles, UploadPlaces
from app.web.access import Admission, everyone
from app.web.endpoint import Call, Endpoint
from app.web.request_body import FORM_BYTES
from tests.web.house import MAX_FILE_BYTES, House

FILE = ("C:\\Manuals\\manual.txt", b"The manual\nPress the green button.")


async def upload(house: House, *, data: dict[str, str] | None = None, file: Any = FILE, **more: Any) -> httpx2.Response:
    return await house.http.post(
        f"/v1/agents/{house.agent.id}/files",
        headers={"Authorization": f"Bearer {house.write}"},
        **{"data": data or {}, "files": {"file": file} if file else {}, **more},
    )


def refusal(response: httpx2.Response) -> tuple[int, str, str | None]:
    error = response.json()["error"]
    return response.status_code, error["code"], error.get("field")


async def test_an_uploaded_file_is_a_source(house: House) -> None:
    response = await upload(house, data={"url": "https://www.example.com/manual"})
    assert response.status_code == 201
    stored = response.json()
    assert (stored["name"], stored["file_name"], stored["format"]) == ("manual.txt", "manual.txt", "text")
    assert (stored["url"], stored["size_bytes"]) == ("https://www.example.com/manual", len(FILE[1]))
    source = (await house.api("GET", f"/v1/sources/{stored['source_id']}")).json()
    assert (source["kind"], source["name"], source["run"]) == ("file", "manual.txt", None)
    assert (await house.api("GET", f"/v1/sources/{stored['source_id']}/file")).json() == stored


async def test_another_file_takes_its_place_and_its_name(house: House) -> None:
    first = (await upload(house)).json()
    path = f"/v1/sources/{first['source_id']}/file"
    headers = {"Authorization": f"Bearer {house.write}"}
    response = await house.http.post(path, headers=headers, files={"file": ("v2.md", b"The manual\nPress it.")})
    second = response.json()
    assert (second["name"], second["format"]) == ("v2.md", "markdown")
    assert second["digest"] != first["digest"]
    assert (await house.api("GET", path)).json() == second


async def test_a_name_that_was_given_outlives_the_file(house: House) -> None:
    first = (await upload(house, data={"name": "Manual of the One"})).json()
    path = f"/v1/sources/{first['source_id']}/file"
    headers = {"Authorization": f"Bearer {house.write}"}
    response = await house.http.post(path, headers=headers, files={"file": ("v2.txt", b"The manual\nPress it.")})
    assert response.json()["name"] == "Manual of the One"


async def test_a_file_that_cannot_be_read_is_not_kept(house: House) -> None:
    response = await upload(house, file=("manual.txt", b"broken"))
    assert refusal(response) == (422, "invalid_request", "file")
    assert response.json()["error"]["message"] == "file: The file is broken. Save it again."
    assert (await house.api("GET", f"/v1/agents/{house.agent.id}/sources")).json()["items"] == []


async def test_a_file_that_is_too_large_is_refused_with_the_limit(house: House) -> None:
    response = await upload(house, file=("a.txt", b"x" * (MAX_FILE_BYTES + 1)))
    assert refusal(response) == (413, "too_large", None)
    assert str(MAX_FILE_BYTES) in response.json()["error"]["message"]


async def test_a_body_that_hides_its_length_is_refused_as_soon_as_it_is_too_large(house: House) -> None:
    async def parts() -> AsyncIterator[bytes]:
        for _ in range((MAX_FILE_BYTES + FORM_BYTES) // 4096 + 2):
            yield b" " * 4096

    response = await house.http.post(
        f"/v1/agents/{house.agent.id}/files",
        headers={
            "Authorization": f"Bearer {house.write}",
            "Content-Type": "multipart/form-data; boundary=x",
        },
        content=parts(),
    )
    assert refusal(response) == (413, "too_large", None)


@pytest.mark.parametrize(
    ("data", "file", "field"),
    [
        ({}, None, "file"),
        ({"colour": "red"}, FILE, "colour"),
        ({"url": "not an address"}, FILE, "url"),
        ({"name": "x" * 201}, FILE, "name"),
        ({"name": "two\nlines"}, FILE, "name"),
        ({"name": "a\x00b"}, FILE, "name"),
        ({}, ("x" * 201 + ".txt", b"Hello."), "file"),
        ({}, ("folder/", b"Hello."), "file"),
    ],
    ids=["no file", "unknown", "no address", "too long", "two lines", "NUL", "long file name", "no file name"],
)
async def test_a_wrong_field_is_named(house: House, data: dict[str, str], file: Any, field: str) -> None:
    form = {"files": {"file": file}} if file else {"files": {"other": (None, b"x")}}
    response = await upload(house, data=data, **form)
    status, code, named = refusal(response)
    assert (status, code) == (422, "invalid_request")
    assert named == field


async def test_a_field_that_stands_twice_is_refused(house: House) -> None:
    response = await upload(house, files=[("file", FILE), ("file", FILE)])
    assert refusal(response) == (422, "invalid_request", "file")


async def test_text_where_the_file_should_be_is_refused(house: House) -> None:
    response = await upload(house, files={"file": (None, b"Hello.")})
    assert refusal(response) == (422, "invalid_request", "file")


@pytest.mark.parametrize(
    ("content_type", "content", "expected"),
    [
        ("application/json", b"{}", (415, "unsupported_media_type", None)),
        ("text/plain", b"Hello.", (415, "unsupported_media_type", None)),
        ("multipart/form-data", b"Hello.", (400, "malformed_form", None)),
        ("multipart/form-data; boundary=x", b"Hello.", (400, "malformed_form", None)),
        ("multipart/form-data; boundary=x", b"--x\r\n\r\nHello.\r\n--x--", (400, "malformed_form", None)),
        ("multipart/form-data; boundary=x; charset=hex", b"--y", (400, "malformed_form", None)),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n' + b"y" * 20_000 + b"\r\n--x--",
            (400, "malformed_form", None),
        ),
    ],
    ids=["JSON", "text", "no boundary", "no part", "no name", "odd charset", "long field"],
)
async def test_what_is_no_form_is_refused(house: House, content_type: str, content: bytes, expected: Any) -> None:
    response = await house.http.post(
        f"/v1/agents/{house.agent.id}/files",
        headers={"Authorization": f"Bearer {house.write}", "Content-Type": content_type},
        content=content,
    )
    assert refusal(response) == expected


async def test_a_source_of_kind_file_is_not_made_without_one(house: House) -> None:
    body = {"kind": "file", "name": "manual.txt"}
    response = await house.api("POST", f"/v1/agents/{house.agent.id}/sources", body)
    assert refusal(response) == (422, "invalid_request", "kind")
    assert "/files" in response.json()["error"]["message"]


async def test_another_kind_of_source_has_no_file(house: House) -> None:
    body = {"kind": "text", "name": "Note", "text": "Hello."}
    source = (await house.api("POST", f"/v1/agents/{house.agent.id}/sources", body)).json()
    assert refusal(await house.api("GET", f"/v1/sources/{source['id']}/file")) == (404, "not_found", None)


async def test_a_third_upload_of_a_workspace_is_refused_before_it_is_read(house: House) -> None:
    files = house.parts.get(SourceFiles)

    async def body() -> AsyncIterator[bytes]:
        raise AssertionError("the body was read")
        yield b""

    with files.receiving(house.actor), files.receiving(house.actor):
        response = await house.http.post(
            f"/v1/agents/{house.agent.id}/files",
            headers={"Authorization": f"Bearer {house.write}", "Content-Type": "multipart/form-data; boundary=x"},
            content=body(),
        )
        assert refusal(response) == (503, "overloaded", None)
        assert "2 files of this workspace are being uploaded" in response.text
        assert response.headers["retry-after"]
        with files.receiving(replace(house.actor, workspace_id=uuid4())):
            pass
    assert (await upload(house)).status_code == 201


async def test_a_third_import_of_a_workspace_is_refused_as_well(house: House) -> None:
    imports = house.parts.get(PastImports)
    path, headers = f"/v1/agents/{house.agent.id}/past-conversations", {"Authorization": f"Bearer {house.write}"}
    body = {"kind": "csv", "file": "question\nCan I pay by invoice?\n"}
    with imports.receiving(house.actor), imports.receiving(house.actor):
        assert refusal(await house.http.post(path, json=body, headers=headers)) == (503, "overloaded", None)
    assert (await house.http.post(path, json=body, headers=headers)).status_code != 503


async def test_eight_uploads_are_received_at_once_in_all(house: House) -> None:
    files = house.parts.get(SourceFiles)
    with ExitStack() as held:
        for _ in range(8):
            held.enter_context(files.receiving(replace(house.actor, workspace_id=uuid4())))
        response = await upload(house)
        assert refusal(response) == (503, "overloaded", None)
        assert "8 files are being uploaded" in response.text
    assert (await upload(house)).status_code == 201


async def test_a_client_that_leaves_ends_the_check_of_its_file(house: House) -> None:
    """The check of this one never ends, and the client goes once it has begun."""
    begun, ended = anyio.Event(), anyio.Event()
    taken: list[bytes] = []

    async def check(call: Call[None, FileReplacement]) -> None:
        taken.append(call.input.file.body)
        begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()

    form = httpx2.Request("POST", "http://test/", files={"file": FILE})
    sent = [{"type": "http.request", "body": form.read(), "more_body": False}]

    async def receive() -> dict[str, Any]:
        if sent:
            return sent.pop()
        await begun.wait()
        return {"type": "http.disconnect"}

    headers = [(name.lower().encode(), value.encode()) for name, value in form.headers.items()]
    request = Request({"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": headers}, receive)
    places = UploadPlaces()
    endpoint: Endpoint[None, FileReplacement] = Endpoint(
        "POST",
        "/",
        "",
        everyone,
        check,
        "check",
        form_model=FileReplacement,
        holding=lambda caller: places.held(house.actor.workspace_id),
    )
    with anyio.fail_after(120), pytest.raises(ClientDisconnect):
        await endpoint.respond(request, cast(Admission, None))
    assert ended.is_set()
    assert taken == [FILE[1]]
    with places.held(house.actor.workspace_id), places.held(house.actor.workspace_id):
        pass  # its place is free again
