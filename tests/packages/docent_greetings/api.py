from pydantic import Field

from app.core.actor import Actor
from app.web.operation import Api, Call, Model, post, write
from docent_greetings.greetings import Greetings


class GreetingIn(Model):
    greeting: str = Field(min_length=1, max_length=100)


class AdminGreetings(Api):
    tag = "Greetings"
    _greetings: Greetings

    @post("/v1/agents/{agent_id}/greetings", "Send a greeting to whoever wants it", access=write)
    async def send_greeting(self, call: Call[Actor, GreetingIn]) -> None:
        await self._greetings.send(call.caller, call.path_id("agent_id"), call.input.greeting)
