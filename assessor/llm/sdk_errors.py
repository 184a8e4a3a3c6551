"""Translates errors of the SDK and of the network into ours. One table maps them.

An endpoint's words only help to find the kind of error. They go no further, because they may quote
a key or a server behind the endpoint. So ours do not name the SDK's error as their cause either: a
log shows causes.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import httpx2
import openai

from assessor.llm.errors import (
    ModelBadAnswer,
    ModelBadRequest,
    ModelError,
    ModelInterrupted,
    ModelNotFound,
    ModelRateLimited,
    ModelRedirected,
    ModelServerError,
    ModelTimeout,
    ModelTooLong,
    ModelUnauthorized,
    ModelUnreachable,
)
from foundation.http.retry_after import retry_after

# Looked up along the class's ancestors: APIStatusError covers statuses without their own class
# (402, 413). A test checks that the table covers every error class of the SDK.
ERRORS: dict[type[Exception], type[ModelError]] = {
    openai.OpenAIError: ModelBadRequest,  # the SDK itself refused to send
    openai.APIError: ModelServerError,  # an error event inside a stream
    openai.APIResponseValidationError: ModelBadAnswer,
    openai.APIStatusError: ModelBadRequest,
    openai.BadRequestError: ModelBadRequest,
    openai.AuthenticationError: ModelUnauthorized,
    openai.OAuthError: ModelUnauthorized,
    openai.PermissionDeniedError: ModelUnauthorized,
    openai.NotFoundError: ModelNotFound,
    openai.ConflictError: ModelServerError,
    openai.UnprocessableEntityError: ModelBadRequest,
    openai.RateLimitError: ModelRateLimited,
    openai.InternalServerError: ModelServerError,
    openai.APIConnectionError: ModelInterrupted,
    openai.APITimeoutError: ModelTimeout,
}
# No connection. The SDK uses the same two classes for this and for a broken connection.
NOT_THERE = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
)
NO_REASON = "All connection attempts failed"  # httpcore's words if each address refused
# The connection broke before the first byte of the answer.
BROKE_OFF = (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError)

# OpenAI, vLLM, Groq and llama-cpp-python; llama.cpp and LM Studio; Anthropic; Gemini; Mistral.
TOO_LONG = re.compile(
    r"context_length|context length|context size|context window"
    r"|prompt is too long|token count \S{0,12} ?exceeds|too large for model",
    re.IGNORECASE,
)
_MAY_BE_TOO_LONG = (ModelBadRequest, ModelServerError)


@contextmanager
def translated() -> Iterator[None]:
    """Translate errors raised in the block to ModelErrors."""
    try:
        yield
    except TimeoutError:
        raise ModelTimeout from None
    except openai.OpenAIError as error:
        raise translate(error) from None
    except UnicodeEncodeError:
        raise ModelBadRequest(
            "the text has half of a surrogate pair, which is not valid UTF-8"
        ) from None
    except (ValueError, RecursionError) as error:  # not JSON, not UTF-8, or not the shape we read
        raise ModelBadAnswer(type(error).__name__) from None


def translate(error: openai.OpenAIError) -> ModelError:
    """Return the SDK's error as a ModelError, with the status and the requested pause."""
    cause = error.__cause__
    if isinstance(cause, NOT_THERE):
        return ModelUnreachable(_nobody_there(error))
    if isinstance(cause, httpx2.DecodingError):
        return ModelBadAnswer(type(cause).__name__)
    kind = next(ERRORS[ancestor] for ancestor in type(error).__mro__ if ancestor in ERRORS)
    words = endpoint_said(error)
    if kind in _MAY_BE_TOO_LONG and TOO_LONG.search(words):
        kind = ModelTooLong  # endpoints disagree on the status
    if not isinstance(error, openai.APIStatusError):
        return kind()
    if 300 <= error.status_code < 400:
        kind = ModelRedirected
    pause = retry_after(error.response.headers)
    return kind(f"HTTP {error.status_code}", retry_after=pause)


def endpoint_said(error: openai.OpenAIError) -> str:
    """Return the endpoint's words, to find the cause of its refusal. Never show them.

    A message is not always a text: Mistral sends an object, Gemini a list, and a proxy a web page.
    """
    body = error.body if isinstance(error, openai.APIError) else None
    said = body.get("message") if isinstance(body, Mapping) else body
    words = said if isinstance(said, str) else json.dumps(body, ensure_ascii=False)
    return words if body else str(error)


def _nobody_there(error: openai.OpenAIError) -> str:
    """Return the address that could not be reached, and the reason if there is one."""
    # A proxy's reason is in its own words.
    words = "" if isinstance(error.__cause__, httpx2.ProxyError) else str(error.__cause__)
    if not isinstance(error, openai.APIConnectionError):
        return words
    address = error.request.url.netloc.decode()
    return address if words in {"", NO_REASON} else f"{address}: {words}"
