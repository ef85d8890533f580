"""One-time codes beside the password: set up, asked for, used up, lost."""

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pyotp
import pytest

from app.core.list_page import PageRequest
from app.mail.mail import Mail
from app.mail.records import MailRecords
from app.web.limits_policy import LimitsPolicy, codes_limits
from app.workspaces.audit_entry import AuditFilter
from app.workspaces.operator import Role
from app.workspaces.operators import Operators
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.operators import OperatorRecords, SecondFactorRecords
from app.workspaces.sealed_secrets import SealedSecrets
from app.workspaces.sign_in import WARN_AFTER_CODES
from tests.doubles.mailers import MAILER
from tests.web.console.browser import PASSWORD, ConsoleBrowser, an_operator, text_of
from tests.web.house import House, open_house, unlimited

PAGE, EMAIL = "/console/account/second-factor", "admin@example.com"


def code_of(secret: str, house: House, later_seconds: int = 0) -> str:
    return pyotp.TOTP(secret).at(int(house.clock.now().timestamp()) + later_seconds)


async def set_up(house: House, browser: ConsoleBrowser) -> tuple[str, list[str]]:
    """The secret and the recovery codes."""
    found = re.search(r'name="secret" value="([A-Z2-7]{32})"', await browser.page(PAGE))
    assert found is not None
    answer = await browser.post(PAGE, {"secret": found[1], "code": code_of(found[1], house), "password": PASSWORD})
    assert answer.status_code == 200, text_of(answer.text)
    house.clock.advance(30)
    told = re.search(r'<pre id="codes">(.*?)</pre>', answer.text, re.DOTALL)
    assert told is not None
    return found[1], told[1].split()


async def tried(house: House, password: str, code: str, came_from: str = "") -> int:
    return (await ConsoleBrowser(house, came_from=came_from).sign_in(EMAIL, password, code=code)).status_code


async def mails(house: House) -> list[Mail]:
    """Those that were not looked at yet."""
    until = house.clock.now() + timedelta(days=1)
    return [each.mail for each in await house.record.write(lambda tx: MailRecords(tx).claim(8, until)) if each.mail]


def bytes_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir() if path.is_file())


async def test_the_qr_code_is_drawn_on_the_page_without_script_or_style(house: House) -> None:
    browser = await an_operator(house)
    page = await browser.page(PAGE)
    [drawing] = re.findall(r"<svg[^>]*class=\"segno\".*?</svg>", page, re.DOTALL)
    assert "<path" in drawing
    assert not re.search(r"style=|<script|href|<style", drawing)
    assert (await browser.page(PAGE)) != page, "another secret each time"


async def test_a_password_alone_opens_nothing_and_is_not_told_right(house: House) -> None:
    secret, _ = await set_up(house, await an_operator(house))
    told = set()
    for password, code in ((PASSWORD, ""), (PASSWORD, "000000"), ("a guess", code_of(secret, house))):
        response = await ConsoleBrowser(house).sign_in(EMAIL, password, code=code)
        assert response.status_code == 422
        told.update(re.findall(r"The e-mail address, password or one-time code is wrong[^<]*", response.text))
    assert len(told) == 1
    assert await tried(house, PASSWORD, code_of(secret, house)) == 303


async def test_a_code_is_good_once(house: House) -> None:
    secret, _ = await set_up(house, await an_operator(house))
    code = code_of(secret, house)
    assert [await tried(house, PASSWORD, code) for _ in "12"] == [303, 422]
    assert await tried(house, PASSWORD, code_of(secret, house, -30)) == 422, "nor is one before it"
    assert await tried(house, PASSWORD, code_of(secret, house, 30)) == 303


@pytest.mark.parametrize(("seconds", "status"), [(-60, 422), (30, 303), (60, 422)])
async def test_clocks_may_differ_by_half_a_minute(seconds: int, status: int, house: House) -> None:
    secret, _ = await set_up(house, await an_operator(house))
    house.clock.advance(300)
    assert await tried(house, PASSWORD, code_of(secret, house, seconds)) == status


async def test_a_recovery_code_signs_in_once_however_it_is_typed(house: House) -> None:
    browser = await an_operator(house)
    _, codes = await set_up(house, browser)
    assert len(set(codes)) == 10
    typed = codes[3].upper().replace("-", " ")
    assert [await tried(house, PASSWORD, typed) for _ in "12"] == [303, 422]
    assert "9 recovery codes left" in text_of(await browser.page("/console/account"))


async def test_a_wrong_code_or_password_switches_nothing_on(house: House) -> None:
    browser = await an_operator(house)
    secret = pyotp.random_base32()
    right = {"secret": secret, "code": code_of(secret, house), "password": PASSWORD}
    for wrong in ({"code": "000000"}, {"password": "a guess"}, {"secret": "short"}):
        response = await browser.post(PAGE, {**right, **wrong})
        assert response.status_code == 422
        assert PASSWORD not in response.text
    assert f'value="{secret}"' in (await browser.post(PAGE, {**right, "code": "000000"})).text, "the same QR code again"
    assert await tried(house, PASSWORD, "") == 303


async def test_it_is_switched_off_with_the_password(house: House) -> None:
    browser = await an_operator(house)
    await set_up(house, browser)
    assert (await browser.post(f"{PAGE}/off", {"own_password": "a guess"})).status_code == 422
    switched_off = await browser.post(f"{PAGE}/off", {"own_password": PASSWORD})
    assert "One-time codes are off" in await browser.flash(switched_off)
    assert await tried(house, PASSWORD, "") == 303


