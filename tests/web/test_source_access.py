"""What a source's website asks of its readers is given once, sealed, and never told again."""

import pytest

from app.sources.source import AccessKind, SourceAccess
from tests.web.house import House, Json
from tests.web.test_source_editing import SITE, TEXT, create

SECRET = "zqxopensesamezqx"
BASIC = {"kind": "basic", "name": "docent", "secret": SECRET}


async def test_it_is_told_without_its_secret(house: House) -> None:
    path = f"/v1/sources/{(await create(house, SITE))['id']}/access"
    assert (await house.api("GET", path)).json() == {"kind": None, "name": "", "set_at": None}

    given = await house.api("PUT", path, BASIC)

    shown = await house.api("GET", path)
    assert given.json() == shown.json()
    assert (shown.json()["kind"], shown.json()["name"]) == ("basic", "docent")
    everything = [await house.api("GET", each) for each in (path, path.removesuffix("/access"), "/v1/audit")]
    assert all(SECRET not in each.text for each in (given, *everything))
    assert (await house.api("DELETE", path)).status_code == 204
    assert (await house.api("GET", path)).json()["kind"] is None


@pytest.mark.parametrize(
    ("access", "field"),
    [
        ({**BASIC, "name": "a:b"}, "name"),
        ({**BASIC, "secret": f"{SECRET}\r\nX: y"}, "secret"),
        ({**BASIC, "kind": "header", "name": "X Key"}, "name"),
        ({**BASIC, "kind": "header", "name": "Host"}, "name"),
        ({**BASIC, "kind": "header", "name": "X-Key", "secret": f"{SECRET}é"}, "secret"),
        ({**BASIC, "kind": "cookie", "name": "a=b"}, "name"),
        ({**BASIC, "kind": "token"}, "kind"),
        ({**BASIC, "secret": ""}, "secret"),
    ],
)
async def test_what_cannot_be_sent_is_refused_by_field_and_not_repeated(house: House, access: Json, field: str) -> None:
    path = f"/v1/sources/{(await create(house, SITE))['id']}/access"
    response = await house.api("PUT", path, access)
    assert (response.status_code, response.json()["error"]["field"]) == (422, field)
    assert SECRET not in response.text


async def test_what_is_not_read_from_the_web_has_none(house: House) -> None:
    path = f"/v1/sources/{(await create(house, TEXT))['id']}/access"
    assert (await house.api("PUT", path, BASIC)).json()["error"]["field"] == "source_id"


@pytest.mark.parametrize(
    ("access", "headers"),
    [
        (
            SourceAccess(AccessKind.BASIC, "Aladdin", "open sesame"),
            {"Authorization": "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="},
        ),
        (SourceAccess(AccessKind.HEADER, "X-Key", "k"), {"X-Key": "k"}),
        (SourceAccess(AccessKind.COOKIE, "session", "s"), {"Cookie": "session=s"}),
    ],
)
def test_what_is_sent(access: SourceAccess, headers: dict[str, str]) -> None:
    """The first is RFC 7617's own example."""
    assert access.headers == headers
    assert access.secret not in repr(access).partition("secret")[2]
