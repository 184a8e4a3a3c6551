"""Translates the errors of the SDK and of the network into ours, by one table."""

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
# No connection: the SDK has the same two classes for this and for a connection that broke.
NOT_THERE = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
)
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
        return ModelUnreachable(str(error.__cause__))
    kind = next(ERRORS[ancestor] for ancestor in type(error).__mro__ if ancestor in ERRORS)
    said = error.body if isinstance(error, openai.APIError) else None
    said = said if isinstance(said, Mapping) else None
    if not isinstance(error, openai.APIStatusError):
        words = str(error.__cause__ or error)
        return _specific(kind, words)(words, said=said)
    words, pause = endpoint_said(error), retry_after(error.response.headers)
    return _specific(kind, words)(words, retry_after=pause, said=said)


def _specific(kind: type[ModelError], words: str) -> type[ModelError]:
    """Return ModelTooLong for a refusal that says so. Endpoints disagree on its status."""
    return ModelTooLong if kind in _MAY_BE_TOO_LONG and TOO_LONG.search(words) else kind


def endpoint_said(error: openai.APIStatusError) -> str:
    """Return the error with the endpoint's words.

    The SDK knows only a message that is a text. Mistral's is an object, and Gemini sends a list.
    """
    has_message = isinstance(error.body, Mapping) and isinstance(error.body.get("message"), str)
    if has_message or not error.body or str(error.body) in str(error):
        return str(error)
    return f"{error} - {json.dumps(error.body, ensure_ascii=False)}"
