"""Parses forms, reports errors by field, and derives form fields from the declarations of settings."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from types import UnionType
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints
from urllib.parse import parse_qsl

from pydantic import AfterValidator, Field, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import Request

from app.core.errors import InvalidInput
from app.core.setting import Setting, settings_of
from app.core.source_file import Upload
from app.web.console.filters import in_percent, number
from app.web.console.page import Form
from app.web.derived_fields import limited
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
    """Build a form from the sent fields. Blank values count as absent, and a list of texts may be sent as lines. A
    field of type dict reads its texts from fields `name.KEY`, or its forms from `name.KEY.FIELD`. Raises
    ValidationError."""
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
    """The name of the form's file field, or ""."""
    return next((name for name, declared in model.model_fields.items() if declared.annotation is Upload), "")


def errors_of(error: ValidationError | InvalidInput, model: type[Form], sent: Container[str] = ()) -> dict[str, str]:
    """The error messages by form field, or by one of the `sent` fields for entries of dicts. The key "" is the whole
    form."""

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


Kind = Literal["tick", "choice", "number", "line", "area"]
_SHORT_CHARS: Final = 60


@dataclass(frozen=True, slots=True)
class SettingView:
    """A setting as a form field. `step` is for numbers, `options` are (value, label). `is_changed`: the value is not
    the default. `is_short`: the field may share a row with others."""

    name: str
    kind: Kind
    label: str
    hint: str
    value: object
    is_changed: bool
    is_required: bool
    is_short: bool = False
    rows: int = 1
    step: str = ""
    options: tuple[tuple[str, str], ...] = ()
    placeholder: str = ""
    is_colour: bool = False


def form_fields(kind: type, prefix: str = "") -> Mapping[str, Any]:
    """The declared settings of a dataclass as form fields, by name after `prefix`. A blank text becomes "", or None if
    that is its default. The default of a checkbox is False, because browsers do not send unticked ones."""
    return {prefix + name: _form_field(type_, default, setting) for name, setting, type_, default in _declared(kind)}


def _form_field(type_: Any, default: Any, setting: Setting) -> tuple[Any, Any]:
    if isinstance(default, bool):
        return bool, False
    if isinstance(default, tuple):
        return tuple[str, ...], ()
    if setting.is_share:
        return Percent, ...
    if setting.between is not None and default is not None:
        return type_, Field(**limited(setting))
    if default is MISSING:
        default = ...
    elif isinstance(default, str) and setting.words is None:
        default = default if setting.is_required else ""
    return type_, Field(default=default, **limited(setting))


def blocks(values: Any, group: str, prefix: str = "") -> Sequence[Sequence[SettingView]]:
    """The settings of one group in their order, as blocks whose fields share a row."""
    views = [
        _view(prefix + name, getattr(values, name), setting, type_, default)
        for name, setting, type_, default in _declared(type(values))
        if setting.group == group
    ]
    found: list[list[SettingView]] = []
    for view in views:
        if found and view.is_short and found[-1][0].is_short:
            found[-1].append(view)
        else:
            found.append([view])
    return found


def _view(name: str, value: Any, setting: Setting, type_: Any, default: Any) -> SettingView:
    hint = setting.hint or ("" if setting.words else setting.meaning)
    view = SettingView(name, "line", setting.label, hint, value, value != default, setting.is_required)
    if setting.words:
        options = tuple((str(each), words) for each, words in setting.words.items())
        is_short = all(len(words) <= _SHORT_CHARS // 2 for _, words in options)
        return replace(view, kind="choice", options=options, is_short=is_short)
    if type_ is bool:
        return replace(view, kind="tick")
    if setting.between is not None:
        return _number(view, setting, value, default, is_whole=int in (type_, *get_args(type_)))
    if isinstance(value, tuple):
        return replace(view, kind="area", value="\n".join(value), rows=max(setting.rows, 2))
    if setting.rows > 1:
        return replace(view, kind="area", rows=setting.rows)
    is_short = setting.most is not None and setting.most <= _SHORT_CHARS
    return replace(view, is_short=is_short, placeholder=setting.placeholder, is_colour=setting.is_colour)


def _number(view: SettingView, setting: Setting, value: Any, default: Any, *, is_whole: bool) -> SettingView:
    hint = f"{view.hint.removesuffix('.')}; {setting.range}." if view.hint else f"From {setting.range}."
    if setting.is_share:
        hint = view.hint
    elif view.is_changed and default is not None:
        hint += f" Default: {default:g}."
    shown = in_percent(value) if setting.is_share else value if value is None or is_whole else f"{value:g}"
    return replace(
        view,
        kind="number",
        hint=hint,
        value=shown,
        is_short=True,
        is_required=default is not None,
        step="1" if is_whole else "any",
    )


def _declared(kind: type) -> list[tuple[str, Setting, Any, Any]]:
    """(name, declaration, type, default) of each setting; the default is MISSING if there is none."""
    types, defaults = get_type_hints(kind), {each.name: each.default for each in fields(kind)}
    return [(name, setting, types[name], defaults[name]) for name, setting in settings_of(kind).items()]
