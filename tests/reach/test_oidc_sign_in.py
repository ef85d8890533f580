"""An operator signs in and out in a real browser, at an OpenID provider that others wrote and certified."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, async_playwright, expect
from pydantic import SecretStr

from app.cli.doctor.service_checks import ServiceChecks
from app.main import open_app
from app.settings import read_settings
from tests.e2e.conftest import ARGUMENTS, CHROMIUM, PATIENCE_MS
from tests.web.live_server import serving

PROVIDER = Path(__file__).parent / "oidc_provider" / "provider.mjs"
SECRET = "a secret of thirty-two characters"


@dataclass
class Entrance:
    """`base` is another site for the browser than the provider's, as it is for people."""

    base: str
    issuer: str
    page: Page
    doctor: ServiceChecks

    async def sign_in(self, name: str) -> None:
        """Through the provider's own page."""
        await self.page.goto(f"{self.base}/console/account")
        await self.page.get_by_role("link", name="Sign in with 127.0.0.1").click()
        await self.page.fill("input[name=login]", name)
        await self.page.fill("input[name=password]", "whatever it asks for")
        await self.page.click("button[type=submit]")


@pytest.fixture(scope="module")
async def opened(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Browser, str, str, ServiceChecks]]:
    """A browser, Docent's address, the provider's, and Docent's own checks."""
    pipe = asyncio.subprocess.PIPE
    node = await asyncio.create_subprocess_exec("node", str(PROVIDER), stdin=pipe, stdout=pipe, stderr=pipe)
    assert node.stdin is not None
    assert node.stdout is not None
    try:
        issuer = (await node.stdout.readline()).decode().strip()
        settings = read_settings(
            data=tmp_path_factory.mktemp("docent"),
            shutdown_seconds=1,
            oidc_issuer=issuer,
            oidc_client_id="docent",
            oidc_client_secret=SecretStr(SECRET),
            oidc_roles="docs-admins=admin, staff=viewer",
            password_sign_in=False,
        )
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            async with open_app(settings) as web, serving(web.app) as (_, http):
                base = f"http://localhost:{http.base_url.port}"
                node.stdin.write(f"{base}\n".encode())
                assert (await node.stdout.readline()).strip() == b"ready"
                yield browser, base, issuer, ServiceChecks(web.base, ())
            await browser.close()
    finally:
        node.kill()
        await node.wait()


@pytest.fixture
async def entrance(opened: tuple[Browser, str, str, ServiceChecks]) -> AsyncIterator[Entrance]:
    browser, base, issuer, doctor = opened
    async with await browser.new_context() as context:
        context.set_default_timeout(PATIENCE_MS)
        yield Entrance(base, issuer, await context.new_page(), doctor)


async def test_one_signs_in_at_the_provider_and_out_of_both(entrance: Entrance) -> None:
    page = entrance.page
    await entrance.sign_in("ann")
    await expect(page.get_by_role("heading", name="Your account")).to_be_visible()
    assert page.url == f"{entrance.base}/console/account", "where one wanted to go"
    await expect(page.locator("dl")).to_contain_text("ann@example.com")
    await expect(page.locator("dl")).to_contain_text("admin")
    await page.get_by_role("button", name="Sign out").click()
    await page.wait_for_url(f"{entrance.issuer}/session/end*")
    await page.get_by_role("button", name="Yes, sign me out").click()
    await page.wait_for_url(f"{entrance.base}/console/sign-in*")
    await page.get_by_role("link", name="Sign in with 127.0.0.1").click()
    await expect(page.locator("input[name=login]")).to_be_visible()


async def test_who_is_in_no_group_stays_out(entrance: Entrance) -> None:
    await entrance.sign_in("bob")
    await expect(entrance.page.get_by_role("status")).to_contain_text("None of your groups has access.")
    assert entrance.page.url.startswith(f"{entrance.base}/console/sign-in")


async def test_a_used_code_and_one_without_its_verifier_are_refused_by_the_provider(entrance: Entrance) -> None:
    answers: list[str] = []
    entrance.page.on("request", lambda request: answers.append(request.url) if "code=" in request.url else None)
    await entrance.sign_in("ann")
    await expect(entrance.page.get_by_role("heading", name="Your account")).to_be_visible()
    await entrance.page.goto(answers[-1])
    cookies = await entrance.page.context.cookies()
    assert not [cookie for cookie in cookies if cookie.get("name") == "__Secure-docent_attempt"]
    await entrance.page.context.clear_cookies()
    await entrance.page.goto(answers[-1])
    await expect(entrance.page.get_by_role("status")).to_contain_text("began in another browser")


async def test_doctor_knows_the_provider(entrance: Entrance) -> None:
    told = {check.part: check for check in await entrance.doctor.checks()}["sign-in"]
    assert (told.problem, told.state.startswith(f"{entrance.issuer} answers")) == ("", True)
    assert told.state.endswith("and signs out")
