"""Rules for an agent's configuration."""

import base64
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from app.agents.agent import AgentConfig
from app.agents.opening_hours import normal_hours
from app.agents.widget_settings import Fallback, Invitation, Theme, Translation
from app.core.errors import InvalidInput
from app.core.field_rules import check_http_url, check_language, zone_named
from app.core.origin import is_public_suffix, normal_pattern
from app.core.search_filter import SearchFilter
from app.core.setting import at_most, check_limits, required, settings_of

MIN_AI_NOTICE_LETTERS = 5
MAX_PICTURE_CHARS = 48 * 1024
NOTE: Final = at_most(200)
PATH_PREFIX: Final = at_most(500)
MAX_ATTRIBUTE_VALUES = 20
_ATTRIBUTE_VALUE: Final = required(200)
_ATTRIBUTE = re.compile(r"[A-Za-z0-9_.-]{1,64}", re.ASCII)

_COLOR = re.compile(r"#[0-9a-fA-F]{6}", re.ASCII)
_CONTACT = re.compile(r"mailto:[^\s@?&#\"<>]+@[^\s@\"<>]+|tel:\+?[0-9().-]{3,30}", re.ASCII)
_INVITATION_NAME = re.compile(r"[a-z0-9-]+", re.ASCII)
_LINK_HOST = re.compile(r"(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}|localhost", re.ASCII)


def checked_config(config: AgentConfig) -> AgentConfig:
    """The configuration with origins and hosts in their normal form.

    Raises InvalidInput, naming the field and the fix.
    """
    check_language("language", config.language)
    for at, part in (("", config), ("theme.", config.theme), ("fallback.", config.fallback)):
        check_limits(at, part)
    _check_ai_notice("ai_notice", config.ai_notice)
    _check_invitations(config.invitations)
    _check_translations(config.translations, {each.name for each in config.invitations})
    _check_theme(config.theme)
    zone_named(config.time_zone, "time_zone")
    _check_fallback(config.fallback)
    check_filter("retrieval.filter", config.retrieval.filter)
    config.retrieval.check("retrieval.")
    return replace(
        config,
        allowed_origins=_each_normal("allowed_origins", config.allowed_origins, normal_pattern),
        allowed_link_hosts=_checked_link_hosts(config.allowed_link_hosts),
        opening_hours=_each_normal("opening_hours", config.opening_hours, normal_hours),
    )


def _check_invitations(invitations: Sequence[Invitation]) -> None:
    seen: set[str] = set()
    for number, each in enumerate(invitations):
        at = f"invitations.{number}."
        check_limits(at, each)
        if not _INVITATION_NAME.fullmatch(each.name):
            raise InvalidInput(at + "name", 'Use lower-case letters, digits and hyphens, such as "delivery-times".')
        if each.name in seen:
            raise InvalidInput(at + "name", f'Another invitation is named "{each.name}". Choose a different name.')
        seen.add(each.name)
        if not all(pattern.startswith(("/", "*")) for pattern in each.pages):
            raise InvalidInput(at + "pages", 'Begin each pattern with a slash or a *, such as "/shop/*".')


def _check_translations(translations: Sequence[Translation], invited: set[str]) -> None:
    seen: set[str] = set()
    for number, each in enumerate(translations):
        at = f"translations.{number}."
        check_language(at + "language", each.language)
        if each.language in seen:
            raise InvalidInput(at + "language", f'Another translation is for "{each.language}". Keep one per language.')
        seen.add(each.language)
        settings_of(Theme)["greeting"].check(at + "greeting", each.greeting)
        settings_of(AgentConfig)["ai_notice"].check(at + "ai_notice", each.ai_notice)
        _check_ai_notice(at + "ai_notice", each.ai_notice)
        settings_of(AgentConfig)["starter_prompts"].check(at + "starter_prompts", each.starter_prompts)
        names = [invitation.name for invitation in each.invitations]
        if len(set(names)) < len(names) or not invited.issuperset(names):
            raise InvalidInput(at + "invitations", "Use names of this agent's invitations, each once.")
        for invitation in each.invitations:
            check_limits(at + "invitations.", invitation)


