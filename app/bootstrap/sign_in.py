"""The ways for operators to sign in, chosen by the settings."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from app.kit.clock import Clock
from app.providers.identity.oidc_provider import OidcProvider
from app.settings import Settings
from app.workspaces.operators import SignInMethods
from app.workspaces.provider_rules import ProviderRules


def configured_oidc_provider(settings: Settings, clock: Clock) -> OidcProvider | None:
    return OidcProvider(settings.oidc_client, clock) if settings.oidc_issuer else None


def sign_in_parts(settings: Settings, clock: Clock) -> dict[Any, object]:
    """By the types that pages and verbs name in their constructors."""
    provider = configured_oidc_provider(settings, clock)
    if provider is None:
        return {}
    name = settings.oidc_name or urlsplit(settings.oidc_issuer).hostname or settings.oidc_issuer
    return {
        OidcProvider: provider,
        ProviderRules: settings.provider_rules(settings.workspace),
        SignInMethods: SignInMethods(settings.password_sign_in, name),
    }
