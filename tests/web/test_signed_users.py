"""A website's server signs who its visitor is: nobody else gets that person's conversation."""

from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.agents.agent import AgentConfig
from app.agents.agents import Agents
from app.agents.signed_user import user_signature
from app.agents.signed_users import SignedUsers
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.turns import TurnRecords
from app.core.turn import AnsweredBy, Finish, TurnEnd, TurnRequest, TurnState, VisitorSession
from tests.web.house import PAGE, SITE, House, Json, VisitorHttp

ANN, BEN = "ann@example.com", "ben-17"


async def made_secret(house: House) -> str:
    answer = await house.api("POST", f"/v1/agents/{house.agent.id}/user-secret")
    assert answer.status_code == 201
    return str(answer.json()["secret"])


def signed(secret: str, user_id: str) -> Json:
    return {"user_id": user_id, "user_hash": user_signature(secret, user_id)}


async def asked(house: House, session: Json, question: str) -> None:
    """The question in the record, in the conversation of that session, answered."""
    turn_id = uuid4()
    with house.record.writing() as tx:
        known = ConversationRecords(tx).conversation(house.actor.workspace_id, UUID(session["conversation_id"]))
        conversation = VisitorSession(house.actor.workspace_id, house.agent.id, known.visitor_id, known.id)
        TurnRecords(tx).begin(conversation, TurnRequest(turn_id, question, PAGE), 1, "tests")
        end = TurnEnd(TurnState.DONE, "Yes.", AnsweredBy.EXTRACTIVE, 0.9, False, Finish.COMPLETE)
        TurnRecords(tx).finish(turn_id, end)


def questions(session: Json) -> list[str]:
    return [message["text"] for message in session["messages"] if message["role"] == "visitor"]


async def refusal(house: House, **more: object) -> tuple[int, str, str]:
    body = {"agent_id": str(house.agent.id), "page_url": PAGE, **more}
    answer = await house.http.post("/v1/widget/init", json=body, headers={"Origin": SITE})
    error = answer.json()["error"]
    return answer.status_code, error["code"], error["message"]


async def test_a_signed_user_finds_their_conversation_in_any_browser(house: House) -> None:
    secret = await made_secret(house)
    first = await house.init(**signed(secret, ANN))
    await asked(house, first, "Where is my order?")
    elsewhere = await house.init(**signed(secret, ANN))
    assert elsewhere["visitor_id"] == first["visitor_id"]
    assert questions(elsewhere) == ["Where is my order?"]
    assert elsewhere["anonymous_id"] is None


async def test_another_person_on_the_same_browser_gets_a_conversation_of_their_own(house: House) -> None:
    secret = await made_secret(house)
    anonymous = await house.init()
    await asked(house, anonymous, "Asked by nobody in particular")
    kept = {"anon_id": anonymous["anonymous_id"]}
    ann = await house.init(**kept, **signed(secret, ANN))
    assert questions(ann) == []
    await asked(house, ann, "Asked by Ann")
    assert questions(await house.init(**kept, **signed(secret, BEN))) == []
    assert questions(await house.init(**kept)) == ["Asked by nobody in particular"]


async def test_no_anonymous_id_leads_to_a_signed_user(house: House) -> None:
    ann = await house.init(**signed(await made_secret(house), ANN))
    await asked(house, ann, "Asked by Ann")
    export = (await VisitorHttp(house, ann).call("GET", "/me/export")).json()
    assert export["user_id"] == ANN
    with house.record.reading() as tx:
        named = ConversationRecords(tx).signed_visitor(house.agent.id, ANN).anonymous_id
    other = await house.init(anon_id=str(named))
    assert other["visitor_id"] != ann["visitor_id"]
    assert questions(other) == []


@pytest.mark.parametrize(
    "forged",
    [
        pytest.param({"user_id": ANN}, id="no signature"),
        pytest.param({"user_id": ANN, "user_hash": ""}, id="an empty one"),
        pytest.param({"user_id": ANN, "user_hash": "0" * 64}, id="a made-up one"),
        pytest.param({"user_id": ANN, "user_hash": user_signature("", ANN)}, id="one by an empty secret"),
        pytest.param({"user_id": ANN, "user_hash": "ü" * 64}, id="no hexadecimal"),
    ],
)
async def test_a_name_without_its_signature_is_refused_with_the_fix(house: House, forged: Json) -> None:
    await made_secret(house)
    status, code, message = await refusal(house, **forged)
    assert (status, code) == (401, "unauthorized")
    assert "user_hash" in message
    assert "HMAC-SHA256" in message


async def test_a_signature_is_of_one_user_by_one_agent_s_newest_secret(house: House) -> None:
    other = await house.parts.get(Agents).create(house.actor, AgentConfig(name="Shop", allowed_origins=(SITE,)))
    others_secret = await house.parts.get(SignedUsers).make_secret(house.actor, other.id)
    secret = await made_secret(house)
    wrong = [
        {**signed(secret, ANN), "user_id": BEN},
        {**signed(secret, ANN), "user_id": ANN + " "},
        signed(others_secret, ANN),
    ]
    for forged in wrong:
        assert (await refusal(house, **forged))[0] == 401
    assert (await house.init(**signed(secret, ANN)))["visitor_id"]
    newer = await made_secret(house)
    assert (await refusal(house, **signed(secret, ANN)))[0] == 401
    assert (await house.init(**signed(newer, ANN)))["visitor_id"]


async def test_an_agent_without_a_secret_believes_nobody_and_still_serves_the_anonymous(house: House) -> None:
    path = f"/v1/agents/{house.agent.id}/user-secret"
    assert (await house.api("GET", path)).json() == {"created_at": None}
    assert "user-secret" in (await refusal(house, **signed("dus_x", ANN)))[2]
    secret = await made_secret(house)
    assert (await house.api("GET", path)).json()["created_at"]
    assert (await house.api("DELETE", path)).status_code == 204
    assert (await refusal(house, **signed(secret, ANN)))[:2] == (401, "unauthorized")
    assert (await house.init())["visitor_id"]


@pytest.mark.parametrize("user_id", ["", "a\nb", "a\0b", "x" * 201], ids=["empty", "two lines", "NUL", "too long"])
async def test_a_name_that_cannot_be_one_is_refused_by_its_field(house: House, user_id: str) -> None:
    status, _, message = await refusal(house, user_id=user_id, user_hash="0" * 64)
    assert status == 422
    assert "user_id" in message


def kept_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def test_the_secret_is_kept_nowhere(house: House, tmp_path: Path) -> None:
    secret = await made_secret(house)
    assert b"user_keys" in kept_in(tmp_path)
    assert secret.encode() not in kept_in(tmp_path)


async def test_what_is_kept_of_a_signed_user_is_erased_with_the_name(house: House) -> None:
    secret = await made_secret(house)
    ann = await house.init(**signed(secret, ANN))
    await asked(house, ann, "Where is my order?")
    assert (await VisitorHttp(house, ann).call("DELETE", "/me")).status_code == 200
    again = await house.init(**signed(secret, ANN))
    assert again["visitor_id"] != ann["visitor_id"]
    assert questions(again) == []
