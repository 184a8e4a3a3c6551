"""What our embedder costs beside its bare onnxruntime session: `python -m benchmarks.embedding`.

The bare side runs the same graph on tokens that are ready and in the same batches; ours begins with
the texts. One thread on both sides.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnxruntime
from tokenizers import Tokenizer

from benchmarks import harness

BATCH = 64


def _bare_session(cache: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    [graph] = cache.glob("minilm-*.onnx")
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _ready_batches(texts: list[str]) -> list[dict[str, Any]]:
    """The inputs of the runs that the embedder makes for these texts."""
    # Its own functions, private as they are: others would make other batches.
    from memory.embeddings import minilm

    tokenizer = Tokenizer.from_file(str(minilm._installed_model_dir() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(minilm.MAX_TOKENS)
    encodings = [tokenizer.encode(text) for text in texts]
    batches = minilm._batches([len(encoding) for encoding in encodings])
    return [minilm._padded([encodings[index] for index in batch]) for batch in batches]


def _run_all(
    session: onnxruntime.InferenceSession, inputs: list[list[dict[str, Any]]]
) -> Callable[[int], object]:
    return lambda turn: [session.run(None, one) for one in inputs[turn % len(inputs)]]


def _rows(
    session: onnxruntime.InferenceSession, texts: list[list[str]], rounds: int, warm_up: int
) -> list[dict[str, Any]]:
    from memory.embeddings import get_embedder
    from memory.models import Embedder

    used = Embedder.objects.get()
    embedder = get_embedder(used.provider, used.model, used.dimensions)
    bare = _run_all(session, [_ready_batches(some) for some in texts])
    works: dict[str, Callable[[int], object]] = {
        "bare onnxruntime": bare,
        "Ebb's embedder": lambda turn: embedder.embed(texts[turn % len(texts)]),
        "bare onnxruntime again (noise)": bare,
    }
    taken = harness.in_turns(works, rounds=rounds, warm_up=warm_up)
    return [
        harness.compared(name, ms, taken["bare onnxruntime"])
        | {"texts/s": round(1000 * len(texts[0]) / harness.percentile(ms, 50))}
        for name, ms in taken.items()
    ]


def measure(folder: Path, rounds: int) -> None:
    from benchmarks.corpus import questions, sentences

    report, session = harness.Report("embedding"), _bare_session(folder / "cache")
    asked = [[question] for question in questions(50, seed=3)]
    report.add("One question", _rows(session, asked, rounds, warm_up=20))
    said = sentences(10 * BATCH, seed=4)
    batches = [said[start : start + BATCH] for start in range(0, len(said), BATCH)]
    report.add(f"{BATCH} memories at once", _rows(session, batches, rounds // 20, warm_up=1))
    report.save(rounds=rounds, batch=BATCH, threads=1)


def main() -> None:
    parser = argparse.ArgumentParser(description="Our embedder beside the bare model")
    parser.add_argument("--rounds", type=int, default=200)
    options = parser.parse_args()
    with harness.own_ebb() as folder:
        measure(folder, options.rounds)


if __name__ == "__main__":
    main()
