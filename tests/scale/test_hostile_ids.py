"""2,500 ids made to slip through, over every route that takes one: nothing of the other tenant's, and no 5xx.

`tests/web/test_isolation.py` asks the parser and the record with 10,000; here each goes through the whole edge.
"""

from itertools import cycle
from urllib.parse import quote

from tests.web.test_isolation import ENDPOINTS, Tenants, call, hostile_ids, tenants

__all__ = ["tenants"]  # the fixture


async def test_over_every_route_they_find_nothing_and_break_nothing(tenants: Tenants) -> None:
    before = tenants.their_rows()
    # An agent's picture, its invitations and where to get a token for it are everyone's who has their address.
    public = {"getAgentPicture", "getInvitations", "describeAgentsResource"}
    closed = [endpoint for endpoint in ENDPOINTS if endpoint.operation not in public]
    places = [(endpoint, name) for endpoint in closed for name in endpoint.path_names]
    hostile = hostile_ids([each for _, each in sorted(tenants.theirs.ids.items())], 2_500)
    assert len(places) > 60
    for (endpoint, name), raw in zip(cycle(places), hostile, strict=False):
        path = tenants.ours.path(endpoint, **{name: quote(raw, safe="")})
        response = await call(tenants.ours, endpoint, path, tenants.ours.headers(endpoint), **{"Last-Event-ID": "0"})
        assert response.status_code in (401, 404, 405), (endpoint.operation, raw, response.text)
        assert tenants.leaks(response) == [], (endpoint.operation, raw)
    assert tenants.their_rows() == before
