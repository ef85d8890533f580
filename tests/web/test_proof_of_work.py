"""Work that a browser proves before its questions are taken: what is asked for, and what is taken for it."""

import base64
import hashlib
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from structlog.testing import capture_logs

from app.agents.agent_choices import ProofWanted
from app.agents.agents import Agents
from app.web.proof_of_work import LIFETIME, MAX_NUMBER, QUESTIONS_PER_PROOF
from tests.web.house import SITE, House, VisitorHttp, open_house, unlimited

Json = dict[str, Any]


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """Where the agent is set so, a visitor's four steps are taken without a proof, and a network's seven."""
    limits = replace(unlimited(), unproven_steps_per_visitor=4, unproven_steps_per_network=7)
    async with open_house(tmp_path, limits=limits) as opened:
        yield opened


async def set_to(house: House, wanted: ProofWanted) -> None:
    agents = house.parts.get(Agents)
    await agents.change_draft(house.actor, house.agent.id, lambda config: replace(config, proof_of_work=wanted))
    await agents.publish(house.actor, house.agent.id)


def solved(challenge: Json) -> int:
    """As a browser does it."""
    return next(
        number
        for number in range(challenge["maxnumber"] + 1)
        if hashlib.sha256(f"{challenge['salt']}{number}".encode()).hexdigest() == challenge["challenge"]
    )


def proof_of(challenge: Json, changed: Json | None = None) -> str:
    told = {**challenge, "number": solved(challenge), **(changed or {})}
    return base64.b64encode(json.dumps(told).encode()).decode()


async def again(house: House, visitor: VisitorHttp, proof: str) -> Json:
    """The same visitor with a proof."""
    return await house.init(anon_id=visitor.session["anonymous_id"], proof=proof)


async def refused(visitor: VisitorHttp) -> bool:
    response = await visitor.ask()
    if response.status_code == 200:
        return False
    assert (response.status_code, response.json()["error"]["code"]) == (428, "proof_wanted")
    return True


async def test_an_agent_asks_for_nothing_until_it_is_told_to(house: House) -> None:
    visitor = await house.visitor()
    assert visitor.session["challenge"] is None
    assert [await refused(visitor) for _ in range(5)] == [False] * 5


async def test_always_is_from_the_first_question_on(house: House) -> None:
    await set_to(house, ProofWanted.ALWAYS)
    visitor = await house.visitor()
    assert await refused(visitor)
    assert not house.turns.asked
    proven = await again(house, visitor, proof_of(visitor.session["challenge"]))
    assert (proven["conversation_id"], proven["proof_refused"]) == (visitor.session["conversation_id"], None)
    assert not await refused(VisitorHttp(house, proven))


async def test_suspicion_begins_when_a_network_asks_more_than_a_few_people(house: House) -> None:
    await set_to(house, ProofWanted.SUSPICIOUS)
    one, other = await house.visitor(), await house.visitor()
    assert [await refused(each) for each in (one, other, one, other, one)] == [False] * 5
    assert await refused(other)
    proven = VisitorHttp(house, await again(house, one, proof_of(one.session["challenge"])))
    assert not await refused(proven)
    assert await refused(other)


async def test_suspicion_begins_when_one_visitor_asks_more_than_people_do(house: House) -> None:
    await set_to(house, ProofWanted.SUSPICIOUS)
    eager, other = await house.visitor(), await house.visitor()
    assert [await refused(eager) for _ in range(4)] == [False, False, False, True]
    assert not await refused(other)


async def test_who_begins_a_conversation_for_each_question_is_suspicious_sooner(house: House) -> None:
    await set_to(house, ProofWanted.SUSPICIOUS)
    visitor = await house.visitor()
    for _ in range(2):
        afresh = await house.init(anon_id=visitor.session["anonymous_id"], new_conversation=True)
        visitor = VisitorHttp(house, afresh)
    assert [await refused(visitor) for _ in range(2)] == [False, True]


async def test_who_is_another_visitor_for_each_question_is_suspicious_by_the_network(house: House) -> None:
    await set_to(house, ProofWanted.SUSPICIOUS)
    assert [await refused(await house.visitor()) for _ in range(5)] == [False, False, False, True, True]


async def test_a_conversation_that_goes_on_counts_nothing(house: House) -> None:
    await set_to(house, ProofWanted.SUSPICIOUS)
    visitor = await house.visitor()
    for _ in range(8):
        visitor = VisitorHttp(house, await house.init(anon_id=visitor.session["anonymous_id"]))
    assert not await refused(visitor)


async def test_a_conversation_that_begins_with_a_proof_counts_nothing(house: House) -> None:
    await set_to(house, ProofWanted.SUSPICIOUS)
    for _ in range(8):
        challenge = (await house.init())["challenge"]
        await house.init(proof=proof_of(challenge))
    counted = sum(hits for key, hits in house.limiter.hits.items() if "unproven" in key and "network" in key)
    assert counted == 8, "those without a proof alone"


