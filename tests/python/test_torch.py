"""PyTorch's calls as operations: their shapes, what they do, what is not known, what was measured. One process, since importing PyTorch takes long."""

import os
from pathlib import Path

import pytest
import roofline

torch = pytest.importorskip("torch")
import roofline.torch  # noqa: E402  # after it is known that there is one
from roofline.torch import _aten  # noqa: E402


class Block(torch.nn.Module):
    """Linear layers, a norm, an activation and a dropout."""

    def __init__(self, width=64):
        super().__init__()
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)
        self.norm, self.drop = torch.nn.LayerNorm(width), torch.nn.Dropout(0.1)

    def forward(self, x):
        return x + self.drop(self.down(torch.nn.functional.gelu(self.up(self.norm(x)))))


def test_a_module_is_predicted_on_shapes_alone():
    block = Block(4096).bfloat16()
    before = [p.data_ptr() for p in block.parameters()]
    t = roofline.torch.predict(block, torch.empty(8, 1024, 4096, dtype=torch.bfloat16, device="meta"), machine="h100")
    rows = 8 * 1024
    assert [(c.name, c.op, c.module) for c in t] == [
        ("aten::native_layer_norm", "layernorm", "norm"),
        ("aten::addmm", "gemm", "up"),
        ("aten::gelu", "gelu", ""),
        ("aten::addmm", "gemm", "down"),
        ("aten::native_dropout", "dropout", "drop"),
        ("aten::add", "add", ""),
    ]
    assert all(c.dtype == "bf16" and c.prediction.dtype == "bf16" for c in t) and t.unknown == {} and t.views > 0
    assert t.calls[1].parameters == {"m": rows, "n": 4 * 4096, "k": 4096, "beta": 0}
    known = 2 * 2 * rows * 4 * 4096 * 4096 + 8 * rows * 4096 + 12 * rows * 4 * 4096 + 2 * rows * 4096 + rows * 4096
    assert t.flops == known
    assert t.calls[1].prediction.regime == "compute" and t.expected_seconds > t.lower_seconds > 0
    assert [p.data_ptr() for p in block.parameters()] == before and not block.norm._forward_hooks
    one = roofline.predict("gemm", m=rows, n=4 * 4096, k=4096, dtype="bf16", machine="h100", framework="eager")
    assert t.calls[1].expected_seconds == one.seconds.expected


def test_what_runs_is_what_was_predicted():
    block, x = Block().eval(), torch.randn(2, 16, 64)
    known = block(x)
    foreseen = roofline.torch.predict(block, x, machine="h100")
    with torch.no_grad(), roofline.torch.trace(machine="h100", module=block, measure=True) as t:
        result = block(x)
    assert torch.equal(result, known)
    assert [(c.name, c.shapes, c.module, c.expected_seconds) for c in t] == [(c.name, c.shapes, c.module, c.expected_seconds) for c in foreseen]
    assert all(c.measured_seconds > 0 for c in t) and t.measured_seconds > 0 and foreseen.measured_seconds != foreseen.measured_seconds
    assert "measured" in str(t) and all(len(line) <= 80 for line in str(t).splitlines()[2:])
    assert "<table>" in t._repr_html_()


def test_what_runs_backward_counts():
    layer, x = torch.nn.Linear(32, 48), torch.randn(8, 32, requires_grad=True)
    with roofline.torch.trace(machine="h100") as t:
        layer(x).sum().backward()
    products = [c.prediction.flops for c in t if c.op == "gemm"]
    assert products == [2 * 8 * 32 * 48] * 3


def test_fake_tensors_are_predicted():
    fake = pytest.importorskip("torch._subclasses.fake_tensor")
    with fake.FakeTensorMode(), roofline.torch.trace(machine="h100") as t:
        torch.empty(128, 256) @ torch.empty(256, 512)
    assert [(c.op, c.parameters) for c in t] == [("gemm", {"m": 128, "n": 512, "k": 256})]


def meta(*shape, dtype=torch.float16):
    return torch.empty(*shape, dtype=dtype, device="meta")