async def test_another_password_of_ones_own_keeps_it_and_an_admins_removes_it(house: House) -> None:
    browser = await an_operator(house)
    secret, _ = await set_up(house, browser)
    another = "another long password"
    await browser.post("/console/account/password", {"current_password": PASSWORD, "new_password": another})
    assert await tried(house, another, "") == 422
    assert await tried(house, another, code_of(secret, house)) == 303
    [found] = await house.record.read(lambda tx: OperatorRecords(tx).credentials(EMAIL))
    await house.parts.get(Operators).change(house.actor, found.operator.id, password=PASSWORD)
    assert await tried(house, PASSWORD, "") == 303


async def test_tries_are_counted_over_all_addresses_where_the_password_is_right(tmp_path: Path) -> None:
    limits = replace(unlimited(), codes_per_operator=LimitsPolicy().codes_per_operator)
    async with open_house(tmp_path, limits=limits, trusted_proxies=("127.0.0.1",)) as house:
        secret, _ = await set_up(house, await an_operator(house))
        places = [f"203.0.113.{number}" for number in range(8)]
        assert [await tried(house, "a guess", "000000", place) for place in places] == [422] * 8
        assert [await tried(house, PASSWORD, "000000", place) for place in places] == [422] * 5 + [429] * 3
        assert await tried(house, PASSWORD, code_of(secret, house)) == 429


async def test_codes_are_accepted_more_slowly_the_longer_somebody_guesses(tmp_path: Path) -> None:
    limits = replace(unlimited(), codes_per_operator=LimitsPolicy().codes_per_operator)
    async with open_house(tmp_path, limits=limits) as house:
        await set_up(house, await an_operator(house))
        house.limiter.reset()
        for _ in range(5):
            await tried(house, PASSWORD, "000000")
        counted = {limit for limit in codes_limits(5) if f"{limit.seconds}" in {key[-1] for key in house.limiter.hits}}
        assert [(limit.count, limit.seconds) for limit in codes_limits(5)] == [(5, 60), (20, 3600), (50, 86_400)]
        assert counted == set(codes_limits(5))


async def test_the_operator_is_told_by_mail_once_and_at_the_next_sign_in(tmp_path: Path) -> None:
    async with open_house(tmp_path, mailer=MAILER) as house:
        secret, _ = await set_up(house, await an_operator(house))
        for _ in range(WARN_AFTER_CODES - 1):
            await tried(house, PASSWORD, "000000")
        await tried(house, "a guess", "000000")
        assert await mails(house) == []
        for _ in range(3):
            await tried(house, PASSWORD, "000000")
        [mail] = await mails(house)
        assert (mail.to, mail.subject) == (EMAIL, "Wrong one-time codes for your Docent account")
        house.clock.advance(60)
        browser = ConsoleBrowser(house)
        signed_in = await browser.sign_in(EMAIL, PASSWORD, code=code_of(secret, house))
        assert "5 wrong one-time codes" in await browser.flash(signed_in)
        house.clock.advance(60)
        again = ConsoleBrowser(house)
        await again.sign_in(EMAIL, PASSWORD, code=code_of(secret, house))
        assert "wrong one-time codes" not in await again.page("/console/account")


async def test_one_slip_of_ones_own_warns_nobody(tmp_path: Path) -> None:
    async with open_house(tmp_path, mailer=MAILER) as house:
        secret, _ = await set_up(house, await an_operator(house))
        await tried(house, PASSWORD, "000000")
        browser = ConsoleBrowser(house)
        await browser.sign_in(EMAIL, PASSWORD, code=code_of(secret, house))
        assert "wrong one-time codes" not in await browser.page("/console/account")
        assert await mails(house) == []


async def test_what_happens_is_audited(house: House) -> None:
    browser = await an_operator(house)
    _, codes = await set_up(house, browser)
    await tried(house, PASSWORD, "000000")
    await tried(house, PASSWORD, codes[0])
    await browser.post(f"{PAGE}/off", {"own_password": PASSWORD})
    of = AuditFilter(action="operator.")
    page = await house.record.read(lambda tx: AuditRecords(tx).page(house.actor.workspace_id, PageRequest(50), of))
    actions = {entry.action.removeprefix("operator.") for entry in page.items}
    assert actions == {
        *("create", "sign_in", "add_second_factor", "refuse_sign_in", "use_recovery_code", "remove_second_factor")
    }
    assert [each.details["reason"] for each in page.items if "reason" in each.details] == ["wrong one-time code"]


async def test_nothing_of_the_secret_lies_plain_in_the_database(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        secret, codes = await set_up(house, await an_operator(house))
        [found] = await house.record.read(lambda tx: OperatorRecords(tx).credentials(EMAIL))
        stored = bytes_in(tmp_path)
        assert EMAIL.encode() in stored
        for plain in (secret, *codes, codes[0].replace("-", "")):
            assert plain.encode() not in stored
        await SealedSecrets(house.record).rotate(house.actor)
        operator_id = found.operator.id
        factor = await house.record.read(lambda tx: SecondFactorRecords(tx).of_operator(operator_id))
        assert factor is not None
        assert (factor.secret, len(factor.recovery_sha256)) == (secret, 10)


async def test_an_operator_of_each_role_may_have_one(house: House) -> None:
    viewer = await an_operator(house, Role.VIEWER)
    assert (await viewer.get(PAGE)).status_code == 200
