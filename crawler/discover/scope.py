"""Decides which URLs belong to a source."""

from collections.abc import Iterable
from dataclasses import dataclass

from crawler.fetch.linked_files import is_file_address
from crawler.url_rules import CheckedUrl, site_key


@dataclass(frozen=True, slots=True)
class Scope:
    """Hosts, a path prefix and path patterns; build it with `Scope.around`.

    `sites` are site keys (see `site_key`). `path_prefix` "/docs" covers /docs and everything below /docs/, but not
    /docs2. A pattern must match path and query as a whole; `*` matches any run of characters. If there are `include`
    patterns, one of them must match; a match in `exclude` always refuses. `with_files` also covers PDF and Office files
    outside of the path prefix, because websites keep them in separate folders.
    """

    sites: frozenset[str]
    path_prefix: str = "/"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    with_files: bool = False

    @classmethod
    def around(
        cls,
        urls: Iterable[CheckedUrl],
        path_prefix: str = "/",
        include: Iterable[str] = (),
        exclude: Iterable[str] = (),
        with_files: bool = False,
    ) -> "Scope":
        """A scope with the sites of these URLs."""
        sites = frozenset(site_key(url) for url in urls)
        prefix = path_prefix if path_prefix.startswith("/") else f"/{path_prefix}"
        return cls(sites, prefix, tuple(include), tuple(exclude), with_files)

    def allows(self, url: CheckedUrl) -> bool:
        """Whether the URL belongs to the source."""
        if site_key(url) not in self.sites:
            return False
        if not _is_below(url.path, self.path_prefix) and not (self.with_files and is_file_address(str(url))):
            return False
        return passes_patterns(url.target, self.include, self.exclude)


def page_key(url: CheckedUrl) -> str:
    """A key that is equal for URLs that differ only in scheme or "www."."""
    return f"{site_key(url)}{url.target}"


def passes_patterns(text: str, include: Iterable[str], exclude: Iterable[str]) -> bool:
    """Whether no pattern of `exclude` matches and, if `include` is not empty, one of its patterns does."""
    if any(matches_pattern(pattern, text) for pattern in exclude):
        return False
    wanted = tuple(include)
    return not wanted or any(matches_pattern(pattern, text) for pattern in wanted)


def matches_pattern(pattern: str, text: str) -> bool:
    """Whether the whole text matches; `*` matches any run of characters, without backtracking."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    *middle, last = rest
    if not text.startswith(first) or len(text) < len(first) + len(last) or not text.endswith(last):
        return False
    position, end = len(first), len(text) - len(last)
    for part in middle:
        found = text.find(part, position, end)
        if found < 0:
            return False
        position = found + len(part)
    return True


def _is_below(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith(prefix if prefix.endswith("/") else f"{prefix}/")
