"""Rules for an agent's configuration."""

import base64
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from app.agents.agent import LAUNCHER_ICONS, AgentConfig, Fallback, Invitation, Theme, Translation
from app.agents.opening_hours import MAX_LINES, normal_hours
from app.core.errors import InvalidInput
from app.core.field_rules import check_between, check_http_url, check_language, check_line, check_lines, check_text
from app.core.origin import normal_pattern
from app.core.public_suffix import is_public_suffix
from app.core.search_filter import SearchFilter
from app.core.time_zone import zone_named

MAX_NAME_CHARS = 100
MAX_PERSONA_CHARS = 2000
MAX_TONE_CHARS = 200
MAX_CUSTOM_PROMPT_CHARS = 8000
MAX_TOPICS = 50
MAX_TOPIC_CHARS = 200
MAX_ORIGINS = 100
MAX_LINK_HOSTS = 100
MAX_STARTER_PROMPTS = 8
MAX_STARTER_PROMPT_CHARS = 200
MAX_GREETING_CHARS = 500
MIN_AI_NOTICE_LETTERS, MAX_AI_NOTICE_CHARS = 5, 300
MAX_TRANSLATIONS = 40
MAX_INVITATIONS = 5
MAX_INVITATION_CHARS = 160
MAX_INVITATION_NAME_CHARS = 40
MAX_INVITATION_PAGES, MAX_PAGE_PATTERN_CHARS = 20, 500
MAX_AFTER_SECONDS = 600
MAX_LAUNCHER_LABEL_CHARS = 40
MAX_PICTURE_CHARS, MAX_PICTURE_ALT_CHARS = 48 * 1024, 120
MAX_FALLBACK_LABEL_CHARS = 60
MAX_CONSENT_CHARS = 500
MAX_FILTER_ENTRIES = 50
MAX_PATH_PREFIX_CHARS = 500
MAX_ATTRIBUTE_VALUES = 20
MAX_ATTRIBUTE_NAME_CHARS = 64
MAX_TOLD_ATTRIBUTES = 20
MAX_ATTRIBUTE_VALUE_CHARS = 200
_ATTRIBUTE = re.compile(r"[A-Za-z0-9_.-]{1,64}", re.ASCII)
MAX_DISCONNECT_GRACE_SECONDS = 300
MAX_RETENTION_DAYS = 3650
MAX_DAILY_TOKENS = 1_000_000_000
MIN_ANSWER_CHARS, MAX_ANSWER_CHARS = 100, 20_000

_COLOR = re.compile(r"#[0-9a-fA-F]{6}", re.ASCII)
_CONTACT = re.compile(r"mailto:[^\s@?&#\"<>]+@[^\s@\"<>]+|tel:\+?[0-9().-]{3,30}", re.ASCII)
_INVITATION_NAME = re.compile(r"[a-z0-9-]+", re.ASCII)
_LINK_HOST = re.compile(r"(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}|localhost", re.ASCII)


def checked_config(config: AgentConfig) -> AgentConfig:
    """The configuration with origins and hosts in their normal form.

    Raises InvalidInput, naming the field and the fix.
    """
    check_line("name", config.name, MAX_NAME_CHARS, may_be_empty=False)
    check_text("persona", config.persona, MAX_PERSONA_CHARS)
    check_text("tone", config.tone, MAX_TONE_CHARS)
    check_text("custom_prompt", config.custom_prompt, MAX_CUSTOM_PROMPT_CHARS)
    check_lines("avoid_topics", config.avoid_topics, MAX_TOPICS, MAX_TOPIC_CHARS)
    check_lines("starter_prompts", config.starter_prompts, MAX_STARTER_PROMPTS, MAX_STARTER_PROMPT_CHARS)
    for field in ("prompt_attributes", "filter_attributes"):
        check_lines(field, getattr(config, field), MAX_TOLD_ATTRIBUTES, MAX_ATTRIBUTE_NAME_CHARS)
    _check_ai_notice("ai_notice", config.ai_notice)
    _check_invitations(config.invitations)
    _check_translations(config.translations, {each.name for each in config.invitations})
    check_between("max_answer_chars", config.max_answer_chars, MIN_ANSWER_CHARS, MAX_ANSWER_CHARS)
    check_between("confidence_threshold", config.confidence_threshold, 0, 1)
    check_between("disconnect_grace_seconds", config.disconnect_grace_seconds, 0, MAX_DISCONNECT_GRACE_SECONDS)
    check_between("retention_days", config.retention_days, 1, MAX_RETENTION_DAYS)
    if config.daily_tokens is not None:
        check_between("daily_tokens", config.daily_tokens, 0, MAX_DAILY_TOKENS)
    check_language("language", config.language)
    _check_theme(config.theme)
    zone_named(config.time_zone, "time_zone")
    _check_fallback(config.fallback)
    check_filter("retrieval.filter", config.retrieval.filter)
    config.retrieval.check("retrieval.")
    return replace(
        config,
        allowed_origins=_each_normal("allowed_origins", config.allowed_origins, MAX_ORIGINS, normal_pattern),
        allowed_link_hosts=_checked_link_hosts(config.allowed_link_hosts),
        opening_hours=_each_normal("opening_hours", config.opening_hours, MAX_LINES, normal_hours, "lines"),
    )


