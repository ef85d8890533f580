"""A provider that answers as OpenAI does."""

from tests.providers.conftest import fake_openai, running_fake_openai

__all__ = ["fake_openai", "running_fake_openai"]
