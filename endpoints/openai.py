"""The OpenAI-compatible API: a separate API below /v1/, with OpenAI's paths and errors."""

from ninja import Swagger

from accounts.authentication import BearerKey
from endpoints.completions import errors
from endpoints.completions.api import router
from endpoints.completions.embeddings import router as embeddings_router
from endpoints.portable_openapi import LICENCE, SERVERS, PortableAPI
from endpoints.responses.api import router as responses_router

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
