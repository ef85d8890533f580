"""The settings about how operators may sign in."""

from importlib.util import find_spec
from typing import Self

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from app.providers.identity.oidc_client import OidcClient, is_trusted_address
from app.workspaces.provider_rules import ProviderRules, read_roles


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

    def provider_rules(self, workspace: str) -> ProviderRules:
        return ProviderRules(read_roles(self.oidc_roles), self.oidc_groups_claim, workspace)
