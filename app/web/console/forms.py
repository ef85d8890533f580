"""Parses forms, and reports errors beside each field."""

from collections.abc import Container, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin
from urllib.parse import parse_qsl

from pydantic import AfterValidator, Field, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import Request

from app.core.errors import InvalidInput
from app.core.source_file import Upload
from app.web.console.filters import number
from app.web.console.page import Form
from app.web.errors import Refusal
from app.web.request_body import check_characters, media_type_of, read_body, read_form
from app.web.validation_messages import messages_by_field

MAX_FIELDS = 1000
_URLENCODED = "application/x-www-form-urlencoded"
Fields = dict[str, list[str | Upload]]
FormKind = TypeVar("FormKind", bound=Form)
_NO_FILE = Upload("", b"")  # what browsers send for a file field without a file


Percent = Annotated[float, Field(ge=0, le=100), AfterValidator(lambda written: written / 100)]
"""A share of one that is written in percent, as pages show it."""


async def read_fields(request: Request, max_bytes: int) -> Fields:
    """Every value of each field. Raises Refusal for a body that is no form or is too large."""
    media_type = media_type_of(request)
    if media_type == "multipart/form-data":
        return {name: [value] for name, value in (await read_form(request, max_bytes)).items()}
    if media_type != _URLENCODED:
        raise Refusal("unsupported_media_type", "Send the page's own form.")
    return parse_fields((await read_body(request, max_bytes)).decode("ascii", "replace"))


def parse_fields(encoded: str) -> Fields:
    try:
        pairs = parse_qsl(encoded, keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS)
    except ValueError:
        raise Refusal("malformed_form", "The form cannot be read: it is too long or not UTF-8.") from None
    fields: Fields = {}
    for name, value in pairs:
        check_characters("", name)
        check_characters(name[:60], value)
        fields.setdefault(name, []).append(value.replace("\r\n", "\n"))
    return fields


def form_of(model: type[FormKind], fields: Mapping[str, list[str | Upload]]) -> FormKind:
    """Raises ValidationError. Blank values count as absent. A list of texts may come with one entry a line. A field
    that is a dict has its texts in fields `name.KEY`, or its forms in fields `name.KEY.FIELD`."""
    return model.model_validate(_found(model, fields))


def _found(model: type[Form], fields: Mapping[str, list[str | Upload]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, declared in model.model_fields.items():
        values = [value for value in fields.get(name, []) if value not in ("", _NO_FILE)]
        if values:
            found[name] = _entries_of(declared.annotation, values) if _takes_many(declared.annotation) else values[-1]
        elif get_origin(declared.annotation) is dict and (entries := _entries(declared.annotation, name, fields)):
            found[name] = entries
    return found


def _entries_of(annotation: Any, values: Sequence[str | Upload]) -> Sequence[str | Upload]:
    (entry, *_) = get_args(annotation)
    if (get_args(entry) or (entry,))[0] is not str:
        return values
    return [line.strip() for value in values for line in str(value).splitlines() if line.strip()]


def _entries(annotation: Any, name: str, fields: Mapping[str, list[str | Upload]]) -> dict[str, Any]:
    by_key: dict[str, Fields] = {}
    for field, values in fields.items():
        if field.startswith(f"{name}."):
            key, _, rest = field.removeprefix(f"{name}.").partition(".")
            by_key.setdefault(key, {})[rest] = values
    kind = get_args(annotation)[1]
    if isinstance(kind, type) and issubclass(kind, Form):
        return {key: found for key, of_form in by_key.items() if (found := _found(kind, of_form))}
    return {key: values[""][-1] for key, values in by_key.items() if values.get("", [""])[-1]}


def _takes_many(annotation: Any) -> bool:
    if get_origin(annotation) in (Union, UnionType):
        return any(_takes_many(each) for each in get_args(annotation))
    return get_origin(annotation) in (tuple, list, set, frozenset)


def file_field(model: type[Form]) -> str:
    """The form's field for a file, or ""."""
    return next((name for name, declared in model.model_fields.items() if declared.annotation is Upload), "")


def errors_of(error: ValidationError | InvalidInput, model: type[Form], sent: Container[str] = ()) -> dict[str, str]:
    """By field of the form; for dicts, by those of the `sent` fields. Errors without a field are about the
    whole form.
    """

    def field(path: Sequence[object]) -> str:
        whole = ".".join(map(str, path))
        return whole if whole in sent else str(path[0]) if path else ""  # such as allowed_origins.2

    if isinstance(error, ValidationError):
        return messages_by_field(error, _for_people, field)
    name = field(error.field.split("."))
    if name in model.model_fields or name in sent:
        return {name: error.message}
    return {"": str(error)}


def _for_people(detail: ErrorDetails) -> str | None:
    """Rewords the API's messages for people who fill in a form."""
    context = detail.get("ctx", {})
    match detail["type"]:
        case "int_type" | "int_parsing" | "int_from_float":
            return "Enter a whole number, such as 5."
        case "float_type" | "float_parsing" | "finite_number":
            return "Enter a number, such as 0.5."
        case "greater_than_equal":
            return f"Enter {number(context['ge'])} or more."
        case "less_than_equal":
            return f"Enter {number(context['le'])} or less."
        case "enum" | "literal_error" | "bool_parsing" | "bool_type":
            return "Choose one of the options."
        case "uuid_parsing" | "uuid_type":
            return "This no longer exists. Reload the page and choose again."
        case "is_instance_of":
            return "Choose a file."
    return None
