from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from app.actions.action import (
    Action,
    ActionHosts,
    ActionMethod,
    check_action,
    check_headers,
    filled_template,
    visitor_fact,
)
from app.core.errors import InvalidInput
from app.providers.http_caller import call_refusal
from tests.every_row import every_row

ORDER: Mapping[str, Any] = {
    "type": "object",
    "properties": {"order": {"type": "string", "maxLength": 20}, "lines": {"type": "boolean"}},
    "required": ["order"],
}
ACTION = Action(
    UUID(int=1), UUID(int=2), "order_status", "Order status", "Where an order is.",
    "https://api.shop.example/orders/{order}", parameters=ORDER,
)  # fmt: skip
HOSTS = ActionHosts(("api.shop.example", "*.partner.example"), partial(call_refusal, ()))


def test_a_right_one_passes() -> None:
    check_action(ACTION, HOSTS)
    check_action(replace(ACTION, url="https://eu.api.partner.example:8443/o?id={order}&c={customer}", fixed={
        "customer": "{{ visitor.id }}", "shop": "main"}), HOSTS)  # fmt: skip


@every_row(
    ("url", "words"),
    [
        ("https://{order}.shop.example/", "the host is fixed"),
        ("https://api.shop.example:{order}/", "the host is fixed"),
        ("https://api.shop.example@evil.example/orders/{order}", "user name"),
        ("https://evil.example/orders/{order}", "not allow calls"),
        ("https://partner.example/orders/{order}", "not allow calls"),
        ("https://evilpartner.example/orders/{order}", "not allow calls"),
        ("https://api.shop.example/orders/{lines}", "a required parameter"),
        ("https://api.shop.example/orders/{nothing}", "a required parameter"),
        ("https://api.shop.example/orders/{order}#top", "no fragment"),
        ("https://api.shop.example/orders/{order", "single braces"),
        ("https://api.shop.example/{{visitor.id}}", "single braces"),
        ("ftp://api.shop.example/{order}", "full address"),
        ("http://api.shop.example/orders/{order}", "https://"),
        ("https://api.shop.example:22/orders/{order}", "port 22"),
        ("https://.partner.example/orders/{order}", "partner.example"),
        ("https://a..partner.example/orders/{order}", "partner.example"),
    ],
)
def test_an_address_that_could_lead_elsewhere_is_refused(url: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words) as refused:
        check_action(replace(ACTION, url=url), HOSTS)
    assert refused.value.field == "url"


def test_without_allowed_hosts_no_action_can_be_made() -> None:
    with pytest.raises(InvalidInput, match="DOCENT_ACTION_HOSTS"):
        check_action(ACTION, ActionHosts())


@every_row(
    ("fixed", "words"),
    [
        ({"order": "A-17"}, "is also a parameter"),
        ({"customer": "id-{{visitor.id}}"}, "or only"),
        ({"customer": "{{secret.key}}"}, "or only"),
        ({"a b": "c"}, "letters, digits"),
        ({"customer": "a\nb"}, "one line"),
    ],
)
def test_a_fixed_value_is_a_text_or_what_was_signed(fixed: Mapping[str, str], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        check_action(replace(ACTION, fixed=fixed), HOSTS)


@every_row(
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


CHANGE = replace(
    ACTION,
    method=ActionMethod.POST,
    changes=True,
    summary="Cancel order {order}?",
    done_text="Order {order} is cancelled: {result}",
)


def test_one_that_changes_something_passes_with_what_the_visitor_confirms() -> None:
    check_action(CHANGE, HOSTS)
    check_action(replace(CHANGE, method=ActionMethod.DELETE, done_text=""), HOSTS)


@every_row(
    ("changes", "field", "words"),
    [
        ({"summary": " "}, "summary", "cannot be empty"),
        ({"summary": "Cancel {lines}?"}, "summary", "a required parameter"),
        ({"summary": "Cancel {result}?"}, "summary", "a required parameter"),
        ({"summary": "Cancel {order?"}, "summary", "single braces"),
        ({"summary": "a" * 301}, "summary", "Use at most 300"),
        ({"done_text": "{customer}"}, "done_text", "a required parameter"),
        ({"method": ActionMethod.GET}, "changes", "repeated in transit"),
        ({"changes": False}, "summary", "Leave this blank"),
        ({"changes": False, "summary": "", "done_text": "", "method": ActionMethod.PUT}, "changes", "PUT"),
    ],
)
def test_one_that_visitors_could_not_confirm_is_refused(changes: Mapping[str, Any], field: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words) as refused:
        check_action(replace(CHANGE, **changes), HOSTS)
    assert refused.value.field == field


def test_no_value_is_a_place_of_a_template() -> None:
    assert filled_template("{a} and {b}", {"a": "{b}", "b": "{a}"}) == "{b} and {a}"
