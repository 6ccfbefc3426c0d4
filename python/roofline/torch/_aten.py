"""From a call of PyTorch's dispatcher to an operation with its shape.

A rule takes the arguments of the call, tensors with shapes alone, and gives an operation's name with its parameters. It raises Unknown, with the
reason, for what the operations have no formula for.
"""

from __future__ import annotations

from math import prod
from typing import Any, Callable, Dict, Sequence, Tuple

Work = Tuple[str, Dict[str, Any]]
Rule = Callable[..., Work]


class Unknown(Exception):
    """A call that no operation stands for."""


#: Calls that start no kernel: views, and memory that is not written.
FREE = frozenset(
    """_reshape_alias _unsafe_view alias as_strided chunk detach diagonal empty empty_like empty_strided expand expand_as is_same_size
    lift_fresh movedim narrow new_empty new_empty_strided permute reshape resize_ select set_ slice split split_with_sizes squeeze squeeze_ swapaxes
    sym_size sym_numel t transpose unbind unfold unsqueeze unsqueeze_ view view_as _fused_sdp_choice""".split()
)


def mm(a: Any, b: Any, *_: Any, **__: Any) -> Work:
    return "gemm", {"m": a.shape[0], "n": b.shape[1], "k": a.shape[1]}


def addmm(c: Any, a: Any, b: Any, *, beta: float = 1, **_: Any) -> Work:
    """A bias of one row is counted as nothing next to the matrices."""
    op, shape = mm(a, b)
    return op, {**shape, "beta": int(beta != 0 and c.dim() == 2 and c.shape[0] > 1)}


def bmm(a: Any, b: Any, *_: Any, **__: Any) -> Work:
    return "gemm", {"m": a.shape[1], "n": b.shape[2], "k": a.shape[2], "batch": a.shape[0]}


def baddbmm(c: Any, a: Any, b: Any, *, beta: float = 1, **_: Any) -> Work:
    op, shape = bmm(a, b)
    return op, {**shape, "beta": int(beta != 0)}


def mv(a: Any, x: Any) -> Work:
    return "gemv", {"m": a.shape[0], "n": a.shape[1]}


def addmv(y: Any, a: Any, x: Any, **_: Any) -> Work:
    return mv(a, x)


def dot(x: Any, y: Any) -> Work:
    return "dot", {"n": x.numel()}


def attention(q: Any, k: Any, v: Any, *rest: Any, is_causal: bool = False, **_: Any) -> Work:
    """Q, K and V of batch x heads x positions x elements; a mask is not counted."""
    batch, heads, q_len, head_dim = q.shape
    shape = {"batch": batch, "heads": heads, "q_len": q_len, "kv_len": k.shape[2], "head_dim": head_dim, "kv_heads": k.shape[1]}
    return "attention", {**shape, "causal": int(is_causal)}


def flash(q: Any, k: Any, v: Any, dropout: float = 0, is_causal: bool = False, *_: Any, **__: Any) -> Work:
    return attention(q, k, v, is_causal=is_causal)


def efficient(q: Any, k: Any, v: Any, bias: Any = None, lse: bool = False, dropout: float = 0, is_causal: bool = False, *_: Any, **__: Any) -> Work:
    return attention(q, k, v, is_causal=is_causal)


def convolution(x: Any, w: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, output_padding: Any, groups: int, *_: Any) -> Work:
    if transposed or len(w.shape) != 4:
        raise Unknown("a transposed one" if transposed else f"of {len(w.shape) - 2} dimensions")
    for what, sizes in (("kernel", w.shape[2:]), ("stride", stride), ("padding", padding)):
        if len(set(sizes)) > 1:
            raise Unknown(f"{what} {'x'.join(map(str, sizes))} is not square")
    if set(dilation) != {1}:
        raise Unknown("a dilated one")
    sizes = {"batch": x.shape[0], "in_channels": x.shape[1], "out_channels": w.shape[0], "height": x.shape[2], "width": x.shape[3]}
    return "conv2d", {**sizes, "kernel": w.shape[2], "stride": stride[0], "padding": padding[0], "groups": groups}


