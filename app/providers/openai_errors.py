"""The openai SDK's errors in words for the operator. The SDK's own texts are kept as the cause only, because providers
put parts of keys and prompts into them."""

import math
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


def what_happened(error: Exception) -> str:
    """The end of a sentence that begins with the provider's name."""
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
