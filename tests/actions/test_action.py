from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from app.actions.action import Action, ActionHosts, check_action, check_headers, visitor_fact
from app.core.errors import InvalidInput

ORDER: Mapping[str, Any] = {
    "type": "object",
    "properties": {"order": {"type": "string", "maxLength": 20}, "lines": {"type": "boolean"}},
    "required": ["order"],
}
ACTION = Action(
    UUID(int=1), UUID(int=2), "order_status", "Order status", "Where an order is.",
    "https://api.shop.example/orders/{order}", parameters=ORDER,
)  # fmt: skip
HOSTS = ActionHosts(("api.shop.example", "*.partner.example"))


def test_a_right_one_passes() -> None:
    check_action(ACTION, HOSTS)
    check_action(replace(ACTION, url="https://eu.api.partner.example:8443/o?id={order}&c={customer}", fixed={
        "customer": "{{ visitor.id }}", "shop": "main"}), HOSTS)  # fmt: skip


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://{order}.shop.example/", "host is always the same"),
        ("https://api.shop.example:{order}/", "host is always the same"),
        ("https://api.shop.example@evil.example/orders/{order}", "user name"),
        ("https://evil.example/orders/{order}", "allows no calls"),
        ("https://partner.example/orders/{order}", "allows no calls"),
        ("https://evilpartner.example/orders/{order}", "allows no calls"),
        ("https://api.shop.example/orders/{lines}", "no required parameter"),
        ("https://api.shop.example/orders/{nothing}", "no required parameter"),
        ("https://api.shop.example/orders/{order}#top", "no fragment"),
        ("https://api.shop.example/orders/{order", "single braces"),
        ("https://api.shop.example/{{visitor.id}}", "single braces"),
        ("ftp://api.shop.example/{order}", "whole address"),
    ],
)
def test_an_address_that_could_lead_elsewhere_is_refused(url: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words) as refused:
        check_action(replace(ACTION, url=url), HOSTS)
    assert refused.value.field == "url"


def test_without_allowed_hosts_no_action_can_be_made() -> None:
    with pytest.raises(InvalidInput, match="DOCENT_ACTION_HOSTS"):
        check_action(ACTION, ActionHosts())


@pytest.mark.parametrize(
    ("fixed", "words"),
    [
        ({"order": "A-17"}, "is a parameter as well"),
        ({"customer": "id-{{visitor.id}}"}, "alone"),
        ({"customer": "{{secret.key}}"}, "alone"),
        ({"a b": "c"}, "letters, digits"),
        ({"customer": "a\nb"}, "one line"),
    ],
)
def test_a_fixed_value_is_a_text_or_what_was_signed(fixed: Mapping[str, str], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        check_action(replace(ACTION, fixed=fixed), HOSTS)


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Content-Length": "5"},
        {"X Key": "a"},
        {"X-Key": "a\r\nX-Other: b"},
        {"X-Key": "ключ"},
        {"X-Key": ""},
        {"X-Key": "a", "x-key": "b"},
    ],
)
def test_a_header_that_could_change_the_request_is_refused(headers: Mapping[str, str]) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_headers(headers)
    assert all(value not in str(refused.value) for value in headers.values() if len(value) > 3)


def test_only_whole_references_are_taken_from_the_visitor() -> None:
    assert visitor_fact("{{visitor.plan}}") == "plan"
    assert visitor_fact("{{ visitor.id }}") == "id"
    assert visitor_fact("visitor.id") is None
