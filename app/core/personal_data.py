"""Masks personal data in what visitors write, before it is stored for longer than their conversation.

It finds only what has a recognisable form: addresses, numbers and secrets, not names. Versions, dates, prices and error
codes are what questions are about, so they stay.
"""

import re
from collections.abc import Callable
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final

EMAIL: Final = "[email]"
PHONE: Final = "[phone]"
CARD: Final = "[card]"
IBAN: Final = "[iban]"
IP_ADDRESS: Final = "[ip]"
NUMBER: Final = "[number]"
SECRET: Final = "[secret]"  # noqa: S105 - what stands in a secret's place

_URL = re.compile(r"(\b[a-z][a-z0-9+.-]{1,20}://[^\s<>\"']+)", re.IGNORECASE)
_USER_INFO = re.compile(r"(?<=://)[^/?#@\s]+(?=@)")
_PARAMETER = re.compile(r"(?<=[?&;#])([^=&;#?]{1,64})=([^&;#]+)")
_SECRET_NAME = re.compile(
    r"(?:^|[_.-])(?:auth|authorization|code|credential|jwt|key|otp|pass|password|passwd|pin|pwd|secret|session|"
    r"sessionid|sid|sig|signature|state|ticket|token)s?$|(?:token|secret|password|apikey|accesskey|sessionid)$",
    re.IGNORECASE,
)
# An image's `@2x.png` and a repository's `git@host:path` look alike, but are no addresses.
_EMAIL = re.compile(r"(?<![\w.+%-])[\w.+%-]++@(?!\dx\.)(?:[\w-]++\.)+[^\W\d_]{2,24}(?![\w@]|:[\w~/])")
_IBAN = re.compile(r"\b[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}")
# Letters of scripts without spaces may touch a number, hence no `\w` around it.
_IPV6 = re.compile(r"(?<![A-Za-z_\d:.])(?=[0-9A-Fa-f]*+:[0-9A-Fa-f]*+:)[0-9A-Fa-f:.]*[0-9A-Fa-f](?![A-Za-z_\d:])")
_IPV4 = re.compile(r"(?<![A-Za-z_\d.-])(?:\d{1,3}\.){3}\d{1,3}(?![A-Za-z_\d-]|\.\d)")
_VERSION_BEFORE = re.compile(r"(?:\bv|versi\w{0,9}|release|build|firmware|driver)[.:]?\s*+$", re.IGNORECASE)
_CARD = re.compile(r"(?<![A-Za-z_\d.])[2-6]\d{3}(?:[ -]?\d){9,15}(?![A-Za-z_\d]|[.,]\d)")
# International; national with the trunk prefix; North American. Dates are matched first, so that they stay.
_PHONE = re.compile(
    r"(?P<kept>(?<!\d)(?:\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{2,4})(?![-/.]?\d)(?:[T ]\d{1,2}:\d\d)?)"
    r"|(?<![A-Za-z_\d+.,])(?:\+|00)[1-9](?:[ ()/.-]{0,3}\d){6,14}(?![A-Za-z_\d]|[.,:]\d)"
    r"|(?<![A-Za-z_\d.,:/-])\(?0[1-9](?:[ ()/.-]{0,3}\d){7,11}(?![A-Za-z_\d]|[.,:-]\d)"
    r"|(?<![A-Za-z_\d.,:/-])(?:\([2-9]\d\d\) ?|[2-9]\d\d[ .-])[2-9]\d\d[ .-]\d{4}(?![A-Za-z_\d-]|[.,:]\d)"
)
# Runs of digits; runs after the two or three capitals of a customer or order number; groups of four; 123-45-6789.
_NUMBER = re.compile(
    r"(?P<kept>\b[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b)"
    r"|(?<![A-Za-z_\d.,$€£¥₹])(?<!\s-)(?<!^-)\d{9,}(?![A-Za-z_\d]|[.,]\d|\s?[$€£¥₹%])"
    r"|(?<=[A-Z]{2})\d{9,}(?![A-Za-z_\d])"
    r"|(?<![A-Za-z_\d.,])\d{4}(?:[ -]\d{4}){2,}(?![A-Za-z_\d]|[.,]\d)"
    r"|(?<![A-Za-z_\d.,-])\d{3}-\d\d-\d{4}(?![A-Za-z_\d-])"
)

