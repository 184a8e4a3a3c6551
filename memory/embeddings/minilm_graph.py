"""The ONNX graph of all-MiniLM-L6-v2, built from its published weights.

`minilm.py` calls `build_graph` once per machine and stores the result as a file. The graph turns
one text's token ids into a unit vector: the fp32 BERT, with its linear layers computed in integers.
Integers take half the time, mostly because the weights are a quarter of the size.
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

# A weight is an integer from -127 to 127 times its column's scale.
WEIGHT_LEVELS = 127
# An activation is divided by its token's largest (-1 to 1) and stored as 1 to 255; 128 is zero.
ACTIVATION_LEVELS = 127

Array = npt.NDArray[np.float32]
Weights = Mapping[str, Array]


class _GraphParts:
    """Nodes and constants in the order of their creation; each node has one output."""

    def __init__(self, weights: Weights, *, quantized: bool) -> None:
        self.weights = weights
        self.quantized = quantized
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def constant(self, name: str, value: npt.NDArray[np.generic]) -> str:
        """Add a constant; return its name."""
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def weight(self, name: str) -> str:
        """Add the model's weight of this name as a constant; return its name."""
        return self.constant(name, self.weights[name])

    def levels(self, name: str, weight: Array) -> tuple[str, str]:
        """Add a matrix (in, out) as int8 levels and one scale per column; return both names.

        Processors without VNNI multiply two neighbours of a column by activations of at most 255
        and add the two in 16 bits. Two neighbours whose sum is at most 128 levels fit.
        """
        pairs = np.abs(weight[0::2] + weight[1::2]).max(axis=0)
        sizes = np.maximum(np.abs(weight).max(axis=0), pairs) / WEIGHT_LEVELS
        levels = np.rint(weight / sizes).astype(np.int8)
        return self.constant(name + "levels", levels), self.constant(name + "sizes", sizes)

    def node(
        self, op: str, inputs: list[str], output: str, *, domain: str = "", **attributes: Any
    ) -> str:
        """Add a node with one output; return the output's name."""
        node = helper.make_node(op, inputs, [output], name=output, domain=domain, **attributes)
        self.nodes.append(node)
        return output

    def fused(self, op: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """Add a node of onnxruntime's own operators; return its output's name."""
        return self.node(op, inputs, output, domain="com.microsoft", **attributes)


def build_graph(weights: Weights, *, max_tokens: int, quantized: bool = True) -> ModelProto:
    """Return the model: `input_ids` (1, tokens) int32 -> `embedding` (1, 384) float32, norm 1.

    The model takes one text at a time: each text then has its own activation scale, and its vector
    does not depend on other texts. `tokens` may reach `max_tokens`, at most 512. `weights` holds
    the tensors of the published model.safetensors by name. Without `quantized` the linear layers
    stay in fp32, for comparison.
    """
    parts = _GraphParts(weights, quantized=quantized)
    parts.constant("thirds", np.array([HIDDEN] * 3))
    parts.constant("level", np.array(1 / ACTIVATION_LEVELS, dtype=np.float32))
    parts.constant("zero", np.array(ACTIVATION_LEVELS + 1, dtype=np.uint8))
    hidden = _token_embeddings(parts, max_tokens)
    for layer in range(LAYERS):
        hidden = _encoder_layer(parts, hidden, f"encoder.layer.{layer}.")
    _pooled(parts, hidden)
    graph = helper.make_graph(
        parts.nodes,
        "all-MiniLM-L6-v2",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT32, [1, "tokens"])],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, [1, HIDDEN])],
        parts.constants,
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def _token_embeddings(parts: _GraphParts, max_tokens: int) -> str:
    """Sum word, position and token type embeddings, normalised. All tokens have type 0, whose
    embedding is added to the positions.
    """
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
    # The operator requires a second output, a mask index, which is not used.
    outputs = [prefix + "output", prefix + "unused_mask_index"]
    node = helper.make_node(
        "EmbedLayerNormalization", inputs, outputs, domain="com.microsoft", epsilon=EPSILON
    )
    parts.nodes.append(node)
    return outputs[0]