@pytest.mark.parametrize(
    "name, arguments, options, op, parameters",
    [
        ("mm", [meta(4, 8), meta(8, 16)], {}, "gemm", dict(m=4, n=16, k=8)),
        ("addmm", [meta(4, 16), meta(4, 8), meta(8, 16)], {}, "gemm", dict(m=4, n=16, k=8, beta=1)),
        ("addmm", [meta(16), meta(4, 8), meta(8, 16)], {}, "gemm", dict(m=4, n=16, k=8, beta=0)),
        ("bmm", [meta(3, 4, 8), meta(3, 8, 16)], {}, "gemm", dict(m=4, n=16, k=8, batch=3)),
        ("mv", [meta(4, 8), meta(8)], {}, "gemv", dict(m=4, n=8)),
        (
            "_scaled_dot_product_flash_attention",
            [meta(2, 32, 1, 128), meta(2, 8, 4096, 128), meta(2, 8, 4096, 128), 0.0, False],
            {},
            "attention",
            dict(batch=2, heads=32, q_len=1, kv_len=4096, head_dim=128, kv_heads=8, causal=0),
        ),
        (
            "_scaled_dot_product_efficient_attention",
            [meta(2, 4, 64, 32), meta(2, 4, 64, 32), meta(2, 4, 64, 32), None, False, 0.0, True],
            {},
            "attention",
            dict(batch=2, heads=4, q_len=64, kv_len=64, head_dim=32, kv_heads=4, causal=1),
        ),
        (
            "convolution",
            [meta(8, 64, 56, 56), meta(128, 64, 3, 3), None, [2, 2], [1, 1], [1, 1], False, [0, 0], 1],
            {},
            "conv2d",
            dict(batch=8, in_channels=64, out_channels=128, height=56, width=56, kernel=3, stride=2, padding=1, groups=1),
        ),
        ("_softmax", [meta(2, 8, 16), -1, False], {}, "softmax", dict(rows=16, cols=16)),
        ("native_layer_norm", [meta(2, 8, 16), [16], None, None, 1e-5], {}, "layernorm", dict(rows=16, cols=16)),
        ("native_batch_norm", [meta(8, 64, 56, 56)], {}, "batchnorm", dict(rows=8 * 56 * 56, cols=64)),
        ("add", [meta(2, 8), meta(2, 8)], {}, "add", dict(n=16)),
        ("add", [meta(2, 8), meta(8)], {}, "scale", dict(n=16)),
        ("mul", [meta(2, 8), 3.0], {}, "scale", dict(n=16)),
        ("silu_backward", [meta(2, 8), meta(2, 8)], {}, "activation", dict(n=16, flops=4, gated=1)),
        ("cat", [[meta(2, 8), meta(3, 8)], 0], {}, "copy", dict(n=40)),
        ("copy_", [meta(2, 8), meta(8)], {}, "copy", dict(n=16)),
        ("index", [meta(100, 8), [meta(5, dtype=torch.int64)]], {}, "copy", dict(n=40)),
        ("embedding", [meta(100, 8), meta(2, 5, dtype=torch.int64)], {}, "embedding", dict(tokens=10, hidden=8)),
    ],
)
def test_a_call_is_an_operation(name, arguments, options, op, parameters):
    assert _aten.work(name, arguments, options) == (op, parameters)
    assert roofline.predict(op, machine="h100", dtype="fp16", **parameters).flops >= 0


@pytest.mark.parametrize(
    "name, arguments, why",
    [
        ("convolution", [meta(8, 64, 56), meta(128, 64, 3), None, [1], [1], [1], False, [0], 1], "of 1 dimensions"),
        ("convolution", [meta(8, 64, 56, 56), meta(128, 64, 3, 5), None, [1, 1], [1, 2], [1, 1], False, [0, 0], 1], "kernel 3x5 is not square"),
        ("convolution", [meta(8, 64, 56, 56), meta(64, 64, 3, 3), None, [1, 1], [1, 1], [1, 1], True, [0, 0], 1], "transposed"),
        ("index", [meta(4, 4), [meta(4, dtype=torch.bool)]], "a mask"),
        ("mm", [meta(0, 8), meta(8, 16)], "of no elements"),
        ("fft_fft2", [meta(4, 4)], ""),
    ],
)
def test_what_is_not_known_says_why(name, arguments, why):
    with pytest.raises(_aten.Unknown, match=why):
        _aten.work(name, arguments, {})


