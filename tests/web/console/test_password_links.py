"""Invitations and forgotten passwords: a link that sets a password once."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import pytest

from app.core.actor import MANAGE, Actor
from app.core.errors import InvalidInput
from app.core.list_page import PageRequest
from app.kit.timeouts import EvenTime
from app.mail.mail import Mail
from app.mail.mailer import Mailer
from app.mail.records import MailRecords
from app.store.transaction import Transaction
from app.web.limits_policy import LimitsPolicy
from app.workspaces.audit_entry import AuditFilter
from app.workspaces.operator import Operator, Role
from app.workspaces.operators import Operators, SignInMethods
from app.workspaces.password_links import LIVE_AT_MOST, PasswordLinks
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.operators import OperatorRecords
from app.workspaces.workspaces import Workspaces
from tests.doubles.statements import statements
from tests.web.console.browser import PASSWORD, ConsoleBrowser, an_operator, text_of
from tests.web.console.test_second_factor import bytes_in, code_of, set_up
from tests.web.house import House, open_house, unlimited

ANN, BOB, OURS, CHOSEN = "ann@example.com", "bob@example.com", "https://docent.example.com", "a password of mine"
_LINK = re.compile(r"(?:https://docent\.example\.com)?/console/password\?token=([\w-]+)")


@dataclass
class PostOffice:
    house: House

    async def mails(self, to: str = "") -> list[Mail]:
        """Those that wait, taken out of the record."""
        house = self.house
        claimed = await house.record.write(
            lambda tx: MailRecords(tx).claim(100, house.clock.now() + timedelta(seconds=1))
        )
        for each in claimed:
            await house.record.write(partial(_sent, each.id))
        return [each.mail for each in claimed if each.mail and to in ("", each.mail.to)]

    async def token(self, to: str) -> str:
        [mail] = await self.mails(to)
        assert mail.link is not None
        return token_in(mail.link.url)


@pytest.fixture
async def post(tmp_path: Path) -> AsyncIterator[PostOffice]:
    """A house with mail."""
    async with open_house(tmp_path, mailer=Mailer(is_on=True, public_url=OURS)) as house:
        yield PostOffice(house)


def _sent(mail_id: UUID, tx: Transaction) -> None:
    MailRecords(tx).sent(mail_id)


def token_in(text: str) -> str:
    found = _LINK.search(text)
    assert found is not None, text
    return found[1]


async def use(house: House, token: str, password: str = CHOSEN) -> httpx2.Response:
    return await ConsoleBrowser(house).post("/console/password", {"token": token, "password": password})


async def ask(house: House, email: str, came_from: str = "") -> httpx2.Response:
    return await ConsoleBrowser(house, came_from=came_from).post("/console/forgotten", {"email": email})


async def asked(post: PostOffice) -> str:
    """The token that ANN is sent."""
    await ask(post.house, ANN)
    return await post.token(ANN)


async def signs_in(house: House, email: str, password: str) -> bool:
    return (await ConsoleBrowser(house).sign_in(email, password)).status_code == 303


async def account(house: House, email: str) -> Operator:
    [found] = await house.record.read(lambda tx: OperatorRecords(tx).credentials(email))
    return found.operator


async def audited(house: House) -> list[tuple[str, str, Any]]:
    """Actions on accounts, oldest first: what, by whom, details."""
    of = AuditFilter(action="operator.")
    page = await house.record.read(lambda tx: AuditRecords(tx).page(house.actor.workspace_id, PageRequest(100), of))
    told = [(entry.action.removeprefix("operator."), entry.actor, entry.details) for entry in page.items]
    return told[::-1]


async def test_who_is_invited_chooses_a_password_and_signs_in(post: PostOffice) -> None:
    house, admin = post.house, await an_operator(post.house)
    told = await admin.flash(
        await admin.post("/console/operators/invite", {"email": " Bob@Example.com", "role": "editor"})
    )
    assert told == "Link sent to bob@example.com."
    assert "invited" in text_of(await admin.page("/console/operators"))
    assert not await signs_in(house, BOB, "")
    [mail] = await post.mails()
    assert (mail.to, mail.link is not None and mail.link.url.startswith(f"{OURS}/console/password?token=")) == (
        BOB,
        True,
    )
    token = token_in(mail.text)
    assert BOB in await ConsoleBrowser(house).page(f"/console/password?token={token}")
    assert (await use(house, token)).status_code == 303
    assert await signs_in(house, BOB, CHOSEN)
    bob = await account(house, BOB)
    assert (bob.role, bob.is_invited) == (Role.EDITOR, False)
    assert await post.mails() == []


async def test_without_mail_the_link_is_told_to_the_admin_alone(house: House) -> None:
    admin = await an_operator(house)
    answer = await admin.post("/console/operators/invite", {"email": BOB, "role": "viewer"})
    assert answer.status_code == 200
    assert "Add the address of this Docent" in text_of(answer.text), "no setting says where it is"
    assert (await use(house, token_in(answer.text))).status_code == 303
    assert await signs_in(house, BOB, CHOSEN)
    assert "has no mail server" in text_of(await ConsoleBrowser(house).page("/console/forgotten"))
    browser = ConsoleBrowser(house)
    assert "Ask an admin" in await browser.flash(await browser.post("/console/forgotten", {"email": BOB}))


async def test_a_forgotten_password_is_replaced_and_every_session_ends(post: PostOffice) -> None:
    house, admin = post.house, await an_operator(post.house, email=ANN)
    assert (await ask(house, " ANN@example.com ")).headers["location"] == "/console/sign-in"
    token = await post.token(ANN)
    assert (await admin.get("/console/account")).status_code == 200, "asking alone ends nothing"
    assert (await use(house, token)).status_code == 303
    assert (await admin.get("/console/account")).status_code == 303
    assert not await signs_in(house, ANN, PASSWORD)
    assert await signs_in(house, ANN, CHOSEN)
    [told] = await post.mails()
    assert (told.to, told.subject) == (ANN, "Your password for Docent was changed")


async def test_a_link_is_good_once_and_ends_those_beside_it(post: PostOffice) -> None:
    house, _ = post.house, await an_operator(post.house, email=ANN)
    tokens = [await asked(post) for _ in "12"]
    assert [(await use(house, each)).status_code for each in (tokens[0], tokens[0], tokens[1])] == [303, 422, 422]
    page = text_of(await ConsoleBrowser(house).page(f"/console/password?token={tokens[1]}"))
    assert "invalid or has expired" in page
    assert ANN not in page


async def test_a_password_that_is_refused_leaves_the_link_as_it_was(post: PostOffice) -> None:
    house, _ = post.house, await an_operator(post.house, email=ANN)
    await ask(house, ANN)
    token = await post.token(ANN)
    short = await use(house, token, "short")
    assert short.status_code == 422
    assert f'value="{token}"' in short.text
    assert (await use(house, token)).status_code == 303


@pytest.mark.parametrize(("minutes", "status"), [(59, 303), (60, 422)])
async def test_a_link_that_was_asked_for_holds_an_hour(minutes: int, status: int, post: PostOffice) -> None:
    house, _ = post.house, await an_operator(post.house, email=ANN)
    await ask(house, ANN)
    token = await post.token(ANN)
    house.clock.advance(minutes * 60)
    assert (await use(house, token)).status_code == status


@pytest.mark.parametrize(("days", "status"), [(6, 303), (7, 422)])
async def test_an_invitation_holds_a_week_and_can_be_made_anew(days: int, status: int, post: PostOffice) -> None:
    house, links = post.house, post.house.parts.get(PasswordLinks)
    made = await links.invite(admin_of(house), BOB, Role.VIEWER)
    token = await post.token(BOB)
    house.clock.advance(days * 86400)
    assert (await use(house, token)).status_code == status
    await links.make(admin_of(house), made.operator.id)
    assert (await use(house, await post.token(BOB))).status_code == 303


async def test_another_link_of_an_admins_ends_the_one_before(house: House) -> None:
    links = house.parts.get(PasswordLinks)
    made = await links.invite(admin_of(house), BOB, Role.VIEWER)
    again = await links.make(admin_of(house), made.operator.id)
    assert [(await use(house, token_in(each.url))).status_code for each in (made, again)] == [422, 303]


async def test_a_disabled_account_has_no_link_that_holds(post: PostOffice) -> None:
    house, _ = post.house, await an_operator(post.house)
    await an_operator(house, Role.VIEWER, BOB)
    await ask(house, BOB)
    token, operators, bob = await post.token(BOB), house.parts.get(Operators), await account(house, BOB)
    await operators.change(house.actor, bob.id, is_disabled=True)
    assert (await use(house, token)).status_code == 422
    await ask(house, BOB)
    assert await post.mails() == []
    await operators.change(house.actor, bob.id, is_disabled=False)
    assert (await use(house, token)).status_code == 422, "nor afterwards"


async def test_another_password_ends_the_links(post: PostOffice) -> None:
    house, _ = post.house, await an_operator(post.house, email=ANN)
    await ask(house, ANN)
    token, ann = await post.token(ANN), await account(house, ANN)
    await house.parts.get(Operators).change(house.actor, ann.id, password=PASSWORD)
    assert (await use(house, token)).status_code == 422


async def test_one_time_codes_stay(post: PostOffice) -> None:
    house = post.house
    secret, _ = await set_up(house, await an_operator(house, email=ANN))
    await ask(house, ANN)
    await use(house, await post.token(ANN))
    assert not await signs_in(house, ANN, CHOSEN)
    with_code = await ConsoleBrowser(house).sign_in(ANN, CHOSEN, code=code_of(secret, house))
    assert with_code.status_code == 303


async def test_nothing_tells_whether_an_address_has_an_account(post: PostOffice) -> None:
    """The same answer, after as many statements of as many transactions."""
    house = post.house
    await an_operator(house, email=ANN)
    await house.record.write(
        lambda tx: OperatorRecords(tx).add(
            Operator(house.agent.id, house.actor.workspace_id, BOB, Role.VIEWER, house.clock.now()), ""
        )
    )
    answers, costs = set(), set()
    for email in (ANN, "nobody@example.com", BOB):  # BOB's account is the identity provider's
        browser = ConsoleBrowser(house)
        form = await browser.token()
        with statements() as run:
            answer = await browser.post("/console/forgotten", {"email": email}, form)
        costs.add(tuple(sorted(each.split()[0] for each in run if not each.startswith(("PRAGMA", "SELECT 1")))))
        told = await browser.flash(answer)
        answers.add((answer.status_code, answer.headers["location"], told))
    assert len(answers) == 1
    assert len({len(each) for each in costs}) == 1, costs
    assert [each.to for each in await post.mails()] == [ANN]


async def test_who_has_an_account_in_two_workspaces_is_sent_a_link_for_each(post: PostOffice) -> None:
    house, _ = post.house, await an_operator(post.house, email=ANN)
    alone = await ask(house, ANN)
    await post.mails()
    await house.parts.get(Workspaces).create(house.actor, "Shop", ANN, PASSWORD)
    both = await ask(house, ANN)
    assert (both.status_code, both.headers["location"]) == (alone.status_code, alone.headers["location"])
    mails = await post.mails(ANN)
    assert [("workspace default" in each.text, "workspace Shop" in each.text) for each in mails] == [
        (True, False),
        (False, True),
    ]
    assert (await use(house, token_in(mails[1].text))).status_code == 303
    assert await signs_in(house, ANN, CHOSEN)
    assert await signs_in(house, ANN, PASSWORD), "that of the other workspace stays"


async def test_asking_and_wrong_guesses_take_the_same_time_whatever_accounts_there_are(tmp_path: Path) -> None:
    others, mailer, loop = (
        {EvenTime: EvenTime(seconds=0.3)},
        Mailer(is_on=True, public_url=OURS),
        asyncio.get_running_loop(),
    )
    async with open_house(tmp_path, others=others, mailer=mailer) as house:
        await an_operator(house, email=ANN)
        for email in (ANN, "nobody@example.com"):
            for attempt in (ask(house, email), ConsoleBrowser(house).sign_in(email, "a wrong password")):
                began = loop.time()
                await attempt
                assert loop.time() - began >= 0.3


async def test_so_many_links_of_an_account_hold_at_once(post: PostOffice) -> None:
    house, _ = post.house, await an_operator(post.house, email=ANN)
    for _ in range(LIVE_AT_MOST + 4):
        assert (await ask(house, ANN)).status_code == 303
    mails = await post.mails()
    assert len(mails) == LIVE_AT_MOST, "whoever asks again and again fills no mailbox"
    assert (await use(house, token_in(mails[0].text))).status_code == 303, "and the first still holds"


async def test_asking_and_choosing_are_counted_by_address(tmp_path: Path) -> None:
    limits = replace(unlimited(), password_links_per_address=LimitsPolicy().password_links_per_address)
    async with open_house(tmp_path, limits=limits, trusted_proxies=("127.0.0.1",)) as house:
        statuses = [(await ask(house, f"{number}@example.com", "203.0.113.1")).status_code for number in range(7)]
        assert statuses == [303] * 5 + [429] * 2
        assert (await ask(house, ANN, "203.0.113.2")).status_code == 303


async def test_a_link_never_leads_where_the_request_says(post: PostOffice) -> None:
    house, _ = post.house, await an_operator(post.house, email=ANN)
    house.http.headers["Host"] = "evil.example"
    house.http.headers["X-Forwarded-Host"] = "evil.example"
    await ask(house, ANN)
    [mail] = await post.mails()
    assert "evil" not in mail.text + mail.html
    assert mail.link is not None
    assert mail.link.url.startswith(OURS)


async def test_the_record_holds_no_token(post: PostOffice, tmp_path: Path) -> None:
    house, _ = post.house, await an_operator(post.house, email=ANN)
    await ask(house, ANN)
    stored = bytes_in(tmp_path)
    token = await post.token(ANN)
    assert ANN.encode() in stored
    assert token.encode() not in stored


async def test_an_admin_who_was_only_invited_is_no_other_admin(house: House) -> None:
    admin = await an_operator(house)
    await house.parts.get(PasswordLinks).invite(admin_of(house), BOB, Role.ADMIN)
    refused = await admin.post("/console/account/leave")
    assert "last admin" in text_of(refused.text)


async def test_links_are_of_the_own_workspace_alone(house: House) -> None:
    made = await house.parts.get(PasswordLinks).invite(admin_of(house), BOB, Role.VIEWER)
    path = f"/v1/operators/{made.operator.id}/password-link"
    assert (await house.api("POST", path, token=house.foreign)).status_code == 404
    theirs = await house.api("POST", "/v1/operators/invitations", {"email": BOB, "role": "viewer"}, house.foreign)
    assert theirs.status_code == 201, "as for anybody: what others have is not told"
    assert (await use(house, token_in(made.url))).status_code == 303


async def test_by_the_api_the_link_is_told_once(house: House) -> None:
    answer = await house.api("POST", "/v1/operators/invitations", {"email": BOB, "role": "viewer"})
    assert answer.status_code == 201
    assert answer.json()["operator"]["invited_at"]
    assert (await use(house, token_in(answer.json()["url"]))).status_code == 303
    listed = (await house.api("GET", "/v1/operators")).json()["items"]
    assert [each["invited_at"] for each in listed if each["email"] == BOB] == [None]


async def test_by_mail_the_api_tells_no_link(post: PostOffice) -> None:
    answer = await post.house.api("POST", "/v1/operators/invitations", {"email": BOB, "role": "viewer"})
    assert answer.json()["url"] is None


async def test_what_happens_is_audited(post: PostOffice) -> None:
    house, _ = post.house, await an_operator(post.house)
    await house.parts.get(PasswordLinks).invite(admin_of(house), BOB, Role.VIEWER)
    await use(house, await post.token(BOB))
    await ask(house, BOB)
    await ask(house, "nobody@example.com")
    assert (await audited(house))[2:] == [
        ("invite", "tests", {"email": BOB, "role": "viewer"}),
        ("accept_invitation", BOB, {"by": "password link"}),
        ("ask_password_link", "somebody", {}),
        ("ask_password_link", "somebody", {"reason": "no account with a password"}),
    ]


async def test_where_no_password_is_taken_there_is_no_link(house: House) -> None:
    made = house.parts.make(PasswordLinks, methods=SignInMethods(by_password=False, provider="Example"))
    for refused in (made.invite(admin_of(house), BOB, Role.VIEWER), made.ask(BOB), made.use("x", CHOSEN)):
        with pytest.raises(InvalidInput, match="Passwords are off here"):
            await refused


def admin_of(house: House) -> Actor:
    return replace(house.actor, scopes=house.actor.scopes | {MANAGE})
