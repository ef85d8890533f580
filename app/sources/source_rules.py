"""Rules for a source's configuration. The crawler decides whether an address may be dialled."""

from typing import Final

from app.core.errors import InvalidInput
from app.core.field_rules import check_http_url
from app.core.setting import check_limits
from app.sources.source import SourceConfig, SourceKind

# Sources of other kinds may have values of the other fields, which nothing reads.
_REFUSED_ELSEWHERE: Final = ("text", "is_public", "read_files", "keep_repeated", "page_url", "branch", "folder")


def check_source(config: SourceConfig) -> None:
    """Raises InvalidInput, naming the field and the fix."""
    for name in _REFUSED_ELSEWHERE:
        if getattr(config, name):
            check_has(config.kind, name)
    if config.page_url:
        check_http_url("page_url", config.page_url.replace("{", "").replace("}", ""))
    config.kind.check(config)
    if config.url or not config.kind.is_given:
        check_http_url("url", config.url)
    check_limits("", config)


def check_has(kind: SourceKind, name: str) -> None:
    """Raises InvalidInput if sources of this kind do not have the setting."""
    if name not in kind.fields:
        raise InvalidInput(name, f'A source of kind "{kind.value}" does not have this setting. Remove this field.')
