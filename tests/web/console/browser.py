"""A browser without a screen: it keeps cookies, follows nothing by itself, and sends forms as the pages hold them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urlencode

import httpx2

from app.core.source_file import Upload
from app.workspaces.operator import Role
from app.workspaces.operators import Operators
from tests.web.house import House

PASSWORD = "correct horse battery"
_TOKEN = re.compile(r'name="csrf_token" value="([0-9a-f]*)"')
Value = str | list[str] | Upload
_FORM = "application/x-www-form-urlencoded"


@dataclass
class ConsoleBrowser:
    """`came_from` is its address as a proxy tells it."""

    house: House
    cookies: dict[str, str] = field(default_factory=dict)
    came_from: str = ""
    _tokens: dict[str, str] = field(default_factory=dict)

    def copied_to(self, house: House) -> "ConsoleBrowser":
        """In a house that holds the same."""
        return ConsoleBrowser(house, dict(self.cookies), _tokens=self._tokens)

    async def get(self, path: str, **headers: str) -> httpx2.Response:
        return await self._send("GET", path, headers=headers)

    async def page(self, path: str) -> str:
        """The text of a page that must be there."""
        response = await self.get(path)
        assert response.status_code == 200, (path, response.status_code, response.text[:500])
        return response.text

    async def post(
        self, path: str, fields: Mapping[str, Value] | None = None, token: str | None = None, **headers: str
    ) -> httpx2.Response:
        """With the right form token unless another is given; as multipart where a field is a file."""
        right = await self.token() if token is None else token
        sent: dict[str, Value] = {"csrf_token": right, **(fields or {})}
        files = {name: (value.name, value.body) for name, value in sent.items() if isinstance(value, Upload)}
        if files:
            texts = {name: str(value) for name, value in sent.items() if name not in files}
            form = httpx2.Request("POST", "http://form.example", data=texts, files=files)
            return await self._send(
                "POST", path, content=form.read(), headers={"Content-Type": form.headers["content-type"]}
            )
        body = urlencode(sent, doseq=True)
        return await self._send("POST", path, content=body.encode(), headers={"Content-Type": _FORM, **headers})

    async def token(self) -> str:
        """As every page's forms hold it: read once a session, whose secret it is drawn from."""
        if self._session not in self._tokens:
            await self.get("/console/account")
        if self._session not in self._tokens:  # not signed in
            await self.get("/console/sign-in")
        return self._tokens[self._session]

    @property
    def _session(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items() if "flash" not in name)

    async def sign_in(self, email: str, password: str = PASSWORD, **more: str) -> httpx2.Response:
        return await self.post("/console/sign-in", {"email": email, "password": password, **more})

    async def undo(self, path: str, shown: str) -> str:
        """Press Undo as the page has it; return what is said."""
        form = re.search(r'<form(?:(?!</form>).)*id="undo">Undo', shown, re.DOTALL)
        assert form is not None, "nothing can be undone"
        sent: dict[str, list[str]] = {}
        for name, value in re.findall(r'name="([^"]+)" value="([^"]*)"', form[0]):
            sent.setdefault(name, []).append(unescape(value))
        return await self.flash(await self.post(path, {**sent}))

    async def flash(self, response: httpx2.Response) -> str:
        """What the page after a form says once."""
        assert response.status_code == 303, (response.status_code, text_of(response.text)[-800:])
        text = await self.page(response.headers["location"])
        found = re.search(r'<p class="notice \w+" role="status" dir="auto">(.*?)</p>', text, re.DOTALL)
        return unescape(found[1]) if found else ""

    async def _send(
        self, method: str, path: str, content: bytes | None = None, headers: dict[str, str] | None = None
    ) -> httpx2.Response:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        sent = {**(headers or {}), **({"Cookie": cookie} if cookie else {})}
        if self.came_from:
            sent["X-Forwarded-For"] = self.came_from
        self.house.http.cookies.clear()
        response = await self.house.http.request(method, path, content=content, headers=sent)
        for line in response.headers.get_list("set-cookie"):
            name, _, rest = line.partition("=")
            value = rest.partition(";")[0].strip('"')
            if "max-age=0" in line.lower():
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        is_page = response.headers.get("content-type", "").startswith("text/html")
        if is_page and (found := _TOKEN.search(response.text)):
            self._tokens[self._session] = found[1]
        return response


def text_of(html: str) -> str:
    """What one reads of a page."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


async def an_operator(house: House, role: Role = Role.ADMIN, email: str = "") -> ConsoleBrowser:
    """Signed in, in the workspace of the house."""
    email = email or f"{role.value}@example.com"
    await house.parts.get(Operators).add(house.actor, email, role, PASSWORD)
    browser = ConsoleBrowser(house)
    response = await browser.sign_in(email)
    assert response.status_code == 303, response.text
    return browser
