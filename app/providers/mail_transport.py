"""Port: hands a message to a mail server; by SMTP, in one connection per message, with TLS unless the server is on this
machine.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from typing import Final, Protocol

import anyio
from aiosmtplib import SMTP, SMTPException, SMTPRecipientsRefused, SMTPResponseException

from app.providers.access_tokens import NoAccessToken


@dataclass(frozen=True, slots=True)
class MailFailure:
    """`reason` is for people; `is_final`: the server will not accept the message later either."""

    reason: str
    is_final: bool = False


class MailTransport(Protocol):
    async def send(self, message: EmailMessage) -> MailFailure | None:
        """Return None if the server accepted the message. Takes seconds; never raises for what the server does."""
        ...

    async def greet(self) -> MailFailure | None:
        """Sign in and send nothing; return None if the server would accept messages."""
        ...


_STEP_SECONDS: Final = 20.0
_BUDGET_SECONDS: Final = 60.0  # for all steps
_GOODBYE_SECONDS: Final = 2.0
_POLICY: Final = "5.7."  # RFC 3463: the server may not send for us, which an operator can fix


class AiosmtplibMailTransport:
    """`is_tls`: TLS from the first byte; `is_plain`: no TLS. With neither, STARTTLS is required. `token` gets an access
    token, to sign in with instead of the password."""

    def __init__(
        self,
        host: str,
        port: int,
        user: str,
        password: str,
        *,
        is_tls: bool,
        is_plain: bool,
        token: Callable[[], Awaitable[str]] | None = None,
    ) -> None:
        self._host, self._port = host, port
        self._user, self._password = user, password
        self._is_tls, self._is_plain = is_tls, is_plain
        self._token = token

    async def send(self, message: EmailMessage) -> MailFailure | None:
        async def hand_over(server: SMTP) -> None:
            await server.send_message(message)

        return await self._failure_of(hand_over)

    async def greet(self) -> MailFailure | None:
        async def say_nothing(server: SMTP) -> None:
            await server.noop()

        return await self._failure_of(say_nothing)

    async def _failure_of(self, work: Callable[[SMTP], Awaitable[None]]) -> MailFailure | None:
        server = SMTP(
            hostname=self._host,
            port=self._port,
            username=self._user or None,
            password=self._password or None,
            oauth_token_generator=self._token,
            timeout=_STEP_SECONDS,
            use_tls=self._is_tls,
            start_tls=not (self._is_tls or self._is_plain),
        )
        try:
            with anyio.fail_after(_BUDGET_SECONDS):
                await server.connect()
                await work(server)
            await _say_goodbye(server)
        except SMTPRecipientsRefused as error:
            first = error.recipients[0]
            is_final = first.code >= 500 and not first.message.startswith(_POLICY)
            return MailFailure(f"the server refused the recipient: {first.code} {first.message}", is_final)
        except SMTPResponseException as error:
            return MailFailure(f"the server said {error.code} {error.message}")
        except NoAccessToken as error:
            return MailFailure(str(error))
        except (SMTPException, OSError, ValueError) as error:
            return MailFailure(f"{self._host}:{self._port}: {str(error) or type(error).__name__}")
        finally:
            server.close()
        return None


async def _say_goodbye(server: SMTP) -> None:
    """Errors do not matter here: the server has the message."""
    with anyio.move_on_after(_GOODBYE_SECONDS), suppress(SMTPException, OSError):
        await server.quit()
