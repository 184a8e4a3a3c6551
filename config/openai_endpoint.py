"""The OpenAI-compatible API: a separate API below /v1/, with OpenAI's paths and errors."""

from ninja import Swagger

from chat.completions import errors
from chat.completions.api import router
from chat.completions.embeddings import router as embeddings_router
from chat.responses.api import router as responses_router
from config.portable_openapi import LICENCE, SERVERS, PortableAPI
from memory.access.authentication import BearerKey

api = PortableAPI(
    title="Ebb, OpenAI-compatible",
    version="1",
    description="The connected model with memory, for any OpenAI client.",
    auth=BearerKey(),
    docs=Swagger(settings={"persistAuthorization": True}),
    urls_namespace="openai",
    servers=SERVERS,
    openapi_extra=LICENCE,
)
errors.install(api)
api.add_router("", router)
api.add_router("", embeddings_router)
api.add_router("", responses_router)