def _check_invitations(invitations: Sequence[Invitation]) -> None:
    if len(invitations) > MAX_INVITATIONS:
        raise InvalidInput("invitations", f"There are {len(invitations)}. Use at most {MAX_INVITATIONS}.")
    seen: set[str] = set()
    for number, each in enumerate(invitations):
        at = f"invitations.{number}."
        check_line(at + "name", each.name, MAX_INVITATION_NAME_CHARS, may_be_empty=False)
        if not _INVITATION_NAME.fullmatch(each.name):
            raise InvalidInput(at + "name", 'Use lower-case letters, digits and hyphens, such as "delivery-times".')
        if each.name in seen:
            raise InvalidInput(at + "name", f'Another invitation is named "{each.name}". Choose a different name.')
        seen.add(each.name)
        _check_invitation_text(at, each.text, each.question)
        check_lines(at + "pages", each.pages, MAX_INVITATION_PAGES, MAX_PAGE_PATTERN_CHARS)
        if not all(pattern.startswith(("/", "*")) for pattern in each.pages):
            raise InvalidInput(at + "pages", 'Begin each pattern with a slash or a *, such as "/shop/*".')
        check_between(at + "after_seconds", each.after_seconds, 0, MAX_AFTER_SECONDS)


def _check_invitation_text(at: str, text: str, question: str | None) -> None:
    check_line(at + "text", text, MAX_INVITATION_CHARS, may_be_empty=False)
    check_line(at + "question", question or "", MAX_STARTER_PROMPT_CHARS)


def _check_translations(translations: Sequence[Translation], invited: set[str]) -> None:
    if len(translations) > MAX_TRANSLATIONS:
        raise InvalidInput("translations", f"There are {len(translations)}. Use at most {MAX_TRANSLATIONS}.")
    seen: set[str] = set()
    for number, each in enumerate(translations):
        at = f"translations.{number}."
        check_language(at + "language", each.language)
        if each.language in seen:
            raise InvalidInput(at + "language", f'Another translation is for "{each.language}". Keep one per language.')
        seen.add(each.language)
        check_text(at + "greeting", each.greeting or "", MAX_GREETING_CHARS)
        _check_ai_notice(at + "ai_notice", each.ai_notice)
        check_lines(at + "starter_prompts", each.starter_prompts, MAX_STARTER_PROMPTS, MAX_STARTER_PROMPT_CHARS)
        names = [told.name for told in each.invitations]
        if len(set(names)) < len(names) or not invited.issuperset(names):
            raise InvalidInput(at + "invitations", "Use names of this agent's invitations, each once.")
        for told in each.invitations:
            _check_invitation_text(at + "invitations.", told.text, told.question)


def _check_ai_notice(at: str, notice: str | None) -> None:
    if notice is None:
        return
    check_line(at, notice, MAX_AI_NOTICE_CHARS)
    if sum(character.isalpha() for character in notice) < MIN_AI_NOTICE_LETTERS:
        raise InvalidInput(
            at,
            "Visitors are always told that an AI system writes the answers automatically. Say it in your words, or "
            "send null for the widget's own.",
        )


