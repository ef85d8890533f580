"""The whole house with a fake provider, as the system tests run it."""

from tests.system.conftest import provider as provider
from tests.system.conftest import running as running
