"""The built widget: its caching, its encodings, its pinned copy, and that nothing else lies behind its addresses."""

import base64
import gzip
import hashlib
import os
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from app.agents.agent import AgentConfig
from app.agents.pages.embed_tag import embed_tag, embed_tags, pinned_embed_tag
from app.agents.widget_settings import Invitation, Theme
from app.web.widget_script import BuiltFile, built_widget, pinned_path
from tests.doubles.built_widget import a_built_widget
from tests.every_row import every_row
from tests.web.house import House, open_house

AGENT = UUID(int=7)
_ROOT = Path(__file__).parents[2]
_WEIGHED = re.findall(r'"([\w-]+\.js)": ([\d_]+)', (_ROOT / "widget" / "size.mjs").read_text("utf-8"))
LIMIT_BYTES = {name: int(limit) for name, limit in _WEIGHED}
FILES = [
    "/widget/widget.js",
    "/widget/search.js",
    "/widget/inline.js",
    "/widget/invite.js",
    "/widget/webmcp.js",
    "/widget/widget.js.map",
    "/widget/panel.js.map",
    "/widget/people.js.map",
    "/widget/page.js.map",
    "/widget/past.js.map",
    "/widget/proof.js.map",
    "/widget/confirm.js.map",
    "/widget/code.js.map",
    "/widget/search.js.map",
    "/widget/inline.js.map",
    "/widget/invite.js.map",
    "/widget/webmcp.js.map",
    "/widget/words/de.json",
    "/widget/docent-client.js",
    "/widget/docent-client.d.ts",
]


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    (tmp_path / "secret.json").write_text("{}")
    async with open_house(tmp_path, widget_files=a_built_widget(tmp_path / "dist")) as opened:
        yield opened


