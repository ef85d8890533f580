"""What a draft changes, in the words of the console's forms."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final

from app.agents.agent import AgentConfig
from app.agents.retrieval_settings import RetrievalSettings
from app.agents.widget_settings import Fallback, Theme
from app.core.difference import differences
from app.core.setting import Setting, settings_of
from app.web.console.filters import in_percent

# The parts of a configuration: the page of their form, how it names their fields, and their settings.
_PARTS: Final[Mapping[str, tuple[str, str, Mapping[str, Setting]]]] = {
    "": ("agent_settings", "save_settings-", settings_of(AgentConfig)),
    "theme.": ("agent_settings", "save_settings-theme_", settings_of(Theme)),
    "fallback.": ("agent_settings", "save_settings-fallback_", settings_of(Fallback)),
    "retrieval.": ("search_settings", "save_search_settings-", settings_of(RetrievalSettings)),
}
# Parts that are edited in forms of their own: label, page and field.
_OTHERS: Final = {
    "theme.picture": ("Picture", "agent_settings", "picture"),
    "translations": ("Other languages", "translations", ""),
    "invitations": ("Invitations", "invitations", ""),
}
_FILTER: Final = "retrieval.filter."


@dataclass(frozen=True, slots=True)
class DraftChange:
    """A setting by its label, with both values as its form shows them. `page` has the field, whose id is `at`."""

    label: str
    page: str
    at: str
    before: str
    after: str


def draft_changes(before: AgentConfig, after: AgentConfig) -> list[DraftChange]:
    return [_change(each.name, (before, each.before), (after, each.after)) for each in differences(before, after)]


def settings_with(config: AgentConfig, words: str) -> list[tuple[str, str, str, str]]:
    """Settings whose label or explanation contains the words: label, page, id of the field, explanation."""
    found = []
    for part, (page, prefix, settings) in _PARTS.items():
        for name, each in settings.items():
            meaning = each.hint or each.meaning
            if words.casefold() in f"{each.label} {name.replace('_', ' ')} {meaning}".casefold():
                found.append((each.label, page, prefix + name + _tick(config, part + name), meaning))
    return sorted(found, key=lambda one: words.casefold() not in one[0].casefold())


def _change(path: str, *sides: tuple[AgentConfig, str]) -> DraftChange:
    """`sides` are both configurations, each with its value in the words of `differences`."""
    part, dot, name = path.rpartition(".")
    page, prefix, settings = _PARTS.get(part + dot, _PARTS[""])
    setting = settings.get(name)
    if setting is not None:
        in_words = [_words(setting, _value(config, path), words) for config, words in sides]
        return DraftChange(setting.label, page, prefix + name + _tick(sides[0][0], path), *in_words)
    if path.startswith(_FILTER):
        other = (f"Page filter: {name.replace('_', ' ')}", "search_settings", "page-filter")
    else:
        other = _OTHERS[path]
    return DraftChange(*other, *(words for _, words in sides))


def _tick(config: AgentConfig, path: str) -> str:
    """The suffix of a checkbox's id."""
    return "-true" if isinstance(_value(config, path), bool) else ""


def _value(config: AgentConfig, path: str) -> Any:
    return reduce(getattr, path.split("."), config)


def _words(setting: Setting, value: Any, otherwise: str) -> str:
    if setting.is_share:
        return f"{in_percent(value)}%"
    return setting.words[value] if setting.words else otherwise
