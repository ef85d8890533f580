"""Chat models of workspaces that are called by nobody: any public address may be entered, and what a test says is
answered."""

from app.agents.model_endpoint import ModelEndpoint
from app.core.errors import ModelUnavailable
from app.kit.guarded_client import canonical_url
from crawler.address_policy import AddressPolicy


class ScriptedProbe:
    """`asked` are the endpoints that were asked, each with its key; while `is_down`, they do not answer."""

    def __init__(self) -> None:
        self.asked: list[tuple[ModelEndpoint, str]] = []
        self.is_down = False

    def canonical(self, url: str) -> str:
        return canonical_url(url, AddressPolicy(), "url", "asked at")

    async def probe(self, endpoint: ModelEndpoint, key: str) -> str:
        self.asked.append((endpoint, key))
        if self.is_down:
            raise ModelUnavailable("The endpoint refuses the key.")
        return 'answered "ready"'
