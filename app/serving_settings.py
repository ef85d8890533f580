"""The settings about where Docent listens, whom it believes and what callers may do."""

import re
from importlib.util import find_spec
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource

from app.core.setting_values import checked_networks, checked_root_path, comma_separated
from app.providers.identity.oidc_client import OidcClient, is_trusted_address
from app.workspaces.operator import ProviderRules, read_roles


class SignInSettings(BaseSettings):
    oidc_issuer: str = Field(
        "", description="OpenID provider that operators sign in with, such as https://id.example.com/realms/docs."
    )
    oidc_name: str = Field("", max_length=60, description="Name on the sign-in button; default: the provider's host.")
    oidc_client_id: str = Field("", description="Docent's client id there.")
    oidc_client_secret: SecretStr = Field(
        SecretStr(""), description="Its secret; empty: a public client with PKCE only."
    )
    oidc_scopes: str = Field(
        "openid email profile", description="Scopes to request; some providers also need `groups`."
    )
    oidc_groups_claim: str = Field(
        "groups", description="Claim that lists a user's groups; a dot descends into an object: realm_access.roles."
    )
    oidc_roles: str = Field(
        "",
        description="Role of each group: docs-admins=admin, staff=viewer; `*` matches everybody the provider lets in. "
        "Who is in none may not sign in.",
    )
    password_sign_in: bool = Field(True, description="Whether operators may sign in with a password as well.")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only the environment, below the command's options: searching the other sources for each setting takes as long
        as all the rest."""
        return init_settings, env_settings

    @field_validator("oidc_issuer")
    @classmethod
    def _is_an_issuer(cls, value: str) -> str:
        if value and not is_trusted_address(value):
            raise ValueError("begin the address with https://, such as https://id.example.com/realms/docs")
        return value

    @field_validator("oidc_roles")
    @classmethod
    def _roles_can_be_read(cls, value: str) -> str:
        read_roles(value)
        return value

    @model_validator(mode="after")
    def _there_is_a_way_in(self) -> Self:
        if not self.oidc_issuer:
            if not self.password_sign_in:
                raise ValueError("DOCENT_PASSWORD_SIGN_IN: nobody could sign in; set DOCENT_OIDC_ISSUER first")
            return self
        for name in ("oidc_client_id", "oidc_roles"):
            if not getattr(self, name):
                raise ValueError(f"DOCENT_{name.upper()}: set it beside DOCENT_OIDC_ISSUER")
        if "openid" not in self.oidc_scopes.split():
            raise ValueError("DOCENT_OIDC_SCOPES: openid must be among them")
        if find_spec("authlib") is None:
            raise ValueError("DOCENT_OIDC_ISSUER: signing in at a provider needs Authlib: pip install 'docent[oidc]'")
        return self

    @property
    def oidc_client(self) -> OidcClient:
        secret = self.oidc_client_secret.get_secret_value()
        return OidcClient(self.oidc_issuer, self.oidc_client_id, secret, self.oidc_scopes)

    @property
    def provider_name(self) -> str:
        """The identity provider's on the sign-in button, "" without one."""
        return self.oidc_name or urlsplit(self.oidc_issuer).hostname or self.oidc_issuer

    def provider_rules(self, workspace: str) -> ProviderRules:
        return ProviderRules(read_roles(self.oidc_roles), self.oidc_groups_claim, workspace)


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