async def test_a_proof_is_good_for_a_few_questions(house: House) -> None:
    await set_to(house, ProofWanted.ALWAYS)
    visitor = await house.visitor()
    proven = VisitorHttp(house, await again(house, visitor, proof_of(visitor.session["challenge"])))
    assert [await refused(proven) for _ in range(QUESTIONS_PER_PROOF + 1)] == [False] * QUESTIONS_PER_PROOF + [True]


async def test_a_proof_is_taken_once(house: House) -> None:
    await set_to(house, ProofWanted.ALWAYS)
    one, other = await house.visitor(), await house.visitor()
    proof = proof_of(one.session["challenge"])
    assert (await again(house, one, proof))["proof_refused"] is None
    replayed = await again(house, other, proof)
    assert replayed["proof_refused"] == "The challenge has already been used."
    assert await refused(VisitorHttp(house, replayed))


async def test_a_challenge_ends(house: House) -> None:
    await set_to(house, ProofWanted.ALWAYS)
    visitor = await house.visitor()
    proof = proof_of(visitor.session["challenge"])
    house.clock.advance(LIFETIME.total_seconds() + 1)
    late = await again(house, visitor, proof)
    assert late["proof_refused"] == "The challenge has expired."
    assert await refused(VisitorHttp(house, late))


def moved(challenge: Json) -> Json:
    """A digit of the number in the salt, which would hash the same, were it not for what ends the salt."""
    digits = str(solved(challenge))
    return {"salt": challenge["salt"].removesuffix("&") + digits[0] + "&", "number": int(digits[1:] or 0)}


@pytest.mark.parametrize(
    "tampered",
    [
        pytest.param(lambda _: {"number": -1}, id="a number below all"),
        pytest.param(lambda told: {"number": (solved(told) + 1) % MAX_NUMBER}, id="another number"),
        pytest.param(lambda told: {"salt": told["salt"].replace("expires=1", "expires=2")}, id="a later end"),
        pytest.param(moved, id="a digit that moves into the salt"),
        pytest.param(lambda _: {"signature": "0" * 64}, id="a signature of nobody"),
        pytest.param(lambda _: {"signature": "ä" * 64}, id="a signature that is no text of ours"),
        pytest.param(lambda _: {"algorithm": "SHA-1"}, id="another algorithm"),
        pytest.param(
            lambda _: {"challenge": hashlib.sha256(b"0").hexdigest(), "number": 0}, id="a challenge of theirs"
        ),
        pytest.param(lambda _: {"number": "7"}, id="a text for the number"),
        pytest.param(lambda _: {"number": True}, id="a truth for the number"),
    ],
)
async def test_what_was_tampered_with_is_refused(house: House, tampered: Any) -> None:
    await set_to(house, ProofWanted.ALWAYS)
    visitor = await house.visitor()
    challenge = cast(Json, visitor.session["challenge"])
    answered = await again(house, visitor, proof_of(challenge, tampered(challenge)))
    assert answered["proof_refused"]
    assert await refused(VisitorHttp(house, answered))


@pytest.mark.parametrize(
    "proof", ["", "x", "ääää", base64.b64encode(b"[1]").decode(), base64.b64encode(b"{}").decode()]
)
async def test_what_is_no_proof_is_refused(house: House, proof: str) -> None:
    await set_to(house, ProofWanted.ALWAYS)
    assert "not a proof" in (await house.init(proof=proof))["proof_refused"]


async def test_a_challenge_is_short_enough_for_one_block_of_sha_256(house: House) -> None:
    await set_to(house, ProofWanted.ALWAYS)
    challenge = (await house.visitor()).session["challenge"]
    assert len(f"{challenge['salt']}{challenge['maxnumber']}") <= 55


async def test_the_log_tells_of_each_without_saying_whose(house: House) -> None:
    await set_to(house, ProofWanted.ALWAYS)
    with capture_logs() as lines:
        visitor = await house.visitor()
        await visitor.ask()
        proof = proof_of(visitor.session["challenge"])
        await again(house, visitor, proof)
        await again(house, visitor, proof)
    told = [{name: value for name, value in line.items() if name != "log_level"} for line in lines]
    agent_id = str(house.agent.id)
    assert [line for line in told if line["event"].startswith("proof.")] == [
        {"event": "proof.wanted", "agent_id": agent_id, "why": "always"},
        {"event": "proof.taken", "agent_id": agent_id},
        {"event": "proof.refused", "agent_id": agent_id, "reason": "The challenge has already been used."},
    ]
    assert SITE not in str(told)
