"""What is known about a visitor: the device, if an agent's operator wants it, as only known names and major versions;
and the attributes that are sent when the widget opens, signed by the website's server or unsigned."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final

from app.agents.agent_rules import check_attribute
from app.core.errors import InvalidInput
from app.core.search_filter import AttributeFilter
from app.core.visitor_attribute import VisitorAttribute

_MOST_CHARS: Final = 512  # of a header


class DeviceKind(StrEnum):
    PHONE = "phone"
    TABLET = "tablet"
    COMPUTER = "computer"


@dataclass(frozen=True, slots=True)
class VisitorDevice:
    """The device that the browser reports. `system` has no version where all browsers send the same one."""

    kind: Annotated[DeviceKind | None, "An iPad that requests desktop websites is reported as a computer."]
    system: Annotated[str, 'Such as "iOS 17". For "Windows", browsers report no version. "": unknown.']
    browser: Annotated[str, 'Such as "Firefox 130"; "": unknown.']

    @property
    def words(self) -> str:
        return ", ".join(filter(None, (self.kind or "", self.system, self.browser)))


# A browser based on another one names both; the first match counts.
_BRANDS: Final = {
    "Microsoft Edge": "Edge",
    "Opera": "Opera",
    "Samsung Internet": "Samsung Internet",
    "Brave": "Brave",
    "Vivaldi": "Vivaldi",
    "Google Chrome": "Chrome",
    "Chromium": "Chromium",
}
_BRAND: Final = re.compile(r'"([\w ]{1,30})";v="(\d{1,4})', re.ASCII)
_BROWSERS: Final = tuple(
    (name, re.compile(rf"\b{pattern}", re.ASCII))
    for name, pattern in (
        ("Edge", r"(?:Edg|Edge|EdgA|EdgiOS)/(\d{1,4})"),
        ("Opera", r"(?:OPR|OPT|OPiOS)/(\d{1,4})"),
        ("Samsung Internet", r"SamsungBrowser/(\d{1,4})"),
        ("Vivaldi", r"Vivaldi/(\d{1,4})"),
        ("Firefox", r"(?:Firefox|FxiOS)/(\d{1,4})"),
        ("Chrome", r"(?:Chrome|CriOS)/(\d{1,4})"),
        ("Safari", r"Version/(\d{1,4})[\d.]{0,20} (?:Mobile/\w{1,20} )?Safari/"),
    )
)
_SYSTEMS: Final = tuple(
    (name, re.compile(pattern, re.ASCII))
    for name, pattern in (
        ("iPadOS", r"\(iPad;(?: CPU OS (\d{1,3})_)?"),
        ("iOS", r"\((?:iPhone|iPod)[^;]{0,20};(?: CPU iPhone OS (\d{1,3})_)?"),
        # Chrome reports "Android 10; K" for every Android.
        ("Android", r"\bAndroid(?: (\d{1,3})(?![\d.]*; K\)))?"),
        ("Windows", r"\bWindows NT()"),
        ("macOS", r"\(Macintosh()"),
        ("ChromeOS", r"\bCrOS()"),
        ("Linux", r"\bLinux()|\(X11"),
    )
)
_PLATFORMS: Final = {name: name for name, _ in _SYSTEMS} | {"Chrome OS": "ChromeOS", "Chromium OS": "ChromeOS"}
_OF_COMPUTERS: Final = ("Windows", "macOS", "ChromeOS", "Linux")


def device_of(headers: Mapping[str, str]) -> VisitorDevice | None:
    """Read the device from the client hints that browsers send by default, else from the user agent; None for an
    unknown client."""
    agent = headers.get("user-agent", "")[:_MOST_CHARS]
    system, version = _found(_SYSTEMS, agent)
    hinted = _PLATFORMS.get(headers.get("sec-ch-ua-platform", "").strip('"'), "")
    # An iPad's system is a kind of iOS, for which hints have no name.
    if hinted and hinted != system and (hinted, system) != ("iOS", "iPadOS"):
        system, version = hinted, ""
    browser = _branded(headers.get("sec-ch-ua", "")[:_MOST_CHARS]) or _named(*_found(_BROWSERS, agent))
    mobile = headers.get("sec-ch-ua-mobile", "")
    kind = _kind(system, is_mobile=mobile == "?1" if mobile else "Mobile" in agent)
    return VisitorDevice(kind, _named(system, version), browser) if kind or system or browser else None


def _kind(system: str, *, is_mobile: bool) -> DeviceKind | None:
    if system == "iPadOS" or (system == "Android" and not is_mobile):
        return DeviceKind.TABLET
    if system in _OF_COMPUTERS:
        return DeviceKind.COMPUTER
    return DeviceKind.PHONE if is_mobile else None


def _branded(brands: str) -> str:
    versions = dict(_BRAND.findall(brands))
    return next((f"{name} {versions[brand]}" for brand, name in _BRANDS.items() if brand in versions), "")


def _found(known: tuple[tuple[str, re.Pattern[str]], ...], agent: str) -> tuple[str, str]:
    """The first matching name with its version, or ""."""
    return next(((name, found[1] or "") for name, form in known if (found := form.search(agent))), ("", ""))


def _named(name: str, version: str) -> str:
    return f"{name} {version}".strip()


MAX_ATTRIBUTES: Final = 20
MAX_SIGNED_BYTES: Final = 4000


def all_attributes(plain: Mapping[str, str], signed: Mapping[str, str]) -> tuple[VisitorAttribute, ...]:
    """All attributes, sorted by name; signed ones replace unsigned ones of the same name. Raises InvalidInput."""
    for field, given in (("attributes", plain), ("signed_attributes", signed)):
        if len(given) > MAX_ATTRIBUTES:
            raise InvalidInput(field, f"This has {len(given)} attributes. Use at most {MAX_ATTRIBUTES}.")
        for name, value in given.items():
            check_attribute(field, name, (value,))
    names = sorted({*plain, *signed})
    return tuple(VisitorAttribute(name, signed.get(name, plain.get(name, "")), name in signed) for name in names)


def read_signed(text: str) -> Mapping[str, str]:
    """Parse a JSON object of strings. Raises InvalidInput."""
    try:
        attributes = json.loads(text)
    except (ValueError, RecursionError):
        attributes = None
    if not isinstance(attributes, dict) or not all(isinstance(value, str) for value in attributes.values()):
        raise InvalidInput("signed_attributes", 'Send a JSON object of strings as a string, such as {"plan":"pro"}.')
    return attributes


def narrowing(attributes: Sequence[VisitorAttribute], names: Sequence[str]) -> tuple[AttributeFilter, ...]:
    """The filter for a visitor with these attributes: the signed ones among `names`."""
    return tuple(
        AttributeFilter(each.name, (each.value,)) for each in attributes if each.is_signed and each.name in names
    )
