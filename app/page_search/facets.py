"""Facets by which the visitor can narrow the found pages: their folder and their language."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final
from urllib.parse import unquote, urlsplit

from app.core.chunk import Chunk
from app.core.text.language_names import language_name
from app.sources.source import UNLINKED

MAX_VALUES: Final = 6
FOLDER: Final = "folder"
LANGUAGE: Final = "language"


@dataclass(frozen=True, slots=True)
class FacetValue:
    value: Annotated[str, "To send as the parameter with the facet's name."]
    label: Annotated[str, "The name of the folder or site, or the English name of the language."]
    pages: Annotated[int, "How many pages have it, among those with the best passages."]


@dataclass(frozen=True, slots=True)
class Facet:
    name: str
    values: Annotated[tuple[FacetValue, ...], "At most six, those with the most pages first."]


def facets(pages: Sequence[Chunk], chosen: Mapping[str, str]) -> list[Facet]:
    """The facets by which the pages differ. `pages` has one chunk of each page; `chosen` maps facets to the values that
    are already chosen, which are always included. Folders that coincide with languages are left out."""
    languages = _counted([page.language or "" for page in pages])
    folders = _counted(_folders([page.url for page in pages]))
    if len(languages) > 1 and set(languages.values()) == set(folders.values()):
        folders = {}
    found = [
        _facet(FOLDER, folders, chosen.get(FOLDER, ""), _folder_label),
        _facet(LANGUAGE, languages, chosen.get(LANGUAGE, ""), lambda value: language_name(value) or value),
    ]
    return [each for each in found if each.values]


def _facet(name: str, counted: Mapping[str, frozenset[int]], chosen: str, label: Callable[[str], str]) -> Facet:
    best = sorted(counted, key=lambda value: -len(counted[value]))
    kept = best[:MAX_VALUES] if len(best) > 1 else []
    if chosen and chosen not in kept:
        kept = [*kept[: MAX_VALUES - 1], chosen]
    return Facet(name, tuple(FacetValue(value, label(value), len(counted.get(value, ()))) for value in kept))


def _counted(values: Sequence[str]) -> dict[str, frozenset[int]]:
    """The indices at which each non-empty value occurs."""
    places: dict[str, set[int]] = {}
    for place, value in enumerate(values):
        if value:
            places.setdefault(value, set()).add(place)
    return {value: frozenset(found) for value, found in places.items()}


def _folders(urls: Sequence[str]) -> list[str]:
    """The folder of each page as a path prefix for a SearchFilter, at the first level where the pages differ, which may
    be the host; "" for a page in no folder. Only a path with pages below its own ("/prices/") is a folder."""
    paths = [_path(url) for url in urls]
    hosts = {path[0] for path in paths if path}
    if len(hosts) > 1:
        return [f"//{path[0]}/" if path else "" for path in paths]
    level = 2
    while len(inside := _inside(paths, level)) == 1 and all(len(path) > level for path in paths):
        level += 1
    return [f"/{'/'.join(path[1:level])}/" if len(path) > level and path[:level] in inside else "" for path in paths]


def _inside(paths: Sequence[tuple[str, ...]], level: int) -> set[tuple[str, ...]]:
    """The folders at this level of the path that have pages below their own."""
    return {path[:level] for path in paths if len(path) > level and path[level:] != ("",)}


def _path(url: str) -> tuple[str, ...]:
    """The host and the segments of the path, the last of which is "" after a final slash; () for a page without a
    link."""
    if url.startswith(UNLINKED):
        return ()
    parts = urlsplit(url)
    return (parts.netloc, *parts.path.split("/")[1:]) if parts.netloc else ()


def _folder_label(prefix: str) -> str:
    return unquote(prefix.strip("/").rpartition("/")[2])
