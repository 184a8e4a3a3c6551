"""Translates errors of the SDK and of the network into ours. One table maps them."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import httpx2
import openai
from django.utils.html import strip_tags

from assessor.llm.errors import (
    ModelBadAnswer,
    ModelBadRequest,
    ModelError,
    ModelInterrupted,
    ModelNotFound,
    ModelRateLimited,
    ModelServerError,
    ModelTimeout,
    ModelTooLong,
    ModelUnauthorized,
    ModelUnreachable,
)
from memory.retry_after import retry_after

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
    except TimeoutError as error:
        raise ModelTimeout from error
    except openai.OpenAIError as error:
        raise translate(error) from error
    except UnicodeEncodeError as error:
        raise ModelBadRequest(
            "the text has half of a surrogate pair, which is not valid UTF-8"
        ) from error
    except ValueError as error:  # not JSON, not UTF-8, or not the shape we read
        raise ModelBadAnswer(f"{type(error).__name__}: {error}") from error


def translate(error: openai.OpenAIError) -> ModelError:
    """Return the SDK's error as a ModelError, with the endpoint's message and requested pause."""
    if isinstance(error.__cause__, NOT_THERE):
        return ModelUnreachable(_nobody_there(error))
    kind = next(ERRORS[ancestor] for ancestor in type(error).__mro__ if ancestor in ERRORS)
    said = error.body if isinstance(error, openai.APIError) else None
    said = said if isinstance(said, Mapping) else None
    if not isinstance(error, openai.APIStatusError):
        words = str(error.__cause__ or error)
        return _specific(kind, words)(words, said=said)
    words, pause = endpoint_said(error), retry_after(error.response.headers)
    return _specific(kind, words)(words, retry_after=pause, said=said)


def _specific(kind: type[ModelError], words: str) -> type[ModelError]:
    """Return ModelTooLong if the refusal says that the prompt is too long. Endpoints disagree on
    the status.
    """
    return ModelTooLong if kind in _MAY_BE_TOO_LONG and TOO_LONG.search(words) else kind


def endpoint_said(error: openai.APIStatusError) -> str:
    """Return the status and the endpoint's words, as in “500: out of memory”.

    A message is not always a text: Mistral sends an object, Gemini a list, and a proxy a web page.
    """
    if not error.body:
        return str(error).removeprefix("Error code: ")
    said = error.body.get("message") if isinstance(error.body, Mapping) else error.body
    words = said if isinstance(said, str) else json.dumps(error.body, ensure_ascii=False)
    return f"{error.status_code}: {strip_tags(words) if words.startswith('<') else words}"


def _nobody_there(error: openai.OpenAIError) -> str:
    """Return the address that could not be reached, and the reason if there is one."""
    words = str(error.__cause__)
    if not isinstance(error, openai.APIConnectionError):
        return words
    address = error.request.url.netloc.decode()
    return address if words == NO_REASON else f"{address}: {words}"