# The length of an IBAN by country:
# https://www.swift.com/standards/data-standards/iban-international-bank-account-number
_IBAN_CHARS: Final = {
    country: length
    for length, countries in {
        15: "NO",
        16: "BE",
        18: "DK FI FK FO GL NL SD",
        19: "MK SI",
        20: "AT BA EE KZ LT LU MN XK",
        21: "CH HR LI LV",
        22: "BG BH CR DE GB GE IE ME RS VA",
        23: "AE GI IL IQ OM SO TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG",
        25: "LY PT ST",
        26: "IS TR",
        27: "BF BI CF CM DJ FR GR IT MC MG MR SM",
        28: "AL AZ BY CY DO GT HN HU LB NI PL SN SV",
        29: "BR EG PS QA UA",
        30: "JO KW MU YE",
        31: "MT SC",
        32: "LC",
        33: "RU",
    }.items()
    for country in countries.split()
}


def masked(text: str) -> str:
    """The text with e-mail addresses, telephone, card and account numbers, IP addresses, secrets in URLs and digit runs
    of nine or more each replaced by its kind, such as "[email]". Masking is idempotent."""
    parts = _URL.split(text)
    return "".join(_masked_url(part) if place % 2 else _masked_words(part) for place, part in enumerate(parts))


def _masked_words(text: str) -> str:
    text = _EMAIL.sub(EMAIL, text)
    text = _IBAN.sub(_mask_iban, text)
    text = _IPV6.sub(_mask_if(_is_somebodys_ipv6, IP_ADDRESS), text)
    text = _IPV4.sub(_mask_ipv4, text)
    text = _CARD.sub(_mask_if(_is_card, CARD), text)
    text = _PHONE.sub(_mask_unless_kept(PHONE), text)
    return _NUMBER.sub(_mask_unless_kept(NUMBER), text)


def _masked_url(url: str) -> str:
    """Ids in a path identify a page, so they stay."""
    url = _USER_INFO.sub(SECRET, url)
    url = _PARAMETER.sub(lambda found: f"{found[1]}={SECRET}" if _SECRET_NAME.search(found[1]) else found[0], url)
    url = _EMAIL.sub(EMAIL, url)
    return _IPV4.sub(_mask_ipv4, url)


def _mask_if(is_one: Callable[[str], bool], mask: str) -> Callable[[re.Match[str]], str]:
    return lambda found: mask if is_one(found[0]) else found[0]


def _mask_unless_kept(mask: str) -> Callable[[re.Match[str]], str]:
    def replaced(found: re.Match[str]) -> str:
        return found[0] if found["kept"] or _is_list_of_years(found[0]) else mask

    return replaced


def _mask_iban(found: re.Match[str]) -> str:
    """Masks only as many characters as the country's IBANs have, because the text after one may look like a part."""
    text = found[0]
    wanted = _IBAN_CHARS.get(text[:2].upper(), 0)
    end = count = 0
    while count < wanted and end < len(text):
        count += text[end].isalnum()
        end += 1
    is_whole = count == wanted > 0 and not text[end : end + 1].isalnum()
    if not is_whole or not _has_iban_checksum(text[:end]):
        return text
    return IBAN + text[end:]


def _has_iban_checksum(text: str) -> bool:
    """ISO 7064, modulo 97."""
    characters = "".join(character for character in text.upper() if character.isalnum())
    digits = "".join(str(int(character, 36)) for character in characters[4:] + characters[:4])
    return int(digits) % 97 == 1


def _is_card(text: str) -> bool:
    """ISO/IEC 7812: 13 to 19 digits with a Luhn checksum."""
    digits = [int(character) for character in text if character.isdigit()]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return 13 <= len(digits) <= 19 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_list_of_years(text: str) -> bool:
    groups = re.split(r"[ -]", text)
    return len(groups) > 1 and all(len(group) == 4 and group[:2] in ("19", "20") for group in groups)


def _mask_ipv4(found: re.Match[str]) -> str:
    """Keeps versions of four parts, which the word before them reveals, and loopback addresses and netmasks, which
    belong to nobody."""
    try:
        address = IPv4Address(found[0])
    except AddressValueError:
        return found[0]
    is_everybodys = address.is_loopback or address.is_unspecified or found[0].startswith("255.")
    before = found.string[max(0, found.start() - 20) : found.start()]
    return found[0] if is_everybodys or _VERSION_BEFORE.search(before) else IP_ADDRESS


def _is_somebodys_ipv6(text: str) -> bool:
    """Whether the text is a person's address; without a digit, it may be a name in a program, such as "abc::def"."""
    try:
        address = IPv6Address(text)
    except AddressValueError:
        return False
    return any(character.isdigit() for character in text) and not (address.is_loopback or address.is_unspecified)
