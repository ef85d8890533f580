"""An agent's file as text: YAML, which includes JSON."""

import json
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any, Final, get_args

import yaml
from pydantic import BaseModel, ValidationError

from app.agent_files.agent_file import MAX_FILE_CHARS, AgentContents
from app.agent_files.api.file_models import AgentFileModel, AgentFileOut
from app.core.errors import InvalidInput
from app.core.text.untrusted_text import one_line
from app.kit.yaml_loader import YamlLoader, resolve_as_json
from app.web.request_body import MAX_DEPTH, check_values
from app.web.validation_messages import invalid_input_of

_COLUMNS: Final = 110


class _Loader(YamlLoader):
    """Refuses duplicate keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        found: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        if len(found) != len(node.value):
            raise yaml.constructor.ConstructorError(None, None, "a key is repeated", node.start_mark)
        return found


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]  # the package has no types
    """Writes multi-line strings as block scalars."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
    is_long = "\n" in value and value == "\n".join(line.rstrip() for line in value.split("\n"))
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if is_long else None)


_Dumper.add_representer(str, _text)
resolve_as_json(_Dumper)


def written(contents: AgentContents) -> str:
    """The file, with a comment for each source that it leaves out."""
    fields = AgentFileOut.showing(contents).model_dump(mode="json")
    left_out = "".join(f"# Not in this file: the source {one_line(name)}\n" for name in contents.left_out)
    text: str = yaml.dump(fields, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_COLUMNS)
    return left_out + text


def read(text: str) -> AgentFileModel:
    """Raises InvalidInput with the place of the field in the file, or the line where the YAML is invalid."""
    if len(text) > MAX_FILE_CHARS:
        raise InvalidInput("", f"This has {len(text)} characters. Use at most {MAX_FILE_CHARS}.")
    found = _parsed(text)
    if not isinstance(found, dict):
        raise InvalidInput("", "This is not an agent file. Create one with `docent agent export`.")
    try:
        as_json = json.dumps(found, allow_nan=False)
    except (TypeError, ValueError):
        raise InvalidInput(
            "", "This contains values that JSON does not have, such as !!binary or .nan. Use strings and numbers."
        ) from None
    check_values(json.loads(as_json))
    try:
        return AgentFileModel.model_validate_json(as_json)
    except ValidationError as error:
        wrong = invalid_input_of(error)
        is_unknown = all(each["type"] == "extra_forbidden" for each in error.errors(include_url=False))
        if not is_unknown:
            raise wrong from None
        near = _nearest(wrong.field)
        raise InvalidInput(
            wrong.field, f"There is no such field. {f'Did you mean {near}?' if near else 'Remove it.'}"
        ) from None


def _parsed(text: str) -> Any:
    try:
        _check_events(yaml.parse(text, Loader=_Loader))
        return yaml.load(text, Loader=_Loader)  # noqa: S506  (a safe loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"Line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise InvalidInput("", f"{where}this is not valid YAML: {error.problem}.") from None
    except (yaml.YAMLError, ValueError) as error:
        raise InvalidInput("", f"This cannot be read as YAML: {type(error).__name__}.") from None


def _check_events(events: Iterable[yaml.Event]) -> None:
    """Aliases are refused because a short text could expand without end, and deep nesting because it overflows the
    stack."""
    depth = 0
    for event in events:
        if isinstance(event, yaml.AliasEvent):
            raise InvalidInput("", "Replace the alias (*name) with its value: aliases are not allowed here.")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise InvalidInput("", f"This is nested deeper than {MAX_DEPTH} levels. Make it flatter.")


def _nearest(field: str) -> str | None:
    """The known field most similar to a misspelt one, such as "priority" for "curated_answers.2.prio"."""
    *place, last = [part for part in field.split(".") if not part.isdigit()]
    model: type[BaseModel] | None = AgentFileModel
    for part in place:
        model = next(_models_in(model, part), None) if model else None
    near = get_close_matches(last, model.model_fields, 1) if model else []
    return near[0] if near else None


def _models_in(model: type[BaseModel], name: str) -> Iterator[type[BaseModel]]:
    """The models of a field, directly or in a list."""
    pending: list[Any] = [model.model_fields[name].annotation] if name in model.model_fields else []
    for kind in pending:
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield kind
        pending.extend(get_args(kind))
