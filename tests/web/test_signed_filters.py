"""A website's server signs what a visitor is answered from: every turn of the token keeps to it."""

import base64
import json
from datetime import date
from uuid import UUID, uuid4

import pytest

from app.agents.agents import Agents
from app.agents.signed_user import filter_signature, user_signature
from app.agents.signed_users import SignedUsers
from app.core.search_filter import AttributeFilter, SearchFilter
from app.web.visitor_tokens import MAX_TOKEN_CHARS
from tests.web.house import PAGE, SITE, House, Json, VisitorHttp, a_question

SOURCE = UUID("2f1c8a34-6c55-4b0e-9a3e-0d8f4f1f2a11")
DOCS = '{"path_prefixes": ["/docs/"]}'
EVERY_PART = json.dumps({
    "sources": [str(SOURCE)], "path_prefixes": ["/docs/"], "languages": ["de"], "dated_from": "2026-01-01",
    "dated_to": "2026-06-30", "attributes": [{"name": "product", "values": ["One", "Zwölf"]}],
})  # fmt: skip


async def made_secret(house: House) -> str:
    return await house.parts.get(SignedUsers).make_secret(house.actor, house.agent.id)


def signed(secret: str, text: str, user_id: str = "") -> Json:
    return {"filter": text, "filter_hash": filter_signature(secret, text, user_id)}


async def refusal(house: House, **more: object) -> tuple[int, str]:
    body = {"agent_id": str(house.agent.id), "page_url": PAGE, **more}
    answer = await house.http.post("/v1/widget/init", json=body, headers={"Origin": SITE})
    return answer.status_code, answer.json()["error"]["message"]


def asked_filters(house: House) -> list[SearchFilter]:
    return [request.only for _, request in house.turns.asked]


async def test_a_signed_filter_narrows_every_turn_of_the_token(house: House) -> None:
    visitor = VisitorHttp(house, await house.init(**signed(await made_secret(house), EVERY_PART)))
    assert (await visitor.ask()).status_code == 200
    assert (await visitor.call("POST", "/messages", a_question())).status_code == 200
    only = SearchFilter(
        (SOURCE,), ("/docs/",), ("de",), date(2026, 1, 1), date(2026, 6, 30),
        (AttributeFilter("product", ("One", "Zwölf")),),
    )  # fmt: skip
    assert asked_filters(house) == [only, only]


async def test_without_a_filter_nothing_is_narrowed(house: House) -> None:
    await made_secret(house)
    await VisitorHttp(house, await house.init()).ask()
    assert asked_filters(house) == [SearchFilter()]


@pytest.mark.parametrize("more", [{"filter": "{}"}, {"only": {}}, {"filter_hash": ""}], ids=str)
async def test_a_question_cannot_widen_what_was_signed(house: House, more: Json) -> None:
    visitor = VisitorHttp(house, await house.init(**signed(await made_secret(house), DOCS)))
    answer = await visitor.call("POST", "/messages", {**a_question(), **more})
    assert answer.status_code == 422
    assert asked_filters(house) == []


async def test_a_filter_is_not_widened_within_the_token(house: House) -> None:
    session = await house.init(**signed(await made_secret(house), DOCS))
    head, claims, signature = session["token"].split(".")
    read = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    assert json.loads(read["filter"]) == json.loads(DOCS)
    for changed in ({**read, "filter": "{}"}, {key: read[key] for key in read if key != "filter"}):
        body = base64.urlsafe_b64encode(json.dumps(changed).encode()).rstrip(b"=").decode()
        visitor = VisitorHttp(house, {**session, "token": f"{head}.{body}.{signature}"})
        assert (await visitor.ask()).status_code == 401
    assert asked_filters(house) == []


async def test_a_filter_without_its_own_signature_is_refused_with_the_fix(house: House) -> None:
    other = await house.parts.get(Agents).create(house.actor, house.agent.draft)
    others_secret = await house.parts.get(SignedUsers).make_secret(house.actor, other.id)
    secret = await made_secret(house)
    ann = {"user_id": "ann", "user_hash": user_signature(secret, "ann")}
    forged: dict[str, Json] = {
        "unsigned": {"filter": DOCS},
        "signed by nobody": {"filter": DOCS, "filter_hash": "0" * 64},
        "changed after it was signed": {**signed(secret, DOCS), "filter": '{"path_prefixes": ["/"]}'},
        "signed by another agent": signed(others_secret, DOCS),
        "signed as a user id": {"filter": DOCS, "filter_hash": user_signature(secret, DOCS)},
        "signed for a user, sent by nobody": signed(secret, DOCS, "ann"),
        "signed for another user": {**ann, **signed(secret, DOCS, "ben")},
        "signed for nobody, sent by a user": {**ann, **signed(secret, DOCS)},
    }
    for how, fields in forged.items():
        status, message = await refusal(house, **fields)
        assert (status, message.partition(":")[0]) == (401, "filter_hash"), how
        assert "HMAC-SHA256" in message
    assert (await house.init(**ann, **signed(secret, DOCS, "ann")))["token"]


async def test_no_signature_of_a_filter_makes_a_user(house: House) -> None:
    forged = {"user_id": f"filter\n\n{DOCS}", "user_hash": filter_signature(await made_secret(house), DOCS)}
    status, message = await refusal(house, **forged)
    assert status == 422
    assert "user_id" in message


async def test_an_agent_without_a_secret_takes_no_filter(house: House) -> None:
    status, message = await refusal(house, **signed("dus_x", DOCS))
    assert status == 401
    assert message.startswith("filter: this agent has no user secret")


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", "filter"),
        ("[]", "filter"),
        ("docs", "filter"),
        ('{"path_prefixes": ["docs"]}', "filter.path_prefixes.0"),
        ('{"sources": ["x"]}', "filter.sources.0"),
        ('{"unknown": 1}', "filter.unknown"),
        ('{"dated_from": "2026-02-01", "dated_to": "2026-01-01"}', "filter.dated_to"),
        (json.dumps({"path_prefixes": ["/" + "ü" * 600]}, ensure_ascii=False), "filter"),
    ],
    ids=["empty", "a list", "no JSON", "no path", "no id", "unknown", "a window of no day", "too long"],
)
async def test_a_signed_filter_that_is_none_is_refused_by_its_field(house: House, text: str, field: str) -> None:
    status, message = await refusal(house, **signed(await made_secret(house), text))
    assert (status, message.partition(":")[0]) == (422, field)


async def test_a_signature_without_its_filter_is_refused(house: House) -> None:
    status, message = await refusal(house, filter_hash=filter_signature(await made_secret(house), DOCS))
    assert (status, message.partition(":")[0]) == (422, "filter_hash")


@pytest.mark.parametrize(
    "value", ["ü" * 450, "\U0001f600" * 220, '"' * 250], ids=["two bytes each", "four bytes each", "quotes"]
)
async def test_the_longest_filter_fits_the_token(house: House, value: str) -> None:
    values = [value[start : start + 60] for start in range(0, len(value), 60)]
    text = json.dumps({"attributes": [{"name": "p", "values": values}]}, ensure_ascii=False, separators=(",", ":"))
    session = await house.init(**signed(await made_secret(house), text))
    assert len(session["token"]) <= MAX_TOKEN_CHARS
    await VisitorHttp(house, session).ask(uuid4())
    assert asked_filters(house) == [SearchFilter(attributes=(AttributeFilter("p", tuple(values)),))]
