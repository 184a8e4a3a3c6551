"""The ONNX graph of all-MiniLM-L6-v2, built from its published weights.

`minilm.py` calls `build_graph` once per machine and keeps the result as a file. The graph goes
from token ids to unit vectors. It uses onnxruntime's fused operators (domain `com.microsoft`),
which compute the same fp32 BERT as the plain ones in about a quarter of the nodes.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

HIDDEN = 384
LAYERS = 6
HEADS = 12
EPSILON = 1e-12

Weights = Mapping[str, npt.NDArray[np.float32]]


class _GraphParts:
    """Nodes and constants in the order in which they are added; each node feeds one output."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def constant(self, name: str, value: npt.NDArray[np.generic]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def weight(self, name: str) -> str:
        return self.constant(name, self.weights[name])

    def matrix(self, name: str) -> str:
        """A linear layer's weight: stored as (out, in), multiplied from the right as (in, out)."""
        return self.constant(name, self.weights[name].T)

    def node(
        self, op: str, inputs: list[str], output: str, *, domain: str = "", **attributes: Any
    ) -> str:
        node = helper.make_node(op, inputs, [output], name=output, domain=domain, **attributes)
        self.nodes.append(node)
        return output

    def fused(self, op: str, inputs: list[str], output: str, **attributes: Any) -> str:
        return self.node(op, inputs, output, domain="com.microsoft", **attributes)


def build_graph(weights: Weights, *, max_tokens: int) -> ModelProto:
    """Return the model: `input_ids`, `attention_mask` (n, tokens) int32 -> `embedding` (n, 384).

    Rows of `embedding` are float32 with norm 1. `tokens` may reach `max_tokens`, at most 512.
    `weights` holds the tensors of the published model.safetensors by name.
    """
    parts = _GraphParts(weights)
    hidden = _token_embeddings(parts, max_tokens)
    for layer in range(LAYERS):
        hidden = _encoder_layer(parts, hidden, f"encoder.layer.{layer}.")
    _pooled(parts, hidden)
    graph = helper.make_graph(
        parts.nodes,
        "all-MiniLM-L6-v2",
        [
            helper.make_tensor_value_info(name, TensorProto.INT32, ["n", "tokens"])
            for name in ("input_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["n", HIDDEN])],
        parts.constants,
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def _token_embeddings(parts: _GraphParts, max_tokens: int) -> str:
    """Word + position + token type, normalised. Every token is of type 0: added to positions."""
    prefix = "embeddings."
    positions = parts.weights[prefix + "position_embeddings.weight"][:max_tokens]
    token_type = parts.weights[prefix + "token_type_embeddings.weight"][0]
    inputs = [
        "input_ids",
        "",
        parts.weight(prefix + "word_embeddings.weight"),
        parts.constant(prefix + "positions", positions + token_type),
        "",
        parts.weight(prefix + "LayerNorm.weight"),
        parts.weight(prefix + "LayerNorm.bias"),
    ]
    # The operator insists on a second output, a mask index, which nothing here reads.
    outputs = [prefix + "output", prefix + "unused_mask_index"]
    node = helper.make_node(
        "EmbedLayerNormalization", inputs, outputs, domain="com.microsoft", epsilon=EPSILON
    )
    parts.nodes.append(node)
    return outputs[0]


def _encoder_layer(parts: _GraphParts, hidden: str, prefix: str) -> str:
    attention = prefix + "attention."
    mixed = _self_attention(parts, hidden, attention + "self.")
    projected = parts.node(
        "MatMul",
        [mixed, parts.matrix(attention + "output.dense.weight")],
        attention + "output.projected",
    )
    attended = _add_and_norm(parts, projected, hidden, attention + "output.")
    widened = parts.node(
        "MatMul",
        [attended, parts.matrix(prefix + "intermediate.dense.weight")],
        prefix + "intermediate.widened",
    )
    activated = parts.fused(
        "BiasGelu",
        [widened, parts.weight(prefix + "intermediate.dense.bias")],
        prefix + "intermediate.gelu",
    )
    narrowed = parts.node(
        "MatMul",
        [activated, parts.matrix(prefix + "output.dense.weight")],
        prefix + "output.narrowed",
    )
    return _add_and_norm(parts, narrowed, attended, prefix + "output.")


def _self_attention(parts: _GraphParts, hidden: str, prefix: str) -> str:
    """Multi-head attention; the operator wants query, key and value side by side: (384, 1152)."""
    names = ("query", "key", "value")
    weight = np.concatenate([parts.weights[f"{prefix}{name}.weight"].T for name in names], axis=1)
    bias = np.concatenate([parts.weights[f"{prefix}{name}.bias"] for name in names])
    inputs = [
        hidden,
        parts.constant(prefix + "qkv.weight", weight),
        parts.constant(prefix + "qkv.bias", bias),
        "attention_mask",
    ]
    return parts.fused("Attention", inputs, prefix + "mixed", num_heads=HEADS)


def _add_and_norm(parts: _GraphParts, update: str, residual: str, prefix: str) -> str:
    """LayerNorm(update + bias + residual)."""
    inputs = [
        update,
        residual,
        parts.weight(prefix + "LayerNorm.weight"),
        parts.weight(prefix + "LayerNorm.bias"),
        parts.weight(prefix + "dense.bias"),
    ]
    return parts.fused("SkipLayerNormalization", inputs, prefix + "output", epsilon=EPSILON)


def _pooled(parts: _GraphParts, hidden: str) -> str:
    """Mean over the real tokens, then unit length; the mean's divisor drops out, so it is a sum."""
    mask = parts.node("Cast", ["attention_mask"], "mask", to=TensorProto.FLOAT)
    row = parts.node("Unsqueeze", [mask, parts.constant("row", np.array([1]))], "mask_row")
    total = parts.node("MatMul", [row, hidden], "total")
    flat = parts.node("Squeeze", [total, "row"], "total_flat")
    return parts.node("LpNormalization", [flat], "embedding", axis=1, p=2)
