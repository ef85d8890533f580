"""Describes the openai SDK's errors to the operator. The SDK's own texts are kept as the cause only, because providers
put parts of keys and prompts into them."""

import math
import re
from collections.abc import Mapping
from typing import Any, Final

import httpx2
import openai

# The SDK does not check responses, so reading an unexpected one may raise any of these.
OPENAI_ERRORS: Final = (openai.OpenAIError, httpx2.HTTPError, ValueError, TypeError, AttributeError, LookupError)


# Fields that we send. Other names in a provider's response may contain anything.
_FIELDS: Final = frozenset(
    {"max_tokens", "max_completion_tokens", "temperature", "reasoning_effort", "response_format", "stream_options"}
    | {"tools", "dimensions", "stream"}
)


_NAMED_FIELD: Final = re.compile(rf"\b(?:{'|'.join(sorted(_FIELDS - {'stream'}))})\b")  # a common word
_NOT_TAKEN: Final = re.compile(
    r"unsupported|unrecognized|unknown|unexpected|extra|not (?:supported|permitted|allowed|accepted)|not support"
    r"|no longer",
    re.IGNORECASE,
)
_SECONDS: Final = re.compile(r"(\d{1,6}(?:\.\d{1,9})?)s")
LONGEST_RETRY_SECONDS: Final = 2.0
_BUSY_SECONDS: Final = 0.3
# Codes of errors about one prompt, with the text for operators. A provider's own text may contain anything.
_OF_THE_PROMPT: Final = {
    "content_filter": "filtered the prompt",
    "content_policy_violation": "filtered the prompt",
    "responsibleaipolicyviolation": "filtered the prompt",
    "moderation_blocked": "filtered the prompt",
    "invalid_prompt": "filtered the prompt",
    "context_length_exceeded": "was given a prompt beyond its context length",
    "string_above_max_length": "was given a prompt beyond its context length",
}
# Categories that filters name in their refusals.
_FILTERED_FOR: Final = frozenset(
    {"hate", "harassment", "self_harm", "sexual", "violence", "jailbreak", "indirect_attack", "profanity"}
    | {"protected_material_code", "protected_material_text", "prohibited_content", "safety", "recitation"}
    | {"blocklist", "spii"}
)
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
    "api_key_invalid": "refused the API key",
}
_BY_STATUS: Final = {
    401: "refused the API key",
    402: _KNOWN_CODES["insufficient_quota"],
    403: "refused the API key",
    404: "knows no such model or address",
    429: "is over its rate limit or quota",
}
_BEYOND_RATE: Final = "was given a prompt of more tokens than this account may use in a minute"
_TOO_LARGE: Final = 413
_STATUSES_OF_A_PROMPT: Final = frozenset({400, 403, _TOO_LARGE, 422, 0})


def is_filtered(error: Exception) -> bool:
    """Whether the provider's filter refused the prompt."""
    return _of_the_prompt(error) == _OF_THE_PROMPT["content_filter"]


def is_of_prompt(error: Exception) -> bool:
    """Whether the provider refused this prompt but would accept another."""
    return bool(_of_the_prompt(error))


def is_of_request(error: Exception) -> bool:
    """Whether the refusal may concern this request alone: its prompt, or a reason that is not named."""
    is_plain = isinstance(error, openai.BadRequestError) and not known_cause(error) and not refused_field(error)
    return is_plain or is_of_prompt(error)


def filtered_for(error: Any) -> str:
    """The categories that a filter named, such as " (jailbreak, violence)"; "" if it named none."""
    if isinstance(error, openai.APIError):
        inner, metadata = _part(_body(error), "innererror"), _part(_body(error), "metadata")
        results = _part(inner, "content_filter_result") or _part(inner, "content_filter_results")
        named = [name for name, found in results.items() if isinstance(found, Mapping) and found.get("filtered")]
        reasons = metadata.get("reasons")
        named += reasons if isinstance(reasons, list) else []
    else:
        named = str(error).split(":")
    known = {str(name).strip().casefold().replace("-", "_") for name in named} & _FILTERED_FOR
    return f" ({', '.join(sorted(known))})" if known else ""


