"""Settings that are declared once, as the fields of a form."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, Final, Literal, get_args, get_type_hints

from pydantic import Field

from app.core.setting import Setting, settings_of
from app.web.console.filters import in_percent
from app.web.console.forms import Percent
from app.web.model import limited

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
    """The settings of one group, in their order; those of one block stand in a row."""
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
    """Name, declaration, type and default (MISSING for none) of each setting."""
    types, defaults = get_type_hints(kind), {each.name: each.default for each in fields(kind)}
    return [(name, setting, types[name], defaults[name]) for name, setting in settings_of(kind).items()]