def by_last(op: str) -> Rule:
    def rule(x: Any, dim: Any = -1, *_: Any, **__: Any) -> Work:
        cols = x.shape[dim if isinstance(dim, int) else -1] if x.dim() else 1
        return op, {"rows": x.numel() // max(cols, 1), "cols": cols}

    return rule


def layer_norm(x: Any, shape: Sequence[int], *_: Any, **__: Any) -> Work:
    cols = prod(shape)
    return "layernorm", {"rows": x.numel() // cols, "cols": cols}


def rms_norm(x: Any, shape: Sequence[int], *_: Any, **__: Any) -> Work:
    return "rmsnorm", layer_norm(x, shape)[1]


def batch_norm(x: Any, *_: Any, **__: Any) -> Work:
    return "batchnorm", {"rows": x.numel() // x.shape[1], "cols": x.shape[1]}


def group_norm(x: Any, w: Any, b: Any, batch: int, channels: int, size: int, groups: int, *_: Any) -> Work:
    """A layer norm of each group."""
    return "layernorm", {"rows": batch * groups, "cols": channels * size // groups}


def unary(op: str) -> Rule:
    return lambda x, *_, **__: (op, {"n": x.numel()})


def function(flops: int, gated: int = 0) -> Rule:
    """A function of each element, of so many FLOPs; `gated`: with a second input."""
    return lambda x, *_, **__: ("activation", {"n": x.numel(), "flops": flops, "gated": gated})


def binary(x: Any, y: Any = None, *_: Any, **__: Any) -> Work:
    """Of two tensors; one that is repeated along the other, and a number, cost nothing to read."""
    sizes = [one.numel() for one in (x, y) if hasattr(one, "numel")]
    both = len(sizes) == 2 and sizes[0] == sizes[1]
    return ("add" if both else "scale"), {"n": max(sizes)}


def joined(tensors: Sequence[Any], *_: Any, **__: Any) -> Work:
    return "copy", {"n": sum(one.numel() for one in tensors)}


def embedding(table: Any, index: Any, *_: Any, **__: Any) -> Work:
    return "embedding", {"tokens": index.numel(), "hidden": table.shape[1]}


def each(names: str, rule: Rule) -> Dict[str, Rule]:
    return {name: rule for name in names.split()}


#: FLOPs of an element: the sigmoid of a silu (4) is 3 of them; a function of libm is taken as one, as memory bounds it anyway.
RULES: Dict[str, Rule] = {
    "mm": mm,
    "_int_mm": mm,
    "addmm": addmm,
    "_addmm_activation": addmm,
    "bmm": bmm,
    "baddbmm": baddbmm,
    "mv": mv,
    "addmv": addmv,
    "dot": dot,
    **each("vdot", dot),
    **each("_scaled_dot_product_flash_attention _scaled_dot_product_flash_attention_for_cpu", flash),
    **each("_scaled_dot_product_efficient_attention _scaled_dot_product_cudnn_attention", efficient),
    **each("scaled_dot_product_attention", attention),
    **each("convolution _convolution cudnn_convolution mkldnn_convolution", convolution),
    "native_layer_norm": layer_norm,
    "_fused_rms_norm": rms_norm,
    "native_group_norm": group_norm,
    **each("native_batch_norm cudnn_batch_norm _native_batch_norm_legit _native_batch_norm_legit_no_training _native_batch_norm_legit_functional", batch_norm),
    **each("_softmax _log_softmax softmax log_softmax _safe_softmax", by_last("softmax")),
    **each("relu relu_ threshold hardtanh hardtanh_ clamp clamp_ clamp_min", unary("relu")),
    **each("gelu gelu_", unary("gelu")),
    **each("silu silu_", unary("silu")),
    "native_dropout": unary("dropout"),
    **each("sigmoid sigmoid_", function(3)),
    **each("tanh tanh_ exp exp_ log sqrt rsqrt erf cos sin abs neg reciprocal pow pow_ square logical_not bitwise_not", function(1)),
    **each("threshold_backward", function(1, 1)),
    **each("silu_backward", function(4, 1)),
    **each("gelu_backward", function(12, 1)),
    **each("sigmoid_backward tanh_backward", function(2, 1)),
    **each("add add_ sub sub_ rsub mul mul_ div div_ maximum minimum eq ne lt le gt ge logical_and logical_or masked_fill masked_fill_", binary),
    **each("clone copy_ _to_copy contiguous index_select gather index roll flip repeat tril triu constant_pad_nd", unary("copy")),
    **each("cat stack", joined),
    **each("sum mean amax amin max min any all argmax prod", unary("reduce")),
    "embedding": embedding,
}
RULES["copy_"] = lambda into, x, *_, **__: ("copy", {"n": into.numel()})
RULES["index"] = lambda x, places, *_, **__: _gathered(x, places)
RULES["gather"] = lambda x, dim, index, *_, **__: ("copy", {"n": index.numel()})
RULES["index_select"] = lambda x, dim, index, *_, **__: ("copy", {"n": x.numel() // x.shape[dim] * index.numel()})
RULES["repeat"] = lambda x, counts, *_, **__: ("copy", {"n": x.numel() * prod(counts)})


def _gathered(x: Any, places: Sequence[Any]) -> Work:
    given = [(dim, index) for dim, index in enumerate(places) if index is not None]
    if len(given) != 1 or str(given[0][1].dtype) in ("torch.bool", "torch.uint8"):
        raise Unknown("by several indices or a mask")
    dim, index = given[0]
    return "copy", {"n": x.numel() // x.shape[dim] * index.numel()}


def work(name: str, arguments: Sequence[Any], options: Dict[str, Any]) -> Work:
    """The operation that a call is.

    Raises:
        Unknown: with the reason.
    """
    rule = RULES.get(name)
    if rule is None:
        raise Unknown("")
    try:
        op, shape = rule(*arguments, **options)
    except (AttributeError, IndexError, TypeError, ValueError, ZeroDivisionError) as error:
        raise Unknown(f"with these arguments: {error}") from error
    if any(value == 0 for key, value in shape.items() if key not in ("beta", "causal", "padding", "gated", "flops")):
        raise Unknown("of no elements")
    return op, shape
