"""API tokens over the API: seen without their secrets, and worthless from the moment they are revoked."""

from uuid import UUID

from tests.web.house import House


async def id_of(house: House, name: str) -> str:
    listed = (await house.api("GET", "/v1/tokens")).json()["items"]
    [found] = [token["id"] for token in listed if token["name"] == name]
    return str(UUID(found))


async def test_the_list_has_every_token_and_no_secret(house: House) -> None:
    response = await house.api("GET", "/v1/tokens")
    listed = {token["name"]: token for token in response.json()["items"]}
    assert listed.keys() == {"write", "read"}
    assert listed["read"]["scopes"] == ["read"]
    assert house.write.startswith(listed["write"]["prefix"])
    assert house.write not in response.text
    assert house.read not in response.text


async def test_the_next_call_of_a_revoked_token_is_refused(house: House) -> None:
    assert (await house.api("GET", "/v1/agents", token=house.read)).status_code == 200
    revoked = await house.api("DELETE", f"/v1/tokens/{await id_of(house, 'read')}")
    assert (revoked.status_code, revoked.content) == (204, b"")
    assert (await house.api("GET", "/v1/agents", token=house.read)).status_code == 401
    assert (await house.api("GET", "/v1/agents")).status_code == 200


async def test_revoking_twice_keeps_the_first_moment(house: House) -> None:
    path = f"/v1/tokens/{await id_of(house, 'read')}"
    await house.api("DELETE", path)
    first = (await house.api("GET", "/v1/tokens")).json()
    house.clock.advance(30)
    assert (await house.api("DELETE", path)).status_code == 204
    assert (await house.api("GET", "/v1/tokens")).json()["items"][1] == first["items"][1]
    assert first["items"][1]["revoked_at"] is not None


async def test_another_workspaces_tokens_are_not_shown(house: House) -> None:
    listed = (await house.api("GET", "/v1/tokens", token=house.foreign)).json()["items"]
    assert [token["name"] for token in listed] == ["foreign"]
