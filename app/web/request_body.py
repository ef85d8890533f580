"""Reads request bodies (JSON and forms) within limits, and cancels work whose client has left."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Annotated, Any, TypeVar

from pydantic import GetCoreSchemaHandler, WithJsonSchema
from pydantic_core import core_schema
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from app.core.errors import InvalidInput
from app.core.source_file import Upload
from app.kit.tasks import Interrupted, unless
from app.web.errors import Refusal

MAX_DEPTH = 32


async def read_body(request: Request, max_bytes: int) -> bytes:
    """The whole body. Raises Refusal (too_large) as soon as it is known to exceed the limit.

    Starlette's own limit responds with plain text; this one with our error format.
    """
    refuse_declared_length(request, max_bytes)
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > max_bytes:
            raise _too_large(max_bytes)
    return bytes(body)


def refuse_declared_length(request: Request, max_bytes: int) -> None:
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:19]) > max_bytes:
        raise _too_large(max_bytes)


def json_object(body: bytes) -> dict[str, Any]:
    """The JSON object in a body whose signature is valid; {} if it is no JSON object."""
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return payload if isinstance(payload, dict) else {}


def check_json(request: Request, body: bytes) -> None:
    """Raises Refusal for invalid JSON and for another media type, InvalidInput for deep nesting and invalid characters.

    Unlike pydantic's parser, it rejects duplicate keys, NUL and lone surrogates everywhere.
    """
    _check_media_type(request.headers.get("content-type", ""))
    if not body.strip():
        raise Refusal("malformed_json", "The body is empty. Send a JSON object.")
    try:
        value = json.loads(
            body.decode("utf-8"),
            object_pairs_hook=unique_keys,
            parse_constant=_refuse_constant,
        )
    except (ValueError, RecursionError) as error:
        detail = f" ({error})" if isinstance(error, json.JSONDecodeError) else ""
        raise Refusal("malformed_json", f"The body is not valid JSON in UTF-8{detail}. Check it.") from None
    check_values(value)


def _check_media_type(content_type: str) -> None:
    media_type, *parameters = (part.strip().lower() for part in content_type.split(";"))
    charsets = [p.partition("=")[2].strip('"') for p in parameters if p.startswith("charset=")]
    if media_type not in ("", "application/json") or any(c not in ("utf-8", "utf8") for c in charsets):
        raise Refusal("unsupported_media_type", 'Send JSON in UTF-8 with "Content-Type: application/json".')


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A hook for `json.loads` that raises ValueError for duplicate keys, which parsers read differently."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is repeated")
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def check_values(value: Any) -> None:
    """Raises InvalidInput for a JSON value that is nested too deeply or contains NUL or lone surrogates."""
    waiting: list[tuple[str, int, Any]] = [("", 1, value)]
    while waiting:
        path, depth, item = waiting.pop()
        if depth > MAX_DEPTH:
            raise InvalidInput("", f"The body is nested deeper than {MAX_DEPTH} levels. Make it flatter.")
        if isinstance(item, str):
            check_characters(path, item)
        elif isinstance(item, dict):
            for key, inner in item.items():
                check_characters(path, key)
                waiting.append((f"{path}.{key}" if path else key, depth + 1, inner))
        elif isinstance(item, list):
            waiting.extend((f"{path}.{n}", depth + 1, inner) for n, inner in enumerate(item))


def check_characters(path: str, text: str) -> None:
    """Raises InvalidInput for NUL and lone surrogates."""
    if "\x00" in text:
        raise InvalidInput(path[:200], "This contains a NUL character. Remove it.")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise InvalidInput(path[:200], "This contains half a character (a lone surrogate). Send whole characters.")


def _too_large(max_bytes: int) -> Refusal:
    return Refusal("too_large", f"The body is too large. Send at most {max_bytes} bytes.")


MAX_PARTS = 16
MAX_FIELD_BYTES = 16 * 1024
# Maximum size of a form without its file.
FORM_BYTES = 32 * 1024
_CHUNK_BYTES = 64 * 1024


class _AsItIs:
    """Tells pydantic to accept the part unchanged from the form's parser."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.is_instance_schema(Upload)


FilePart = Annotated[
    Upload, _AsItIs, WithJsonSchema({"type": "string", "contentMediaType": "application/octet-stream"})
]


def media_type_of(request: Request) -> str:
    """The media type of the request in lower case, without parameters; "" if there is none."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def read_form(request: Request, max_bytes: int) -> dict[str, str | Upload]:
    """The fields of a multipart form by name. Raises Refusal for a body that is too large or no form, InvalidInput for
    a duplicate field, a file without a name, and a field with NUL or lone surrogates."""
    if media_type_of(request) != "multipart/form-data":
        raise Refusal("unsupported_media_type", 'Send a form with "Content-Type: multipart/form-data".')
    body = await read_body(request, max_bytes)
    parser = MultiPartParser(
        request.headers, _chunks(body), max_files=MAX_PARTS, max_fields=MAX_PARTS, max_part_size=MAX_FIELD_BYTES
    )
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise Refusal("malformed_form", f"The form cannot be read: {error.message.rstrip('.')}. Check it.") from None
    try:
        fields: dict[str, str | Upload] = {}
        for name, value in form.multi_items():
            check_characters("", name)
            if name in fields:
                raise InvalidInput(name[:60], "This appears twice in the form. Send it once.")
            fields[name] = await _value(name, value)
        return fields
    finally:
        await form.close()


async def _value(name: str, value: UploadFile | str) -> str | Upload:
    if isinstance(value, str):
        check_characters(name, value)
        return value
    check_characters(name, value.filename or "")
    return Upload(value.filename or "", await value.read())


async def _chunks(body: bytes) -> AsyncGenerator[bytes, None]:
    for start in range(0, len(body), _CHUNK_BYTES):
        yield body[start : start + _CHUNK_BYTES]


Result = TypeVar("Result")


async def unless_client_leaves(request: Request, work: Callable[[], Awaitable[Result]]) -> Result:
    """Do `work` for a request whose body was read, and return its result. If the client leaves, `work` is cancelled and
    ClientDisconnect is raised."""

    async def left() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    try:
        return await unless(left, work)
    except Interrupted:
        raise ClientDisconnect from None