@every_row("path", FILES)
async def test_a_file_is_kept_by_browsers_and_asked_after(house: House, path: str) -> None:
    response = await house.http.get(f"{path}?v=1")
    assert response.status_code == 200
    assert response.headers["cache-control"] == "no-cache"
    assert response.headers["vary"] == "Accept-Encoding"
    etag = response.headers["etag"]
    for known in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        again = await house.http.get(path, headers={"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)


@every_row("path", FILES)
async def test_a_page_of_any_website_may_read_a_file(house: House, path: str) -> None:
    response = await house.http.get(path, headers={"Origin": "https://any.example"})
    assert response.headers["access-control-allow-origin"] == "*"
    assert response.headers["cross-origin-resource-policy"] == "cross-origin"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "set-cookie" not in response.headers


async def test_files_say_what_they_are(house: House) -> None:
    kinds = [(await house.http.get(path)).headers["content-type"] for path in FILES]
    javascript, json, plain = "text/javascript; charset=utf-8", "application/json", "text/plain; charset=utf-8"
    assert kinds == [*[javascript] * 5, *[json] * 13, javascript, plain]
    assert (await house.http.get("/widget/words/de.json")).json() == {"close": "Schließen"}


async def test_a_rebuilt_script_needs_no_restart(house: House, tmp_path: Path) -> None:
    first = await house.http.get("/widget/widget.js")
    script = tmp_path / "dist" / "widget.js"
    script.write_text("two();")
    os.utime(script, ns=(1, 1))
    changed = await house.http.get("/widget/widget.js", headers={"If-None-Match": first.headers["etag"]})
    assert (changed.status_code, changed.text) == (200, "two();")


@pytest.mark.parametrize(
    ("accepted", "is_zipped"),
    [
        pytest.param("gzip, br", True, id="gzip among others"),
        pytest.param("br;q=1, GZIP;q=0.5", True, id="weighed"),
        pytest.param("identity", False, id="plain only"),
        pytest.param("gzip;q=0", False, id="refused"),
        pytest.param("gzip; q=0.000", False, id="refused at length"),
        pytest.param("x-gzipped", False, id="another word"),
    ],
)
async def test_a_file_travels_zipped_where_the_browser_takes_that(house: House, accepted: str, is_zipped: bool) -> None:
    async with house.http.stream("GET", "/widget/widget.js", headers={"Accept-Encoding": accepted}) as response:
        raw = b"".join([part async for part in response.aiter_raw()])
    assert (response.headers.get("content-encoding") == "gzip") is is_zipped
    assert (gzip.decompress(raw) if is_zipped else raw) == b"var one = 1;\n"
    assert response.headers["content-length"] == str(len(raw))
    assert response.headers["etag"].endswith('-gzip"') is is_zipped


@pytest.mark.parametrize("name", ["widget", "panel", "people", "page", "search", "invite", "webmcp"])
async def test_the_pinned_copy_is_kept_for_good_and_is_this_build_or_nothing(
    house: House, tmp_path: Path, name: str
) -> None:
    path = pinned_path(BuiltFile.read(tmp_path / "dist" / f"{name}.js"), name)
    response = await house.http.get(path, headers={"Origin": "https://any.example"})
    assert (response.status_code, response.text) == (200, "var one = 1;\n")
    assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert response.headers["access-control-allow-origin"] == "*"
    (tmp_path / "dist" / f"{name}.js").write_text("two();")
    os.utime(tmp_path / "dist" / f"{name}.js", ns=(1, 1))
    gone = await house.http.get(path)
    assert (gone.status_code, gone.json()["error"]["code"]) == (404, "not_found")
    assert "immutable" not in gone.headers.get("cache-control", "")


@every_row(
    "path",
    [
        "/widget/",
        "/widget/words/",
        "/widget/words/en.json",
        "/widget/words/xx.json",
        "/widget/words/DE.json",
        "/widget/words/de.json/",
        "/widget/words/de",
        "/widget/words/de.json%00",
        "/widget/words/%64%65%00.json",
        "/widget/words/..%2f..%2fsecret.json",
        "/widget/words/%2e%2e%2f%2e%2e%2fsecret.json",
        "/widget/words/..%5c..%5csecret.json",
        "/widget/words/%2fetc%2fpasswd.json",
        "/widget/words//etc/passwd.json",
        "/widget/..%2fsecret.json",
        "/widget/%2e%2e/secret.json",
        "/widget/widget.0123456789abcdef.js",
        "/widget/people.0123456789abcdef.js",
        "/widget/panel.js",
        "/widget/people.js",
        "/widget/page.js",
        "/widget/other.js.map",
        "/widget/..%2fsecret.js.map",
        "/widget/widget..js",
        "/widget/widget.js.js",
        "/widget/widget.%2e%2e%2fwidget.js",
        "/widget/__init__.py",
        "/widget/package.json",
    ],
)
async def test_nothing_else_lies_behind_the_addresses(house: House, path: str) -> None:
    response = await house.http.get(path)
    assert (response.status_code, response.json()["error"]["code"]) == (404, "not_found")


async def test_a_widget_that_was_not_built_is_absent(still_house: House) -> None:
    for path in FILES:
        response = await still_house.http.get(path)
        assert (response.status_code, response.json()["error"]["code"]) == (404, "not_found")


def test_the_plain_tag_names_the_script_and_the_agent() -> None:
    assert embed_tag("https://chat.example.com/", AGENT) == (
        f'<script async src="https://chat.example.com/widget/widget.js" data-agent="{AGENT}"></script>'
    )


def test_the_tag_carries_what_the_launcher_wears_as_texts() -> None:
    theme = Theme(
        "#ffd400", position="left", launcher_label='"><b>Ask', launcher_icon="spark", opens_itself=True, opens_wide=True
    )
    assert embed_tag("https://chat.example.com", AGENT, theme) == (
        f'<script async src="https://chat.example.com/widget/widget.js" data-agent="{AGENT}" data-color="#ffd400" '
        'data-position="left" data-label="&quot;&gt;&lt;b&gt;Ask" data-icon="spark" data-wide="true" data-open="true">'
        "</script>"
    )


def test_the_pinned_tag_lets_the_browser_check_every_byte() -> None:
    script = BuiltFile.read(built_widget() / "widget.js")
    digest = base64.b64encode(hashlib.sha384((built_widget() / "widget.js").read_bytes()).digest()).decode()
    tag = pinned_embed_tag("https://chat.example.com", AGENT, script)
    assert f'src="https://chat.example.com/widget/widget.{script.fingerprint}.js" integrity="sha384-{digest}"' in tag
    assert 'crossorigin="anonymous"' in tag


def test_an_agent_with_invitations_has_a_second_tag() -> None:
    base, config = "https://chat.example.com", AgentConfig("Docs", theme=Theme(opens_wide=True))
    invites = replace(config, invitations=(Invitation("returns", "Send something back?"),))
    first = embed_tag(base, AGENT, config.theme)
    assert embed_tags(base, AGENT, config) == first
    assert embed_tags(base, AGENT, invites).split("\n") == [
        first,
        f'<script async src="{base}/widget/invite.js" data-agent="{AGENT}"></script>',
    ]
    assert embed_tags(base, AGENT, config, built_widget()).count("<script") == 1
    _, pinned = embed_tags(base, AGENT, invites, built_widget()).split("\n")
    script = BuiltFile.read(built_widget() / "invite.js")
    assert pinned == (
        f'<script async src="{base}/widget/invite.{script.fingerprint}.js" integrity="{script.integrity}" '
        f'crossorigin="anonymous" data-agent="{AGENT}"></script>'
    )


@every_row(
    ("first", "name"),
    [
        ("widget", "panel"),
        ("panel", "people"),
        ("panel", "page"),
        ("panel", "past"),
        ("people", "proof"),
        ("people", "confirm"),
        ("page", "code"),
    ],
    ids=["panel", "people", "page", "past", "proof", "confirm", "code"],
)
def test_a_shipped_script_names_another_that_is_beside_it_and_its_bytes(first: str, name: str) -> None:
    script = (built_widget() / f"{first}.js").read_text("utf-8")
    built = BuiltFile.read(built_widget() / f"{name}.js")
    assert pinned_path(built, name).removeprefix("/widget/") in script
    assert built.integrity in script


@every_row("name", ["proof", "confirm", "code", "past", "search", "invite", "webmcp"])
def test_the_last_scripts_load_nothing_more(name: str) -> None:
    assert "sha384-" not in (built_widget() / f"{name}.js").read_text("utf-8")


@every_row("name", sorted(LIMIT_BYTES))
def test_a_shipped_script_is_within_its_weight_as_served(name: str) -> None:
    assert len(BuiltFile.read(built_widget() / name).zipped) <= LIMIT_BYTES[name]


def test_the_page_for_web_developers_tells_each_limit() -> None:
    page = (_ROOT / "docs" / "widget.md").read_text("utf-8")
    told = re.findall(r"`([\w-]+\.js)`(?: \| | \()([\d.]+) KB", page)
    told.append(("docent-client.js", *re.findall(r"`/widget/docent-client\.js`.*\n?.*under ([\d.]+) KB", page)))
    assert {name: float(kibibytes) * 1024 for name, kibibytes in told} == LIMIT_BYTES
