"""Admin API: who may work at the console."""

from datetime import datetime
from uuid import UUID

from pydantic import ConfigDict, Field

from app.core.actor import Actor
from app.web.access import manage
from app.web.endpoint import Api, Call, delete, get, patch, post
from app.web.model import Model, without_defaults
from app.workspaces.operator import Operator, Role
from app.workspaces.operators import MAX_EMAIL_CHARS, MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS, Operators

TAG = "Operators"


class OperatorOut(Model):
    id: UUID
    email: str
    role: Role
    created_at: datetime
    signed_in_at: datetime | None = Field(description="The latest sign-in; null before the first.")
    disabled_at: datetime | None

    @classmethod
    def of(cls, operator: Operator) -> "OperatorOut":
        return cls.model_validate(operator)


class OperatorsOut(Model):
    items: tuple[OperatorOut, ...] = Field(description="By e-mail, disabled ones among them.")


class OperatorIn(Model):
    email: str = Field(min_length=3, max_length=MAX_EMAIL_CHARS, description="Kept in lower case.")
    role: Role = Field(description="viewer reads, editor changes as well, admin also manages operators and tokens.")
    password: str = Field(min_length=MIN_PASSWORD_CHARS, max_length=MAX_PASSWORD_CHARS)


class OperatorPatch(Model):
    """Only what is sent changes; each change signs the operator out."""

    model_config = ConfigDict(json_schema_extra=without_defaults)

    role: Role | None = None
    password: str | None = Field(default=None, min_length=MIN_PASSWORD_CHARS, max_length=MAX_PASSWORD_CHARS)
    disabled: bool | None = None


class AdminOperators(Api):
    tag = TAG

    def __init__(self, operators: Operators) -> None:
        self._operators = operators

    @get("/v1/operators", "Who may work at the console", access=manage)
    async def list_operators(self, call: Call[Actor, None]) -> OperatorsOut:
        operators = await self._operators.of_workspace(call.caller)
        return OperatorsOut(items=tuple(OperatorOut.of(operator) for operator in operators))

    @post("/v1/operators", "Make an account at the console", access=manage, status=201)
    async def create_operator(self, call: Call[Actor, OperatorIn]) -> OperatorOut:
        given = call.input
        return OperatorOut.of(await self._operators.add(call.caller, given.email, given.role, given.password))

    @patch(
        "/v1/operators/{operator_id}",
        "Change an operator's role or password, disable the account or enable it again",
        access=manage,
        codes=("not_found",),
    )
    async def edit_operator(self, call: Call[Actor, OperatorPatch]) -> OperatorOut:
        given = call.input
        return OperatorOut.of(
            await self._operators.change(
                call.caller,
                call.path_id("operator_id"),
                role=given.role,
                password=given.password,
                is_disabled=given.disabled,
            )
        )

    @delete(
        "/v1/operators/{operator_id}",
        "Remove an account; what it did stays in the audit log",
        access=manage,
        status=204,
        codes=("not_found", "invalid_request"),
    )
    async def delete_operator(self, call: Call[Actor, None]) -> None:
        await self._operators.delete(call.caller, call.path_id("operator_id"))