def _check_ai_notice(at: str, notice: str | None) -> None:
    if notice is not None and sum(character.isalpha() for character in notice) < MIN_AI_NOTICE_LETTERS:
        raise InvalidInput(
            at,
            "Visitors are always told that an AI system writes the answers automatically. Say it in your words, or "
            "send null for the widget's own.",
        )


def _each_normal(field: str, entries: Sequence[str], normal: Callable[[str], str]) -> tuple[str, ...]:
    """The distinct entries, normalised by `normal`; its ValueError becomes InvalidInput."""
    found: list[str] = []
    for number, entry in enumerate(entries):
        try:
            found.append(normal(entry))
        except ValueError as error:
            raise InvalidInput(f"{field}.{number}", str(error)) from None
    return tuple(dict.fromkeys(found))


def _checked_link_hosts(hosts: Sequence[str]) -> tuple[str, ...]:
    normal = [host.strip().lower() for host in hosts]
    for number, host in enumerate(normal):
        if len(host) > 253 or not _LINK_HOST.fullmatch(host):
            raise InvalidInput(
                f"allowed_link_hosts.{number}",
                'Enter only a host name, such as "docs.example.com" or "*.example.com".',
            )
        if host.startswith("*.") and is_public_suffix(host[2:]):
            raise InvalidInput(
                f"allowed_link_hosts.{number}",
                f'Anybody can have a name below "{host[2:]}". Write the domain that is yours.',
            )
    return tuple(dict.fromkeys(normal))


def check_attribute(at: str, name: str, values: Sequence[str]) -> None:
    """Raises InvalidInput, naming the field and the fix."""
    if not _ATTRIBUTE.fullmatch(name):
        raise InvalidInput(at, "Use up to 64 letters, digits, dots, hyphens and underscores for the name.")
    if not 1 <= len(values) <= MAX_ATTRIBUTE_VALUES:
        raise InvalidInput(at, f"Enter 1 to {MAX_ATTRIBUTE_VALUES} values for {name}.")
    for value in values:
        _ATTRIBUTE_VALUE.check(at, value)


def check_filter(at: str, only: SearchFilter) -> None:
    """Raises InvalidInput, naming the field below `at` and the fix."""
    check_limits(f"{at}.", only)
    for number, prefix in enumerate(only.path_prefixes):
        check_prefix(f"{at}.path_prefixes.{number}", prefix)
    for number, language in enumerate(only.languages):
        check_language(f"{at}.languages.{number}", language)
    for number, attribute in enumerate(only.attributes):
        check_attribute(f"{at}.attributes.{number}", attribute.name, attribute.values)
    if only.dated_from and only.dated_to and only.dated_from > only.dated_to:
        raise InvalidInput(f"{at}.dated_to", "This is before dated_from, so no page can match. Choose a later day.")


def check_prefix(at: str, prefix: str) -> None:
    """Raises InvalidInput. `prefix` is one of a SearchFilter's `path_prefixes`."""
    PATH_PREFIX.check(at, prefix)
    if not prefix.startswith("/"):
        raise InvalidInput(at, 'Begin with a slash, such as "/docs/".')


def _check_theme(theme: Theme) -> None:
    if theme.primary_color is not None and not _COLOR.fullmatch(theme.primary_color):
        raise InvalidInput("theme.primary_color", 'Enter a colour as "#rrggbb", such as "#0a66c2".')
    if theme.picture is not None and not _is_small_webp(theme.picture):
        raise InvalidInput(
            "theme.picture", "Upload a picture with POST /v1/agents/{agent_id}/picture, which sets this."
        )


def _is_small_webp(text: str) -> bool:
    if len(text) > MAX_PICTURE_CHARS:
        return False
    try:
        body = base64.b64decode(text, validate=True)
    except ValueError:
        return False
    return body[:4] == b"RIFF" and body[8:12] == b"WEBP"


def _check_fallback(fallback: Fallback) -> None:
    if fallback.url is None:
        return
    if fallback.url.startswith("https://"):
        check_http_url("fallback.url", fallback.url)
    elif not _CONTACT.fullmatch(fallback.url):
        raise InvalidInput(
            "fallback.url",
            'Enter "https://www.example.com/contact", "mailto:help@example.com" or "tel:+353209150123".',
        )
