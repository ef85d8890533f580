"""The secret keys of tests that are not about them."""

from typing import Final

from app.store.secret_keys import SecretKeys

TEST_KEYS: Final = SecretKeys(lambda: [b"k" * 32])
