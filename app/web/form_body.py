"""Reads multipart bodies: a few short fields and a file, each bounded before it is kept."""

from collections.abc import AsyncGenerator
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, WithJsonSchema
from pydantic_core import core_schema
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from app.core.errors import InvalidInput
from app.core.source_file import Upload
from app.web.errors import Refusal
from app.web.json_body import check_characters, read_body

MAX_PARTS = 16
MAX_FIELD_BYTES = 16 * 1024
# What a form may hold beside its file.
FORM_BYTES = 32 * 1024
_CHUNK_BYTES = 64 * 1024


class _AsItIs:
    """pydantic takes the part as the form's reader made it: bytes have no other shape."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.is_instance_schema(Upload)


FilePart = Annotated[
    Upload, _AsItIs, WithJsonSchema({"type": "string", "contentMediaType": "application/octet-stream"})
]


async def read_form(request: Request, max_bytes: int) -> dict[str, str | Upload]:
    """The fields by name. Raises Refusal for a body that is too large or no form, InvalidInput for a field that
    stands twice, has no file name or holds characters that no text has."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "multipart/form-data":
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