def _of_the_prompt(error: Exception) -> str:
    if not isinstance(error, openai.APIError) or _status(error) not in _STATUSES_OF_A_PROMPT:
        return ""
    codes, text = _codes(error), f"{error} {error.body}"
    if _status(error) == _TOO_LARGE and "rate_limit_exceeded" in codes:
        return _BEYOND_RATE
    if reason := next(filter(None, map(_OF_THE_PROMPT.get, codes)), ""):
        return reason
    if _MODERATED.search(text):
        return _OF_THE_PROMPT["content_filter"]
    return _OF_THE_PROMPT["context_length_exceeded"] if _TOO_LONG.search(text) else ""


def _status(error: openai.APIError) -> int:
    """The HTTP status of the response, or the one that an error within a stream names; 0 without either."""
    if isinstance(error, openai.APIStatusError):
        return error.status_code
    code = _body(error).get("code")
    return code if isinstance(code, int) else 0


def _codes(error: openai.APIError) -> list[str]:
    body = _body(error)
    codes = [error.code, error.type, _part(body, "innererror").get("code")]
    codes += [detail.get("reason") for detail in _details(body)]
    return [str(code).casefold() for code in codes if code]


def _body(error: openai.APIError) -> Mapping[str, Any]:
    """The error object of the response, which Gemini sends in an array."""
    body = error.body
    if isinstance(body, list) and body and isinstance(body[0], Mapping):
        body = body[0].get("error", body[0])
    return body if isinstance(body, Mapping) else {}


def _part(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = body.get(name)
    return part if isinstance(part, Mapping) else {}


def _details(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    details = body.get("details")
    return [detail for detail in details if isinstance(detail, Mapping)] if isinstance(details, list) else []


def known_cause(error: openai.APIError) -> str:
    """What happened, for codes about which an operator can do something; "" for other errors."""
    return next(filter(None, map(_KNOWN_CODES.get, _codes(error))), "")


def what_happened(error: Exception) -> str:
    """What happened, as the end of a sentence that begins with the provider's name."""
    if reason := _of_the_prompt(error):
        return reason + (filtered_for(error) if is_filtered(error) else "")
    if isinstance(error, openai.APIError):
        status = _status(error)
        if reason := known_cause(error) or _BY_STATUS.get(status, ""):
            return f"{reason} ({status})" if status else reason
    match error:
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
    """The field of our request that a refusal names, also if it names only a part of it, such as tools[0].function; ""
    if there is none. Azure and Mistral name it in their text alone."""
    field = error.param.partition("[")[0].partition(".")[0] if isinstance(error.param, str) else ""
    if field in _FIELDS:
        return field
    text = f"{error} {error.body}"
    named = _NAMED_FIELD.search(text) if not field and _NOT_TAKEN.search(text) else None
    return named.group() if named else ""


def seconds_until_retry(error: Exception) -> float | None:
    """How long to wait before the request is repeated, if the server refused it only for a moment: a rate limit with a
    short Retry-After, a busy server, or a connection that broke before the response. None for other errors."""
    seconds = seconds_asked_for(error)
    if isinstance(error, openai.RateLimitError):
        return seconds if 0 < seconds <= LONGEST_RETRY_SECONDS else None
    if isinstance(error, openai.APIStatusError):
        return max(seconds, _BUSY_SECONDS) if error.status_code == 503 and seconds <= LONGEST_RETRY_SECONDS else None
    if isinstance(error, openai.APITimeoutError) or not isinstance(error, openai.APIConnectionError):
        return None
    return None if isinstance(error.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout) else 0.0


def seconds_asked_for(error: Exception) -> float:
    """For how many seconds the server wants no requests, by its Retry-After; 0 if it does not say."""
    if not isinstance(error, openai.APIStatusError):
        return 0
    headers = error.response.headers
    for detail in _details(_body(error)):  # Gemini's RetryInfo
        if delay := _SECONDS.fullmatch(str(detail.get("retryDelay", ""))):
            return float(delay[1])
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:  # a date, or empty
            continue
        return seconds if math.isfinite(seconds) and seconds > 0 else 0
    return 0
