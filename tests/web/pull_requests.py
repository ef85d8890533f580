"""A repository for tests of the edge, and how GitHub signs what it says."""

import hashlib
import hmac
from collections.abc import Mapping
from uuid import uuid4

from app.gaps.pull_requests.pull_request import Repository
from app.gaps.pull_requests.pull_requests import Repositories
from tests.doubles.small_github import PRICING, TOKEN, version_of
from tests.web.house import PAGE, House, Json

BODIES: Mapping[str, Json] = {
    "setRepository": {"owner": "nimbrel", "name": "website", "token": TOKEN},
    "readPageFile": {"page_url": PAGE},
    "openPullRequest": {"page_url": PAGE, "text": f"{PRICING}\nPay by invoice.\n", "version": version_of(PRICING)},
}


async def a_repository(house: House) -> str:
    """The agent's; return the secret of its webhook."""
    repository = Repository(uuid4(), house.agent.id, "nimbrel", "website")
    made = await house.parts.get(Repositories).put(house.actor, repository, TOKEN)
    assert made.hook_secret is not None
    return made.hook_secret


def signed_as_github(secret: str, body: bytes = b"") -> dict[str, str]:
    signature = hmac.digest(secret.encode(), body, hashlib.sha256).hex()
    return {"X-Hub-Signature-256": f"sha256={signature}", "X-GitHub-Event": "ping"}