def _each_normal(
    field: str, entries: Sequence[str], most: int, normal: Callable[[str], str], noun: str = "entries"
) -> tuple[str, ...]:
    """Each once, normalised by `normal`, which raises ValueError."""
    if len(entries) > most:
        raise InvalidInput(field, f"There are {len(entries)} {noun}. Use at most {most}.")
    found: list[str] = []
    for number, entry in enumerate(entries):
        try:
            found.append(normal(entry))
        except ValueError as error:
            raise InvalidInput(f"{field}.{number}", str(error)) from None
    return tuple(dict.fromkeys(found))


def _checked_link_hosts(hosts: Sequence[str]) -> tuple[str, ...]:
    if len(hosts) > MAX_LINK_HOSTS:
        raise InvalidInput("allowed_link_hosts", f"There are {len(hosts)} entries. Use at most {MAX_LINK_HOSTS}.")
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
        check_line(at, value, MAX_ATTRIBUTE_VALUE_CHARS, may_be_empty=False)


def check_filter(at: str, only: SearchFilter) -> None:
    """Raises InvalidInput, naming the field below `at` and the fix."""
    for name in ("sources", "path_prefixes", "languages", "attributes"):
        if (count := len(getattr(only, name))) > MAX_FILTER_ENTRIES:
            raise InvalidInput(f"{at}.{name}", f"There are {count} entries. Use at most {MAX_FILTER_ENTRIES}.")
    for number, prefix in enumerate(only.path_prefixes):
        check_line(f"{at}.path_prefixes.{number}", prefix, MAX_PATH_PREFIX_CHARS)
        if not prefix.startswith("/"):
            raise InvalidInput(f"{at}.path_prefixes.{number}", 'Begin with a slash, such as "/docs/".')
    for number, language in enumerate(only.languages):
        check_language(f"{at}.languages.{number}", language)
    for number, attribute in enumerate(only.attributes):
        check_attribute(f"{at}.attributes.{number}", attribute.name, attribute.values)
    if only.dated_from and only.dated_to and only.dated_from > only.dated_to:
        raise InvalidInput(f"{at}.dated_to", "This is before dated_from, so no page can match. Choose a later day.")


def _check_theme(theme: Theme) -> None:
    if theme.primary_color is not None and not _COLOR.fullmatch(theme.primary_color):
        raise InvalidInput("theme.primary_color", 'Enter a colour as "#rrggbb", such as "#0a66c2".')
    if theme.radius_px is not None:
        check_between("theme.radius_px", theme.radius_px, 0, 40)
    if theme.position not in ("left", "right"):
        raise InvalidInput("theme.position", 'Choose "left" or "right".')
    check_line("theme.launcher_label", theme.launcher_label or "", MAX_LAUNCHER_LABEL_CHARS)
    if theme.launcher_icon not in LAUNCHER_ICONS:
        raise InvalidInput("theme.launcher_icon", f"Choose one of {', '.join(LAUNCHER_ICONS)}.")
    check_line("theme.picture_alt", theme.picture_alt or "", MAX_PICTURE_ALT_CHARS)
    if theme.picture is not None and not _is_small_webp(theme.picture):
        raise InvalidInput("theme.picture", "Send a picture to POST /v1/agents/{agent_id}/picture, which makes this.")
    check_text("theme.greeting", theme.greeting or "", MAX_GREETING_CHARS)


def _is_small_webp(text: str) -> bool:
    if len(text) > MAX_PICTURE_CHARS:
        return False
    try:
        body = base64.b64decode(text, validate=True)
    except ValueError:
        return False
    return body[:4] == b"RIFF" and body[8:12] == b"WEBP"


def _check_fallback(fallback: Fallback) -> None:
    check_line("fallback.label", fallback.label or "", MAX_FALLBACK_LABEL_CHARS)
    check_line("fallback.consent", fallback.consent or "", MAX_CONSENT_CHARS)
    if fallback.url is None:
        return
    check_line("fallback.url", fallback.url, 2048)
    if fallback.url.startswith("https://"):
        check_http_url("fallback.url", fallback.url)
    elif not _CONTACT.fullmatch(fallback.url):
        raise InvalidInput(
            "fallback.url",
            'Enter "https://www.example.com/contact", "mailto:help@example.com" or "tel:+353209150123".',
        )
