"""The arguments that a chat model passes to an action: their schema, a subset of JSON Schema, and their checks."""

import json
import re
import unicodedata
from collections.abc import Collection, Mapping
from typing import Any, Final

from app.core.errors import InvalidInput

MAX_PARAMETERS: Final = 10
MAX_TEXT_CHARS: Final = 500  # of a value
MAX_ARGUMENT_CHARS: Final = 8000  # of all together, as the model writes them
MAX_LABEL_CHARS: Final = 80
MAX_HINT_CHARS: Final = 300  # of a parameter's description
MAX_CHOICES: Final = 50
PARAMETER_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")
_KEYWORDS: Final[Mapping[str, frozenset[str]]] = {
    "string": frozenset({"type", "title", "description", "enum", "minLength", "maxLength"}),
    "integer": frozenset({"type", "title", "description", "enum", "minimum", "maximum"}),
    "number": frozenset({"type", "title", "description", "enum", "minimum", "maximum"}),
    "boolean": frozenset({"type", "title", "description"}),
}


class WrongArguments(Exception):
    """A model's arguments do not fit; `str(error)` is the reason, without any value."""


def check_parameters(schema: Mapping[str, Any]) -> Collection[str]:
    """The names of the schema's parameters; none for {}. Raises InvalidInput unless it describes an object of plain
    values."""
    if not schema:
        return ()
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if schema.keys() - {"type", "properties", "required", "additionalProperties"} or schema.get("type") != "object":
        raise InvalidInput("parameters", 'Write {"type": "object", "properties": {...}, "required": [...]}.')
    if schema.get("additionalProperties", False) is not False:
        raise InvalidInput("parameters", "additionalProperties can only be false.")
    if not isinstance(properties, Mapping) or len(properties) > MAX_PARAMETERS:
        raise InvalidInput("parameters", f"properties is an object of {MAX_PARAMETERS} parameters at most.")
    if not isinstance(required, list | tuple) or any(name not in properties for name in required):
        raise InvalidInput("parameters", "required must list names from properties.")
    for name, parameter in properties.items():
        _check_parameter(name, parameter)
    return frozenset(properties)


def _check_parameter(name: str, schema: Any) -> None:
    if not PARAMETER_NAME.fullmatch(name):
        raise InvalidInput("parameters", "Name parameters by letters, digits and _, a letter first.")
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    if not isinstance(kind, str) or kind not in _KEYWORDS:
        raise InvalidInput("parameters", f"{name} needs a type: string, integer, number or boolean.")
    if more := sorted(schema.keys() - _KEYWORDS[kind]):
        raise InvalidInput("parameters", f"{name}: {', '.join(map(str, more))[:100]} is not allowed for a {kind}.")
    description = schema.get("description", "")
    if not isinstance(description, str) or len(description) > MAX_HINT_CHARS:
        raise InvalidInput("parameters", f"{name}: a description has {MAX_HINT_CHARS} characters at most.")
    title = schema.get("title", "")
    if not isinstance(title, str) or len(title) > MAX_LABEL_CHARS or not title.isprintable():
        raise InvalidInput("parameters", f"{name}: a title is one line of {MAX_LABEL_CHARS} characters at most.")
    choices = schema.get("enum")
    if choices is not None and not (isinstance(choices, list | tuple) and 1 <= len(choices) <= MAX_CHOICES):
        raise InvalidInput("parameters", f"{name}: enum is a list of 1 to {MAX_CHOICES} values.")
    for bound in ("minLength", "maxLength", "minimum", "maximum"):
        value = schema.get(bound, 0)
        if isinstance(value, bool) or not isinstance(value, int | float) or (bound.endswith("h") and value < 0):
            raise InvalidInput("parameters", f"{name}: {bound} is a number.")


def offered_schema(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The schema sent to models and used for checks. It forbids additional properties and limits every text."""
    properties: dict[str, Any] = {}
    for name, schema in parameters.get("properties", {}).items():
        is_open_text = schema["type"] == "string" and "enum" not in schema
        longest = {"maxLength": min(schema.get("maxLength", MAX_TEXT_CHARS), MAX_TEXT_CHARS)} if is_open_text else {}
        properties[name] = {**schema, **longest}
    required = list(parameters.get("required", ()))
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def read_arguments(parameters: Mapping[str, Any], written: str) -> dict[str, Any]:
    """The arguments in the JSON object that the model wrote ("" for none). Raises WrongArguments."""
    if len(written) > MAX_ARGUMENT_CHARS:
        raise WrongArguments("the arguments are too long")
    try:
        arguments = json.loads(written.strip() or "{}", parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise WrongArguments("the arguments are not JSON") from error
    check_arguments(parameters, arguments)
    return dict(arguments)


def check_arguments(parameters: Mapping[str, Any], arguments: Any) -> None:
    """Raises WrongArguments for arguments that do not fit the schema, and for texts with control characters or lone
    surrogates."""
    from jsonschema import Draft202012Validator  # slow to import, so only when needed

    schema = offered_schema(parameters)
    for problem in Draft202012Validator(schema).iter_errors(arguments):
        where = ".".join(map(str, problem.absolute_path)) or "the arguments"
        raise WrongArguments(f"{where}: does not satisfy the schema's {problem.validator}")
    for name, value in arguments.items():
        if isinstance(value, str) and any(unicodedata.category(each) in ("Cc", "Cs") for each in value):
            raise WrongArguments(f"{name}: control characters or broken ones")


def _refused(name: str) -> Any:
    raise ValueError(name)
