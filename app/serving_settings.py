"""The settings about where Docent listens, whom it believes and what callers may do."""

import re
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_settings import NoDecode

from app.core.setting_values import checked_networks, checked_root_path, comma_separated
from app.sign_in_settings import SignInSettings


def _checked_metrics_token(value: SecretStr) -> SecretStr:
    token = value.get_secret_value()
    if token and not re.fullmatch(r"[!-~]{16,}", token):
        raise ValueError("use at least 16 ASCII characters without spaces: `openssl rand -hex 16` makes a token")
    return value


class ServingSettings(SignInSettings):
    host: str = Field("127.0.0.1", description="Address that `docent serve` listens on.")
    port: int = Field(8000, ge=0, le=65535, description="Port that `docent serve` listens on.")
    processes: int = Field(1, ge=1, le=64, description="Web processes of `docent serve`, behind one port.")
    root_path: Annotated[str, AfterValidator(checked_root_path)] = Field(
        "", description="Path under which a proxy serves Docent, such as /docent."
    )
    trusted_proxies: Annotated[
        tuple[str, ...], NoDecode, BeforeValidator(comma_separated), AfterValidator(checked_networks)
    ] = Field((), description="Trusted proxies: addresses or networks, comma separated.")
    trusted_proxy_header: str = Field(
        "X-Forwarded-For",
        pattern=r"^[A-Za-z0-9-]{1,64}$",
        description="Header in which they name the visitor's address; Fly's proxy: Fly-Client-IP.",
    )
    metrics_token: Annotated[SecretStr, AfterValidator(_checked_metrics_token)] = Field(
        SecretStr(""), description="Token that /metrics asks for, as Authorization: Bearer; empty: nobody reads it."
    )
    limit_header_bytes: int = Field(
        32768, ge=1024, le=1048576, description="Longest request line with all its headers, in bytes; beyond it: 431."
    )
    limit_headers: int = Field(100, ge=10, le=1000, description="Maximum number of request headers; beyond it: 431.")
    limit_header_seconds: float = Field(10, gt=0, le=300, description="Time to receive a request's headers; else 408.")
    limit_body_seconds: float = Field(
        30, gt=0, le=3600, description="Time to receive a request's body, plus a second per KiB; else 408."
    )
    limit_connections: int = Field(2000, ge=10, description="Connections per web process; then the idlest is closed.")
    limit_connections_per_address: int = Field(
        200, ge=1, description="Of those, from one address (IPv6: /64) other than a trusted proxy; beyond it: 503."
    )
    limit_questions_per_visitor: int = Field(20, ge=1, description="Questions per visitor and minute.")
    limit_questions_per_address: int = Field(60, ge=1, description="Questions per address (IPv6: a /64) and minute.")
    limit_questions_per_agent: int = Field(1200, ge=1, description="Questions per agent and minute, of all visitors.")
    limit_questions_per_visitor_day: int = Field(
        0, ge=0, description="Questions per visitor and agent in any 24 hours; 0: no limit."
    )
    limit_questions_per_network_day: int = Field(
        0, ge=0, description="The same per network, IPv4 /24 or IPv6 /48; 0: no limit."
    )
