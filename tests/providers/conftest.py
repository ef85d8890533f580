"""What the tests of several adapters share."""

from collections.abc import Iterator

import pytest

from tests.doubles.fake_openai import FakeOpenAI


@pytest.fixture(scope="session")
def running_fake_openai() -> Iterator[FakeOpenAI]:
    with FakeOpenAI().running() as fake:
        yield fake


@pytest.fixture
def fake_openai(running_fake_openai: FakeOpenAI) -> FakeOpenAI:
    """A live OpenAI-compatible server that has not been asked anything yet."""
    running_fake_openai.plays()
    return running_fake_openai