def _encoder_layer(parts: _GraphParts, hidden: str, prefix: str) -> str:
    attention = prefix + "attention."
    mixed = _self_attention(parts, hidden, attention + "self.")
    projected = _linear(parts, mixed, *_layer(parts, attention + "output.dense."))
    attended = _add_and_norm(parts, projected, hidden, attention + "output.LayerNorm.")
    widened = _linear_by_token(parts, attended, *_layer(parts, prefix + "intermediate.dense."))
    activated = parts.fused("Gelu", [widened], prefix + "intermediate.gelu")
    narrowed = _linear_by_token(parts, activated, *_layer(parts, prefix + "output.dense."))
    return _add_and_norm(parts, narrowed, attended, prefix + "output.LayerNorm.")


def _layer(parts: _GraphParts, prefix: str) -> tuple[Array, Array, str]:
    """Return a linear layer's weight, transposed from (out, in) to (in, out), bias and prefix."""
    return parts.weights[prefix + "weight"].T, parts.weights[prefix + "bias"], prefix


def _self_attention(parts: _GraphParts, hidden: str, prefix: str) -> str:
    """Add multi-head attention; query, key and value are one product, of width 3 * 384."""
    layers = [_layer(parts, f"{prefix}{name}.") for name in ("query", "key", "value")]
    weight = np.concatenate([weight for weight, _, _ in layers], axis=1)
    bias = np.concatenate([bias for _, bias, _ in layers])
    joined = _linear(parts, hidden, weight, bias, prefix)
    split = [prefix + "query", prefix + "key", prefix + "value"]
    parts.nodes.append(helper.make_node("Split", [joined, "thirds"], split, axis=2))
    return parts.fused("MultiHeadAttention", split, prefix + "mixed", num_heads=HEADS)


def _linear(parts: _GraphParts, x: str, weight: Array, bias: Array, prefix: str) -> str:
    """Add x @ weight + bias, with 8-bit activations that share one scale over the whole text."""
    if not parts.quantized:
        return _linear_fp32(parts, x, weight, bias, prefix)
    inputs = [x, *parts.levels(prefix, weight), "", parts.constant(prefix + "bias", bias)]
    return parts.fused("DynamicQuantizeMatMul", inputs, prefix + "linear")


def _linear_by_token(parts: _GraphParts, x: str, weight: Array, bias: Array, prefix: str) -> str:
    """Add x @ weight + bias, with 8-bit activations and one scale per token.

    A few tokens have far larger activations than the rest, which would be left with a handful of
    levels. Scales per token halve the error against fp32 and cost 5% more time.
    """
    if not parts.quantized:
        return _linear_fp32(parts, x, weight, bias, prefix)
    largest = parts.node(
        "ReduceMax", [parts.node("Abs", [x], prefix + "abs")], prefix + "largest", axes=[-1]
    )
    unit = parts.node("Div", [x, largest], prefix + "unit")
    rounded = parts.node("QuantizeLinear", [unit, "level", "zero"], prefix + "rounded")
    levels, sizes = parts.levels(prefix, weight)
    inputs = [rounded, levels, "level", sizes, "zero"]
    product = parts.fused("MatMulIntegerToFloat", inputs, prefix + "product")
    scaled = parts.node("Mul", [product, largest], prefix + "scaled")
    return parts.node("Add", [scaled, parts.constant(prefix + "bias", bias)], prefix + "linear")


def _linear_fp32(parts: _GraphParts, x: str, weight: Array, bias: Array, prefix: str) -> str:
    product = parts.node("MatMul", [x, parts.constant(prefix + "weight", weight)], prefix + "fp32")
    return parts.node("Add", [product, parts.constant(prefix + "bias", bias)], prefix + "linear")


def _add_and_norm(parts: _GraphParts, update: str, residual: str, prefix: str) -> str:
    """Add LayerNorm(update + residual). The operator that fuses the two is six times slower."""
    total = parts.node("Add", [update, residual], prefix + "total")
    inputs = [total, parts.weight(prefix + "weight"), parts.weight(prefix + "bias")]
    return parts.node("LayerNormalization", inputs, prefix + "output", epsilon=EPSILON)


def _pooled(parts: _GraphParts, hidden: str) -> str:
    """Add the mean over the tokens, scaled to length 1; a sum gives the same."""
    axis = parts.constant("tokens_axis", np.array([1]))
    total = parts.node("ReduceSum", [hidden, axis], "total", keepdims=0)
    return parts.node("LpNormalization", [total], "embedding", axis=1, p=2)
