"""The built-in embedder by its name, and what the runtime behind it keeps to itself."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from memory.embeddings import EmbeddingError, get_embedder
from memory.embeddings.minilm import MiniLMEmbedder


def test_unknown_provider_is_a_permanent_error() -> None:
    with pytest.raises(EmbeddingError, match="'word2vec'") as caught:
        get_embedder("word2vec", "all-MiniLM-L6-v2", 384)
    assert caught.value.permanent


def test_local_provider_is_made_once_a_process() -> None:
    embedder = get_embedder("local", "all-MiniLM-L6-v2", 384)
    assert isinstance(embedder, MiniLMEmbedder)
    assert get_embedder("local", "all-MiniLM-L6-v2", 384) is embedder


@pytest.mark.parametrize(("model", "dimensions"), [("all-MiniLM-L6-v2", 1536), ("other", 384)])
def test_local_provider_refuses_what_it_is_not(model: str, dimensions: int) -> None:
    with pytest.raises(EmbeddingError, match="384 dimensions|The built-in models are") as caught:
        get_embedder("local", model, dimensions)
    assert caught.value.permanent


def test_the_runtime_tells_nobody_that_it_ran(tmp_path: Path) -> None:
    """onnxruntime keeps a number for the machine and what it is about to send in the home folder.
    In CI it would not, so the process must not know that it is there."""
    code = (
        "import memory.embeddings, onnxruntime\n"
        "from onnx import TensorProto, helper\n"
        "one = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [1])\n"
        "add = helper.make_node('Add', ['x', 'x'], ['y'])\n"
        "graph = helper.make_graph([add], 'graph', [one('x')], [one('y')])\n"
        "opset = [helper.make_opsetid('', 17)]\n"
        "model = helper.make_model(graph, ir_version=8, opset_imports=opset)\n"
        "session = onnxruntime.InferenceSession(model.SerializeToString())\n"
        "print(session.run(None, {'x': [1.0]}))\n"
    )
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    answer = subprocess.run(
        [sys.executable, "-c", code],
        cwd=settings.BASE_DIR,
        env={**kept, "HOME": str(tmp_path)},
        check=True,
        capture_output=True,
        text=True,
    )

    assert "2." in answer.stdout
    assert [path.name for path in tmp_path.rglob("*onnx*")] == []


def test_a_data_folder_made_for_the_model_is_closed_to_others(tmp_path: Path) -> None:
    cache_dir = tmp_path / "data" / "cache"
    code = (
        "import os, sys; from pathlib import Path; os.umask(0o022)\n"
        "from memory.embeddings.minilm import MiniLMEmbedder\n"
        "MiniLMEmbedder(cache_dir=Path(sys.argv[1]))"
    )
    subprocess.run([sys.executable, "-c", code, str(cache_dir)], cwd=settings.BASE_DIR, check=True)

    assert any(cache_dir.iterdir())
    assert (cache_dir.parent.stat().st_mode & 0o777) == 0o700
