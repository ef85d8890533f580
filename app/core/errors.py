"""The error tree, and who can fix each branch.

DocentError
├── InvalidInput            the caller: the message names the field and the fix          (422)
├── NotFound                the caller: absent, or not theirs, which reads the same       (404)
├── Unauthorized            the caller: bring a valid token                               (401)
├── OriginRefused           the operator: list the site in the agent's allowed_origins    (403)
├── TurnConflict            the caller: the turn id was used for another question         (409)
├── TurnInProgress          the visitor: wait for the running answer or stop it           (409)
├── HandedToPerson          the visitor: an operator answers now, write to them           (409)
├── AgentPaused             the operator: resume the agent; the visitor: use another way  (409)
├── NoActiveChat            the caller: ask for a person, or take the chat over, first    (409)
├── ChatAlreadyTaken        the operator: another one has the live chat                   (409)
├── PublishGateFailed       the operator: fix the draft, or publish despite the losses    (409)
├── RateLimited             the caller: wait `retry_after_seconds`                        (429)
├── Overloaded              the operator: too much work at once; retry soon               (503)
└── Unavailable             the operator: a part we depend on does not answer
    ├── ModelUnavailable    the chat model gave no token: another may be tried
    ├── ModelInterrupted    the chat model broke off after its first token: keep the text
    ├── EmbedderUnavailable keywords alone answer
    ├── RerankerUnavailable the fused order stands
    ├── DatabaseAway        look at the database's server, or at the folder's rights
    ├── Misconfigured       a setting: the message names the variable and the fix
    ├── SecretsLocked       put the secret key back, or `docent secrets forget`
    └── IndexUnavailable    run `docent doctor`, then `docent reindex`
"""


class DocentError(Exception):
    """Root of the errors that Docent raises deliberately. `str(error)` is written for the person who can fix it."""


class InvalidInput(DocentError):
    """A value cannot be accepted. `field` is its name as the caller wrote it, "" for the whole input; `message` is
    shown beside the field and does not name it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}" if field else message)
        self.field = field
        self.message = message


class NotFound(DocentError):
    """There is no such thing, or it belongs to someone else."""

    def __init__(self, what: str) -> None:
        super().__init__(f"No such {what}. Check the id.")
        self.what = what


class Unauthorized(DocentError):
    """The token is missing or invalid."""


class OriginRefused(DocentError):
    """The request came from a website that the agent does not list."""


class TurnConflict(DocentError):
    """The same turn id came with another question."""


class TurnInProgress(DocentError):
    """The conversation is still answering another turn."""


class HandedToPerson(DocentError):
    """An operator has taken the conversation over, and the agent is silent."""


class AgentPaused(DocentError):
    """Operators have paused the agent: it answers neither visitors nor programs."""


class NoActiveChat(DocentError):
    """A live chat is not in a state to be written to, or to be taken over."""


class ChatAlreadyTaken(DocentError):
    """Another operator has the live chat."""


class PublishGateFailed(DocentError):
    """The draft would lose golden questions, and the agent's publish gate refuses that. `losses` names them; the
    message adds the fix."""

    def __init__(self, losses: str, fix: str = "") -> None:
        super().__init__(f"{losses} {fix}".strip())
        self.losses = losses


class RateLimited(DocentError):
    """Too many requests; try again after `retry_after_seconds`. `quota` is the limit: how many in how many seconds;
    None if waiting does not help."""

    def __init__(self, message: str, retry_after_seconds: int, quota: tuple[int, int] | None = None) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds
        self.quota = quota


class Overloaded(DocentError):
    """All slots for this kind of work are taken."""


class Unavailable(DocentError):
    """A part that we depend on does not answer."""


class ModelUnavailable(Unavailable):
    """The chat model failed before its first token. `retry_after_seconds` is the provider's value, else 0.
    `is_of_prompt` means that the model is not down but refused the request, such as a prompt that is too long. `spent`
    is the tokens (read, written) of an accepted request, (0, 0) if unreported; None if it was not accepted."""

    def __init__(
        self,
        message: str,
        retry_after_seconds: float = 0,
        *,
        is_of_prompt: bool = False,
        spent: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds
        self.is_of_prompt = is_of_prompt
        self.spent = spent


class ModelInterrupted(Unavailable):
    """The chat model failed after its first token."""


class EmbedderUnavailable(Unavailable):
    """Texts cannot be embedded now."""


class RerankerUnavailable(Unavailable):
    """The reranker failed or ran out of its time budget."""


class DatabaseAway(Unavailable):
    """The system of record does not respond, or cannot be written to."""


class Misconfigured(Unavailable):
    """Something that a setting names cannot be used. The message is one sentence that begins with the variable and
    gives the fix.
    """


class SecretsLocked(Unavailable):
    """A stored secret is sealed with a key that this process does not have."""


class FilesUnavailable(Unavailable):
    """The object store cannot read or write uploaded files."""


class IndexUnavailable(Unavailable):
    """A search index cannot be read or written."""


def first_line(error: Exception) -> str:
    """A library's error for one of our messages: its first line, at most 200 characters, or the name of the error's
    class.
    """
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
