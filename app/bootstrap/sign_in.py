"""The ways for operators to sign in, chosen by the settings."""

from __future__ import annotations

from urllib.parse import urlsplit

from app.kit.clock import Clock
from app.kit.wiring import Parts
from app.providers.identity.oidc_provider import OidcProvider
from app.settings import Settings
from app.workspaces.operator import ProviderRules
from app.workspaces.operators import SignInMethods


def configured_oidc_provider(settings: Settings, clock: Clock) -> OidcProvider | None:
    return OidcProvider(settings.oidc_client, clock) if settings.oidc_issuer else None


def bind_sign_in(parts: Parts, settings: Settings, clock: Clock) -> None:
    provider = configured_oidc_provider(settings, clock)
    name = settings.oidc_name or urlsplit(settings.oidc_issuer).hostname or settings.oidc_issuer
    parts.bind(OidcProvider).to_optional(provider)
    parts.bind(ProviderRules).to_optional(settings.provider_rules(settings.workspace) if provider else None)
    parts.bind(SignInMethods).to(SignInMethods(settings.password_sign_in, name))
