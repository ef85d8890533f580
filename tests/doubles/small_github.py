"""A small GitHub, written from the description of its REST API (2022-11-28): contents, refs and pull requests of one
repository, spoken to by HTTP."""

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import httpx

from app.providers.code.code_host import GitHubCodeHost
from app.providers.http_caller import HttpReply

TOKEN = "github_pat_right"
PRICING = "# Pricing\n\nThe Studio plan costs 29 euros.\n"


def version_of(text: str) -> str:
    """As git names a blob."""
    content = text.encode()
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


@dataclass
class SmallGitHub:
    """`files` are those of the branch `main`; `branches` what others have."""

    owner: str = "nimbrel"
    name: str = "website"
    files: dict[str, str] = field(default_factory=lambda: {"pricing.md": PRICING})
    branches: dict[str, dict[str, str]] = field(default_factory=dict)
    pulls: list[dict[str, Any]] = field(default_factory=list)
    asked: list[httpx.Request] = field(default_factory=list)

    @property
    def host(self) -> GitHubCodeHost:
        return GitHubCodeHost(self)

    async def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> HttpReply:
        """An HttpCaller."""
        said = self.answer(httpx.Request(method, url, headers=dict(headers), content=body))
        return HttpReply(said.status_code, said.content)

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        if request.url.host != "api.github.com" or request.headers.get("authorization") != f"Bearer {TOKEN}":
            return httpx.Response(401, json={"message": "Bad credentials"})
        path = unquote(request.url.raw_path.decode().partition("?")[0])
        prefix = f"/repos/{self.owner}/{self.name}/"
        if not path.startswith(prefix):
            return httpx.Response(404, json={"message": "Not Found"})
        sent = json.loads(request.content) if request.content else {}
        return self._answer(request.method, path.removeprefix(prefix), sent)

    def _answer(self, method: str, path: str, sent: dict[str, Any]) -> httpx.Response:
        branches = {"main": self.files, **self.branches}
        match method, path.split("/", 1):
            case "GET", ["git", ref] if ref.removeprefix("ref/heads/") in branches:
                return httpx.Response(200, json={"ref": ref, "object": {"type": "commit", "sha": "c0ffee"}})
            case "POST", ["git", "refs"]:
                branch = sent["ref"].removeprefix("refs/heads/")
                if branch in branches or sent["sha"] != "c0ffee":
                    return httpx.Response(422, json={"message": "Reference already exists"})
                self.branches[branch] = dict(self.files)
                return httpx.Response(201, json={"ref": sent["ref"]})
            case "GET", ["contents", name] if name in self.files:
                text = self.files[name]
                told = {"type": "file", "encoding": "base64", "sha": version_of(text), "path": name}
                return httpx.Response(200, json={**told, "content": base64.encodebytes(text.encode()).decode()})
            case "PUT", ["contents", name] if sent["branch"] in self.branches:
                files = self.branches[sent["branch"]]
                if sent["sha"] != version_of(files[name]):
                    return httpx.Response(409, json={"message": f"{name} does not match {sent['sha']}"})
                files[name] = base64.b64decode(sent["content"]).decode()
                return httpx.Response(200, json={"content": {"sha": version_of(files[name])}})
            case "POST", ["pulls"]:
                number = len(self.pulls) + 7
                self.pulls.append({"number": number, **sent})
                url = f"https://github.com/{self.owner}/{self.name}/pull/{number}"
                return httpx.Response(201, json={"number": number, "html_url": url})
        return httpx.Response(404, json={"message": "Not Found"})
