"""A folder of Markdown files with front matter, as static site generators keep them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urljoin

import yaml

from app.core.errors import InvalidInput

_FRONT_MATTER: Final = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_HEADING: Final = re.compile(r"^#[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_SUFFIXES: Final = (".md", ".markdown")
_FOLDERS_OWN: Final = ("index", "_index", "readme")  # stand for their folder


@dataclass(frozen=True, slots=True)
class MarkdownFile:
    """`told` is the document as a line of a batch says it."""

    path: Path
    told: dict[str, Any]


def read_folder(folder: Path, base: str) -> Iterator[MarkdownFile]:
    """Every Markdown file but hidden ones and drafts, in the order of their paths. A page's address is its front
    matter's `url`, else its `slug` or else its path, below `base`.

    Raises InvalidInput for a file that cannot be read, naming it.
    """
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder)
        is_hidden = any(part.startswith(".") for part in place.parts)
        if is_hidden or path.suffix.lower() not in _SUFFIXES or not path.is_file():
            continue
        try:
            front, text = _parted(path.read_text("utf-8-sig"))
        except (UnicodeDecodeError, yaml.YAMLError) as error:
            raise InvalidInput(str(place), f"This is not UTF-8 Markdown with YAML front matter ({error}).") from None
        if front.get("draft") is True or not text.strip():
            continue
        yield MarkdownFile(path, _told(front, text, place, base))


def _parted(text: str) -> tuple[Mapping[str, Any], str]:
    text = text.replace("\r\n", "\n")
    match = _FRONT_MATTER.match(text)
    if match is None:
        return {}, text
    front = yaml.safe_load(match[1])
    if front is not None and not isinstance(front, dict):
        raise yaml.YAMLError("it names no fields")
    return {str(name).lower(): value for name, value in (front or {}).items()}, text[match.end() :]


def _told(front: Mapping[str, Any], text: str, place: Path, base: str) -> dict[str, Any]:
    heading = _HEADING.search(text)
    told = {
        "url": _url(front, place, base),
        "title": str(front.get("title") or (heading[1] if heading else place.stem)),
        "text": text,
        "date": _day(front),
        "language": front.get("language") or front.get("lang"),
        "attributes": {name: _values(value) for name, value in _attributes(front).items()},
    }
    return {name: value for name, value in told.items() if value}


def _url(front: Mapping[str, Any], place: Path, base: str) -> str:
    path = place.parent / place.stem
    if place.stem.lower() in _FOLDERS_OWN:
        path = place.parent
    if slug := str(front.get("slug") or "").strip("/"):
        path = Path(slug) if str(front["slug"]).startswith("/") else path.parent / slug
    named = "" if path == Path() else quote(path.as_posix()) + "/"
    return urljoin(base.rstrip("/") + "/", str(front.get("url") or named))


def _day(front: Mapping[str, Any]) -> str:
    value = next((front[name] for name in ("lastmod", "updated", "date") if front.get(name)), "")
    if isinstance(value, datetime):
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, date) else str(value)[:10]


def _attributes(front: Mapping[str, Any]) -> Mapping[str, Any]:
    given = front.get("attributes") or {}
    tags = {"tags": front["tags"]} if front.get("tags") else {}
    return {**tags, **given} if isinstance(given, dict) else tags


def _values(value: Any) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else [str(value)]
