"""Passkeys by py_webauthn: the options for a browser, and the check of its response. The library is imported with the
first call: most processes never use it."""

import json
from base64 import urlsafe_b64decode
from binascii import Error as Base64Error
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.core.errors import Unauthorized

_DOES_NOT_HOLD = "The passkey could not be verified. Reload the page and try again."


@dataclass(frozen=True, slots=True)
class Registered:
    credential_id: bytes = field(repr=False)
    public_key: bytes = field(repr=False)
    sign_count: int


def creation_options(party: str, user: bytes, name: str, challenge: bytes, known: Sequence[bytes]) -> str:
    """The options for navigator.credentials.create, as JSON: a discoverable key whose device verifies who uses it.
    `known` are the ids of keys that exist already."""
    from webauthn import generate_registration_options, options_to_json
    from webauthn.helpers.structs import (
        AuthenticatorSelectionCriteria,
        PublicKeyCredentialDescriptor,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    wanted = AuthenticatorSelectionCriteria(
        resident_key=ResidentKeyRequirement.REQUIRED, user_verification=UserVerificationRequirement.REQUIRED
    )
    return options_to_json(
        generate_registration_options(
            rp_id=party,
            rp_name="Docent",
            user_id=user,
            user_name=name,
            challenge=challenge,
            authenticator_selection=wanted,
            exclude_credentials=[PublicKeyCredentialDescriptor(id=each) for each in known],
        )
    )


def request_options(party: str, challenge: bytes) -> str:
    """The options for navigator.credentials.get, as JSON. They list no keys, so that they do not reveal accounts."""
    from webauthn import generate_authentication_options, options_to_json
    from webauthn.helpers.structs import UserVerificationRequirement

    required = UserVerificationRequirement.REQUIRED
    return options_to_json(
        generate_authentication_options(rp_id=party, challenge=challenge, user_verification=required)
    )


def registered(credential: str, *, challenge: bytes, party: str, origin: str) -> Registered:
    """Check a response to `creation_options`; return its key. Raises Unauthorized."""
    from webauthn import verify_registration_response
    from webauthn.helpers.exceptions import WebAuthnException

    try:
        found = verify_registration_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=party,
            expected_origin=origin,
            require_user_verification=True,
        )
    except (WebAuthnException, ValueError, KeyError, TypeError, RecursionError) as error:
        raise Unauthorized(_DOES_NOT_HOLD) from error
    return Registered(found.credential_id, found.credential_public_key, found.sign_count)


def asserted(credential: str, *, challenge: bytes, party: str, origin: str, public_key: bytes, sign_count: int) -> int:
    """Check a response to `request_options`; return how often the key has signed. Raises Unauthorized."""
    from webauthn import verify_authentication_response
    from webauthn.helpers.exceptions import WebAuthnException

    try:
        found = verify_authentication_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=party,
            expected_origin=origin,
            credential_public_key=public_key,
            credential_current_sign_count=sign_count,
            require_user_verification=True,
        )
    except (WebAuthnException, ValueError, KeyError, TypeError, RecursionError) as error:
        raise Unauthorized(_DOES_NOT_HOLD) from error
    return found.new_sign_count


def credential_id_of(credential: str) -> bytes:
    """The id of the key that a response claims. Raises Unauthorized."""
    try:
        raw_id = json.loads(credential)["rawId"]
        return urlsafe_b64decode(raw_id + "=" * (-len(raw_id) % 4))
    except (ValueError, KeyError, TypeError, RecursionError, Base64Error) as error:
        raise Unauthorized(_DOES_NOT_HOLD) from error
