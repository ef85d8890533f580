"""The API as a page: its own files alone, kept for good, under a policy without inline scripts and styles."""

import re

from app.web.static_files import STATIC_FILES
from tests.web.house import House


async def test_the_page_loads_nothing_but_its_own_files(still_house: House) -> None:
    response = await still_house.http.get("/docs")
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    loaded = [each for each in re.findall(r'(?:href|src)="([^"]+)"', response.text) if each != "data:,"]
    assert len(loaded) == 3
    for path in loaded:
        assert re.fullmatch(r"/docs/static/[\w.-]+\.[\w-]{16}\.(css|js)", path)
        file = await still_house.http.get(path)
        assert file.status_code == 200
        assert "immutable" in file.headers["cache-control"]


async def test_its_policy_refuses_inline_scripts_styles_and_strangers(still_house: House) -> None:
    policy = (await still_house.http.get("/docs")).headers["content-security-policy"]
    assert "'unsafe" not in policy
    assert not re.search(r"https?:|\*", policy)
    assert {"default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"} <= set(
        policy.split("; ")
    )


async def test_it_serves_no_other_file(still_house: House) -> None:
    for name in ("swagger-ui.css", "..%2froutes.py", "swagger-ui-LICENSE.txt"):
        assert (await still_house.http.get(f"/docs/static/{name}")).status_code == 404


def test_the_vendored_viewer_has_its_licences() -> None:
    assert "Apache License" in (STATIC_FILES / "swagger-ui-LICENSE.txt").read_text("utf-8")
    assert "SmartBear" in (STATIC_FILES / "swagger-ui-NOTICE.txt").read_text("utf-8")
    assert "MIT" in (STATIC_FILES / "swagger-ui-bundle.js.LICENSE.txt").read_text("utf-8")
