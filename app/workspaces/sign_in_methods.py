"""How operators may sign in here."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SignInMethods:
    """`provider` is what the identity provider is called, "" where there is none."""

    by_password: bool = True
    provider: str = ""
