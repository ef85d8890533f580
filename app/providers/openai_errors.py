"""The openai SDK's errors in words for the operator. The SDK's own texts are kept as the cause only, because providers
put parts of keys and prompts into them."""

import math
import re
from collections.abc import Mapping
from typing import Final

import httpx2
import openai

# The SDK does not check responses, so one of another kind fails where it is read.
OPENAI_ERRORS: Final = (openai.OpenAIError, httpx2.HTTPError, ValueError, TypeError, AttributeError, LookupError)


# Fields that we send. Other names in a provider's response may contain anything.
_FIELDS: Final = frozenset(
    {"max_tokens", "max_completion_tokens", "temperature", "reasoning_effort", "response_format", "stream_options"}
    | {"tools"}
)


# Codes of errors that are about one prompt, by what an operator should read. Texts beside them may contain anything.
_OF_THE_PROMPT: Final = {
    "content_filter": "filtered the prompt",
    "content_policy_violation": "filtered the prompt",
    "responsibleaipolicyviolation": "filtered the prompt",
    "moderation_blocked": "filtered the prompt",
    "invalid_prompt": "filtered the prompt",
    "context_length_exceeded": "was given a prompt beyond its context length",
    "string_above_max_length": "was given a prompt beyond its context length",
}
_TOO_LONG: Final = re.compile(
    r"context (?:length|window)|maximum context|prompt is too long|too many tokens|request too large"
    r"|context the overflows|input is too long|exceeds? the (?:available )?context",
    re.IGNORECASE,
)
_MODERATED: Final = re.compile(r"content management policy|requires moderation|was flagged", re.IGNORECASE)
_KNOWN_CODES: Final = {
    "insufficient_quota": "has no quota left: add credit at the provider",
    "model_not_found": "knows no such model",
    "unsupported_country_region_territory": "does not serve this country",
    "budget_exceeded": "has used its budget up",
    "billing_hard_limit_reached": "has reached the limit of its bill",
    "invalid_api_key": "refused the API key",
}
_STATUSES_OF_A_PROMPT: Final = frozenset({400, 403, 413, 422})


def is_filtered(error: Exception) -> bool:
    """Whether the provider's filter refused the prompt."""
    return _of_the_prompt(error) == _OF_THE_PROMPT["content_filter"]


def is_of_prompt(error: Exception) -> bool:
    """Whether the provider refused this prompt, and would take another."""
    return bool(_of_the_prompt(error))


def _of_the_prompt(error: Exception) -> str:
    if not isinstance(error, openai.APIStatusError) or error.status_code not in _STATUSES_OF_A_PROMPT:
        return ""
    for code in _codes(error):
        if told := _OF_THE_PROMPT.get(code):
            return told
    if _MODERATED.search(str(error)):
        return _OF_THE_PROMPT["content_filter"]
    return _OF_THE_PROMPT["context_length_exceeded"] if _TOO_LONG.search(str(error)) else ""


def _codes(error: openai.APIStatusError) -> list[str]:
    body = error.body if isinstance(error.body, Mapping) else {}
    inner = body.get("innererror")
    told = [error.code, error.type, inner.get("code") if isinstance(inner, Mapping) else None]
    return [str(code).casefold() for code in told if code]


def what_happened(error: Exception) -> str:
    """The end of a sentence that begins with the provider's name."""
    if told := _of_the_prompt(error):
        return told
    if isinstance(error, openai.APIStatusError):
        for code in _codes(error):
            if known := _KNOWN_CODES.get(code):
                return f"{known} ({error.status_code})"
    match error:
        case openai.AuthenticationError() | openai.PermissionDeniedError():
            return f"refused the API key ({error.status_code})"
        case openai.NotFoundError():
            return "knows no such model or address (404)"
        case openai.RateLimitError():
            return "is over its rate limit or quota (429)"
        case openai.APIStatusError() if field := refused_field(error):
            return f"does not take the field {field}, or its value ({error.status_code})"
        case openai.APIStatusError():
            return f"answered with status {error.status_code}"
        case openai.APITimeoutError() | httpx2.TimeoutException():
            return "was silent for too long"
        case openai.APIConnectionError() | httpx2.HTTPError():
            return "cannot be reached, or broke the connection off"
        case openai.APIError():
            return "reported an error in its stream"
    return "sent an invalid response"


def refused_field(error: openai.APIStatusError) -> str:
    """The field of the request that a refusal names, or of which it names a part, such as tools[0].function; "" if it
    names none that we send."""
    field = error.param.partition("[")[0].partition(".")[0] if isinstance(error.param, str) else ""
    return field if field in _FIELDS else ""


def seconds_asked_for(error: Exception) -> float:
    """How long a server that refused wants no calls: its Retry-After in seconds, else 0."""
    if not isinstance(error, openai.APIStatusError):
        return 0
    headers = error.response.headers
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:  # a date, or empty
            continue
        return seconds if math.isfinite(seconds) and seconds > 0 else 0
    return 0
