"""Compares our embedder with its bare onnxruntime session: `python -m benchmarks.embedding`.

The bare session runs the same graph on finished tokens; our embedder starts from texts with their
prefix. The graph in full precision is measured too, also bare. Everything runs on one thread.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnxruntime
from safetensors.numpy import load_file

from benchmarks import harness

# Uses its private functions, because public ones would run something else.
from memory.embeddings import minilm
from memory.embeddings.minilm_graph import build_graph

BATCH = 64


def _full_precision() -> onnxruntime.InferenceSession:
    weights = load_file(minilm._installed_model_dir() / "model.safetensors")
    graph = build_graph(weights, max_tokens=minilm.MAX_TOKENS, quantized=False)
    return minilm._open_session(graph.SerializeToString())


def _run_all(
    session: onnxruntime.InferenceSession, inputs: list[list[dict[str, Any]]]
) -> Callable[[int], object]:
    return lambda turn: [session.run(None, one) for one in inputs[turn % len(inputs)]]


def _rows(cache: Path, texts: list[list[str]], rounds: int, warm_up: int) -> list[dict[str, Any]]:
    embedder = minilm.MiniLMEmbedder(cache_dir=cache)
    [graph] = cache.glob("minilm-*.onnx")
    inputs = [embedder._inputs(some) for some in texts]
    bare = _run_all(minilm._open_session(graph), inputs)
    works: dict[str, Callable[[int], object]] = {
        "bare onnxruntime": bare,
        "Ebb's embedder": lambda turn: embedder.embed(texts[turn % len(texts)]),
        "bare onnxruntime again (noise)": bare,
        "bare onnxruntime, fp32": _run_all(_full_precision(), inputs),
    }
    taken = harness.in_turns(works, rounds=rounds, warm_up=warm_up)
    return [
        harness.compared(name, ms, taken["bare onnxruntime"])
        | {"texts/s": round(1000 * len(texts[0]) / harness.percentile(ms, 50))}
        for name, ms in taken.items()
    ]


def measure(folder: Path, rounds: int) -> None:
    """Measure all ways in turns, print the table and save it."""
    from benchmarks.corpus import questions, sentences

    report, cache = harness.Report("embedding"), folder / "cache"
    asked = [[question] for question in questions(50, seed=3)]
    report.add("One question", _rows(cache, asked, rounds, warm_up=20))
    said = sentences(10 * BATCH, seed=4)
    batches = [said[start : start + BATCH] for start in range(0, len(said), BATCH)]
    report.add(f"{BATCH} memories at once", _rows(cache, batches, rounds // 20, warm_up=1))
    report.save(rounds=rounds, batch=BATCH, threads=1)


def main() -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description="Our embedder beside the bare model")
    parser.add_argument("--rounds", type=int, default=200)
    options = parser.parse_args()
    with harness.own_ebb() as folder:
        measure(folder, options.rounds)


if __name__ == "__main__":
    main()
