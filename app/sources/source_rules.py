"""Rules for a source's configuration. The crawler decides whether an address may be dialled."""

from typing import Final

from app.core.errors import InvalidInput
from app.core.field_rules import check_between, check_http_url, check_line, check_lines
from app.sources.source import SourceConfig, SourceKind

MAX_NAME_CHARS = 200
MAX_TEXT_CHARS = 500_000
MAX_GLOBS = 100
MAX_GLOB_CHARS = 500
MAX_PAGES = 100_000
MAX_DEPTH = 50
MAX_PLACE_CHARS = 300


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
    check_line("branch", config.branch, MAX_PLACE_CHARS)
    check_line("folder", config.folder, MAX_PLACE_CHARS)
    if config.url or not config.kind.is_given:
        check_http_url("url", config.url)
    check_line("name", config.name, MAX_NAME_CHARS, may_be_empty=False)
    for name in ("include", "exclude", "keep_repeated"):
        check_lines(name, getattr(config, name), MAX_GLOBS, MAX_GLOB_CHARS)
    check_between("max_pages", config.max_pages, 1, MAX_PAGES)
    check_between("max_depth", config.max_depth, 0, MAX_DEPTH)


def check_has(kind: SourceKind, name: str) -> None:
    """Raises InvalidInput if sources of this kind do not have the setting."""
    if name not in kind.fields:
        raise InvalidInput(name, f'A source of kind "{kind.value}" does not have this setting. Remove this field.')