def test_what_is_not_known_is_counted_and_named():
    pool = torch.nn.Sequential(torch.nn.Conv1d(4, 8, 3), torch.nn.MaxPool1d(2), torch.nn.ReLU())
    t = roofline.torch.predict(pool, torch.empty(2, 4, 32), machine="h100")
    assert t.unknown["aten::convolution"] == 1 and "aten::relu" not in t.unknown and len(t) >= 3
    assert "not predicted: aten::convolution x1" in str(t) and "of 1 dimensions" in str(t) or "of 2 dimensions" in str(t) or "not square" in str(t)
    assert t.expected_seconds == t.calls[-1].expected_seconds


def test_formats_are_those_of_the_tensors_or_the_one_said():
    layer = torch.nn.Linear(64, 64)
    assert [c.dtype for c in roofline.torch.predict(layer, torch.empty(8, 64), machine="h100")] == ["fp32"]
    assert [c.dtype for c in roofline.torch.predict(layer, torch.empty(8, 64), machine="h100", dtype="fp8")] == ["fp8"]
    refused = roofline.torch.predict(layer, torch.empty(8, 64), machine="v100", dtype="fp8")
    assert refused.unknown == {"aten::addmm": 1} and "fp8" in refused.calls[0].why


def test_attention_and_dropout_fall_apart_only_where_asked():
    class Attention(torch.nn.Module):
        def forward(self, x):
            scores = torch.softmax(x @ x.transpose(-1, -2), -1)
            return torch.nn.functional.dropout(scores, 0.5) @ x

    x = torch.empty(2, 4, 64, 32)
    whole = [c.name for c in roofline.torch.predict(Attention(), x, machine="h100")]
    parts = [c.name for c in roofline.torch.predict(Attention(), x, machine="h100", fused=False)]
    assert "aten::native_dropout" in whole and "aten::bernoulli_" not in whole
    assert "aten::native_dropout" in parts or "aten::bernoulli_" in parts
    if hasattr(torch.nn.functional, "scaled_dot_product_attention"):

        class Fused(torch.nn.Module):
            def forward(self, x):
                return torch.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True)

        calls = roofline.torch.predict(Fused(), x, machine="h100").calls
        assert [(c.op, c.parameters["causal"]) for c in calls] == [("attention", 1)]


def test_a_module_that_asks_for_values_is_refused():
    class Asks(torch.nn.Module):
        def forward(self, x):
            return x if x.sum().item() > 0 else -x

    with pytest.raises(roofline.Error, match="torch: Asks does not run on shapes alone") as caught:
        roofline.torch.predict(Asks(), torch.ones(4), machine="h100")
    assert caught.value.status == "ROOF_E_UNSUPPORTED"


def test_a_profile_is_compared():
    block, x = Block().eval(), torch.randn(4, 16, 64)
    t = roofline.torch.predict(block, x, machine="amd-epyc-9654")
    with torch.no_grad(), torch.profiler.profile(record_shapes=True) as profile:
        for _ in range(3):
            block(x)
    measured = roofline.torch.compare(t, profile)
    assert len(measured) == len(t) and all(c.measured_seconds > 0 for c in measured)
    rows = measured.rows()
    assert sum(row.count for row in rows) == len(t) and all(row.ratio > 0 for row in rows)
    if torch.__version__ and pytest.importorskip("pandas"):
        assert {"name", "op", "expected_seconds", "measured_seconds", "ratio"} <= set(measured.to_pandas().columns)
    with torch.no_grad(), torch.profiler.profile() as profile:
        block(x)
    with pytest.raises(roofline.Error, match="record_shapes=True"):
        roofline.torch.compare(t, profile)


def test_the_example_of_the_page_works():
    import doctest

    page = Path(os.environ["ROOFLINE_SOURCE"], "docs/python.md")
    blocks = [block.split("```")[0] for block in page.read_text().split("```python\n")[1:]]
    text = "\n".join(block for block in blocks if ">>> import torch" in block)
    test = doctest.DocTestParser().get_doctest(text, {}, "python.md", str(page), 0)
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(test)
    assert result.failed == 0 and result.attempted > 3
