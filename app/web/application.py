"""The edge as one ASGI application."""

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.types import Lifespan

from app.web.limits_policy import LimitsPolicy, StreamPolicy
from app.web.services import WebServices


def create_app(
    services: WebServices,
    *,
    lifespan: Lifespan[Starlette] | None = None,
    limits: LimitsPolicy | None = None,
    streams: StreamPolicy | None = None,
    trusted_proxies: Sequence[str] = (),
    version: str = "0.0.0",
) -> Starlette:
    """Nothing connects and nothing is read from the environment here.

    `trusted_proxies` are addresses or networks whose X-Forwarded-For is believed; a wrong one raises ValueError.
    """
    raise NotImplementedError
