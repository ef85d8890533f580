"""Settings that are declared once, as the fields of a form."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, Final, Literal, get_args, get_type_hints

from pydantic import Field

from app.core.setting import Setting, settings_of
from app.web.console.filters import in_percent
from app.web.console.forms import Lines, Percent
from app.web.model import limits

Kind = Literal["tick", "choice", "number", "line", "area"]
_SHORT_CHARS: Final = 60


@dataclass(frozen=True, slots=True)
class SettingView:
    """A setting as a field of a form. `step` is for numbers, `options` are (value, words). `is_changed`: it has another
    value than the default. `is_short`: it may stand in a row with others."""

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
    """For `with_fields`: the declared settings of a dataclass by their names behind `prefix`. A blank text is "", or
    None if that is its default; forms leave out unticked boxes, so the default of a box is false, whatever the
    setting's."""
    types, declared = get_type_hints(kind), settings_of(kind)
    return {prefix + name: _form_field(types[name], kind, name, setting) for name, setting in declared.items()}


def _form_field(type_: Any, kind: type, name: str, setting: Setting) -> tuple[Any, Any]:
    default = _default(kind, name)
    if isinstance(default, bool):
        return bool, False
    if isinstance(default, tuple):
        return Lines, ()
    if setting.is_share:
        return Percent, ...
    if setting.between is not None and default is not None:
        return type_, Field(**limits(setting))
    if default is MISSING:
        default = ...
    elif isinstance(default, str) and setting.words is None:
        default = default if setting.is_required else ""
    return type_, Field(default=default, **limits(setting))


def blocks(values: Any, group: str, prefix: str = "") -> Sequence[Sequence[SettingView]]:
    """The settings of one group, in their order; those of one block stand in a row."""
    views = [
        _view(values, name, setting, prefix)
        for name, setting in settings_of(type(values)).items()
        if setting.group == group
    ]
    found: list[list[SettingView]] = []
    for view in views:
        if found and view.is_short and found[-1][0].is_short:
            found[-1].append(view)
        else:
            found.append([view])
    return found


def _view(values: Any, name: str, setting: Setting, prefix: str) -> SettingView:
    value, default, type_ = getattr(values, name), _default(type(values), name), get_type_hints(type(values))[name]
    hint = setting.hint or ("" if setting.words else setting.meaning)
    view = SettingView(prefix + name, "line", setting.label, hint, value, value != default, setting.is_required)
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


def _default(kind: type, name: str) -> Any:
    return next(each.default for each in fields(kind) if each.name == name)
