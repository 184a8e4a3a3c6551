"""The degree to which an embedding model's similarities can be trusted for a question."""

from accounts.models import Embedder
from memory.embeddings import MINILM
from memory.text.lexemes import unspaced_share

_ENGLISH_ONLY = ("local", MINILM)


def trust(model: Embedder, question: str) -> float:
    """Return the trust in the model's similarities, in 0..1, in steps of a tenth.

    MiniLM was trained on English: in Chinese, Japanese, Korean and Thai most texts are alike to it,
    and words alone find more. Tenths, because recall compiles a statement for each weight.
    """
    if (model.provider, model.model) != _ENGLISH_ONLY:
        return 1.0
    return round(1.0 - unspaced_share(question), 1)
