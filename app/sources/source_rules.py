"""Rules for a source's configuration. The crawler decides whether an address may be dialled."""

from app.core.errors import InvalidInput
from app.core.field_rules import check_between, check_http_url, check_line, check_lines, check_text
from app.sources.source import GIVEN_KINDS, LISTED_KINDS, WEBSITE_KINDS, SourceConfig, SourceKind

MAX_NAME_CHARS = 200
MAX_TEXT_CHARS = 500_000
MAX_GLOBS = 100
MAX_GLOB_CHARS = 500
MAX_PAGES = 100_000
MAX_DEPTH = 50
MAX_PLACE_CHARS = 300


def check_source(config: SourceConfig) -> None:
    """Raises InvalidInput, naming the field and the fix."""
    if config.kind is SourceKind.TEXT:
        check_text("text", config.text, MAX_TEXT_CHARS, may_be_empty=False)
    elif config.text:
        raise InvalidInput("text", 'Only a source of kind "text" has text. Remove it, or change the kind.')
    if config.is_public and config.kind is not SourceKind.FILE:
        raise InvalidInput("is_public", 'Only a source of kind "file" can be public. Remove this field.')
    if config.read_files and config.kind in GIVEN_KINDS | LISTED_KINDS:
        raise InvalidInput(
            "read_files",
            'Only a source of kind "site", "url", "sitemap" or "feed" has linked files. Remove this field.',
        )
    if config.page_url:
        _check_page_url(config)
    _check_place(config)
    if config.url or config.kind not in GIVEN_KINDS:
        check_http_url("url", config.url)
    check_line("name", config.name, MAX_NAME_CHARS, may_be_empty=False)
    check_lines("include", config.include, MAX_GLOBS, MAX_GLOB_CHARS)
    check_lines("exclude", config.exclude, MAX_GLOBS, MAX_GLOB_CHARS)
    check_lines("keep_repeated", config.keep_repeated, MAX_GLOBS, MAX_GLOB_CHARS)
    if config.keep_repeated and config.kind not in WEBSITE_KINDS:
        raise InvalidInput(
            "keep_repeated", 'Only a source of kind "site", "sitemap" or "feed" leaves texts out. Remove this field.'
        )
    check_between("max_pages", config.max_pages, 1, MAX_PAGES)
    check_between("max_depth", config.max_depth, 0, MAX_DEPTH)


def _check_page_url(config: SourceConfig) -> None:
    check_http_url("page_url", config.page_url.replace("{", "").replace("}", ""))
    match config.kind:
        case SourceKind.OPENAPI:
            if "{operation}" not in config.page_url and not (
                "{method}" in config.page_url and "{path}" in config.page_url
            ):
                raise InvalidInput(
                    "page_url", "Each operation needs its own address. Include {operation}, or {method} and {path}."
                )
        case SourceKind.GIT:
            if "{path}" not in config.page_url and "{path_without_suffix}" not in config.page_url:
                raise InvalidInput(
                    "page_url", "Each file needs its own address. Include {path} or {path_without_suffix}."
                )
        case _:
            reason = 'Only a source of kind "openapi" or "git" has a page_url. Remove this field.'
            raise InvalidInput("page_url", reason)


def _check_place(config: SourceConfig) -> None:
    for name, value in (("branch", config.branch), ("folder", config.folder)):
        check_line(name, value, MAX_PLACE_CHARS)
        if value and config.kind is not SourceKind.GIT:
            raise InvalidInput(name, f'Only a source of kind "git" has a {name}. Remove this field.')
    if any(part in ("", ".", "..") for part in config.folder.strip("/").split("/")) and config.folder.strip("/"):
        raise InvalidInput("folder", 'Enter a path in the repository, such as "docs" or "website/docs".')
