"""What is known of a visitor's device: kind, system and browser by names that we know, and nothing else of a header."""

import csv
from dataclasses import asdict
from datetime import UTC, datetime
from uuid import UUID

import pytest

from app.conversations.api.conversations import conversations_file
from app.conversations.conversation import Conversation, InboxEntry
from app.conversations.visitor_facts import DeviceKind, VisitorDevice, device_of
from tests.every_row import every_row
from tests.linear_time import takes_linear_time

PHONE, TABLET, COMPUTER = DeviceKind.PHONE, DeviceKind.TABLET, DeviceKind.COMPUTER
_KHTML = "AppleWebKit/537.36 (KHTML, like Gecko)"
_WEBKIT = "AppleWebKit/605.1.15 (KHTML, like Gecko)"


@every_row(
    ("agent", "kind", "system", "browser"),
    [
        (f"(Windows NT 10.0; Win64; x64) {_KHTML} Chrome/128.0.0.0 Safari/537.36", COMPUTER, "Windows", "Chrome 128"),
        (
            f"(Windows NT 10.0; Win64; x64) {_KHTML} Chrome/128.0.0.0 Safari/537.36 Edg/128.0.0.0",
            COMPUTER,
            "Windows",
            "Edge 128",
        ),
        (
            f"(X11; Linux x86_64) {_KHTML} Chrome/113.0.0.0 Safari/537.36 OPR/99.0.0.0",
            COMPUTER,
            "Linux",
            "Opera 99",
        ),
        ("(X11; Ubuntu; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0", COMPUTER, "Linux", "Firefox 130"),
        (
            f"(Macintosh; Intel Mac OS X 10_15_7) {_WEBKIT} Version/17.5 Safari/605.1.15",
            COMPUTER,
            "macOS",
            "Safari 17",
        ),
        (f"(X11; CrOS x86_64 14541.0.0) {_KHTML} Chrome/128.0.0.0 Safari/537.36", COMPUTER, "ChromeOS", "Chrome 128"),
        (
            f"(iPhone; CPU iPhone OS 17_5_1 like Mac OS X) {_WEBKIT} Version/17.5 Mobile/15E148 Safari/604.1",
            PHONE,
            "iOS 17",
            "Safari 17",
        ),
        (
            f"(iPhone; CPU iPhone OS 17_5 like Mac OS X) {_WEBKIT} FxiOS/127.0 Mobile/15E148 Safari/605.1.15",
            PHONE,
            "iOS 17",
            "Firefox 127",
        ),
        (
            f"(iPad; CPU OS 16_6 like Mac OS X) {_WEBKIT} CriOS/126.0.6478.35 Mobile/15E148 Safari/604.1",
            TABLET,
            "iPadOS 16",
            "Chrome 126",
        ),
        (f"(Linux; Android 10; K) {_KHTML} Chrome/128.0.0.0 Mobile Safari/537.36", PHONE, "Android", "Chrome 128"),
        (f"(Linux; Android 10; K) {_KHTML} Chrome/128.0.0.0 Safari/537.36", TABLET, "Android", "Chrome 128"),
        ("(Android 14; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0", PHONE, "Android 14", "Firefox 130"),
        ("(Android 13; Tablet; rv:130.0) Gecko/130.0 Firefox/130.0", TABLET, "Android 13", "Firefox 130"),
        (
            f"(Linux; Android 10; K) {_KHTML} SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36",
            PHONE,
            "Android",
            "Samsung Internet 25",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 30 else None,
)
def test_a_browser_is_known_by_its_user_agent(agent: str, kind: DeviceKind, system: str, browser: str) -> None:
    assert device_of({"user-agent": f"Mozilla/5.0 {agent}"}) == VisitorDevice(kind, system, browser)


@every_row(
    ("brands", "mobile", "platform", "expected"),
    [
        (
            '"Not)A;Brand";v="99", "Google Chrome";v="127", "Chromium";v="127"',
            "?0",
            '"macOS"',
            (COMPUTER, "macOS", "Chrome 127"),
        ),
        ('"Chromium";v="128", "Brave";v="128"', "?1", '"Android"', (PHONE, "Android", "Brave 128")),
        ('"Microsoft Edge";v="128", "Chromium";v="128"', "?0", '"Android"', (TABLET, "Android", "Edge 128")),
        ('"Chromium";v="128"', "?0", '"Chrome OS"', (COMPUTER, "ChromeOS", "Chromium 128")),
        ('"Somebody\'s own";v="1"', "?1", '"Toaster"', (PHONE, "", "")),
    ],
    ids=["Chrome", "Brave on a phone", "a tablet", "ChromeOS", "names that we do not know"],
)
def test_client_hints_say_it_first(
    brands: str, mobile: str, platform: str, expected: tuple[DeviceKind, str, str]
) -> None:
    hints = {"sec-ch-ua": brands, "sec-ch-ua-mobile": mobile, "sec-ch-ua-platform": platform}
    assert device_of(hints) == VisitorDevice(*expected)


def test_the_version_of_a_system_is_that_of_the_user_agent_where_both_name_the_same() -> None:
    agent = "Mozilla/5.0 (Android 14; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0"
    known = device_of({"user-agent": agent, "sec-ch-ua-platform": '"Android"'})
    assert known == VisitorDevice(PHONE, "Android 14", "Firefox 130")
    other = device_of({"user-agent": agent, "sec-ch-ua-platform": '"Windows"'})
    assert other is not None
    assert other.system == "Windows"
    tablet = device_of({"user-agent": "Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X)", "sec-ch-ua-platform": '"iOS"'})
    assert tablet == VisitorDevice(TABLET, "iPadOS 16", "")


@every_row("agent", ["", "python-httpx2/2.13", "curl/8.5.0", "Reader Version/3.1", "\x00" * 50])
def test_a_program_has_no_device(agent: str) -> None:
    assert device_of({"user-agent": agent}) is None


def test_nothing_that_somebody_makes_up_is_kept() -> None:
    secret = "Mozilla/5.0 (ann@example.com; Android 14; Mobile) Firefox/130.0 Card/4111111111111111"
    known = device_of({"user-agent": secret, "sec-ch-ua": '"ann@example.com";v="7"', "sec-ch-ua-platform": '"Ann"'})
    assert known is not None
    assert asdict(known) == {"kind": PHONE, "system": "Android 14", "browser": "Firefox 130"}
    assert known.words == "phone, Android 14, Firefox 130"


def test_a_table_of_conversations_says_it_in_words() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    devices = (VisitorDevice(PHONE, "Android 14", "Firefox 130"), VisitorDevice(None, "", "Safari 17"), None)
    begun = (Conversation(UUID(int=1), UUID(int=2), UUID(int=3), now, now, device=each) for each in devices)
    found = list(map(InboxEntry, begun))
    rows = list(csv.DictReader(bytes(conversations_file(found, "csv").body).decode("utf-8-sig").splitlines()))
    assert [row["device"] for row in rows] == ["phone, Android 14, Firefox 130", "Safari 17", ""]


@pytest.mark.parametrize("unit", ["iPhone OS ", "Android 1", '"Chromium";v="', "Version/1 Mobile/"])
def test_a_hostile_header_is_read_at_once(unit: str) -> None:
    assert takes_linear_time(lambda text: device_of({"user-agent": text, "sec-ch-ua": text}), unit, 4000)
