"""Predictions at one point and at many, and what is refused, against what the command says."""

import math

import pytest
import roofline

GEMM = dict(m=8192, n=28672, k=8192)
WORDS = ["gemm", "m=8192", "n=28672", "k=8192"]


def same(value, known):
    return math.isnan(value) if known is None else value == pytest.approx(known, rel=1e-12)


def test_a_prediction_is_the_commands(command):
    p = roofline.predict("gemm", **GEMM, dtype="bf16", machine="h100")
    known = command("predict", *WORDS, "--dtype", "bf16", "--machine", "h100")
    assert p.document() == known
    assert (p.op, p.machine, p.dtype, p.regime, p.binding) == tuple(known[key] for key in ("op", "machine", "dtype", "regime", "binding"))
    assert p.parameters == known["parameters"]
    assert all(same(getattr(p, key), known[key]) for key in ("flops", "bytes", "intensity", "ridge", "attainable_flops_per_second", "energy_joules"))
    for name in ("compute", "memory", "overhead", "network", "lower", "upper", "expected"):
        assert same(getattr(p.seconds, name), known["seconds"][name])
    assert same(p.seconds.low, known["seconds"]["expected_low"]) and same(p.seconds.high, known["seconds"]["expected_high"])
    assert [level.name for level in p.levels] == [level["name"] for level in known["levels"]]
    assert [(e.name, e.why) for e in p.effects] == [(e["name"], e["why"]) for e in known["effects"]]
    assert str(p) == p.sentence and "compute-bound (bf16 matrix)" in p.sentence


@pytest.mark.parametrize(
    "words, options",
    [
        ("linear", dict(batch=1, in_=4096, out="4k", weights="int4", group=128, dtype="fp16")),
        ("attention batch=1 heads=32", dict(q_len=1, kv_len=8192, head_dim=128, algorithm="standard", kv_heads=8)),
        ("gemm m=512 n=512 k=512", dict(overhead=5e-6, without=["waves", "tiles"], unit="vector", dtype="fp32")),
        ("gemm m=512 n=512 k=512", dict(efficiency="78%", dtype="fp32")),
        ("conv2d", dict(batch=8, in_channels=64, out_channels=64, height=56, width=56, kernel=3, padding="same")),
        ("triad", dict(n=1e9, dtype="fp64", cold=True)),
    ],
)
def test_options_and_parameters_are_those_of_the_command(command, words, options):
    flags = {"weights", "group", "dtype", "efficiency", "overhead", "without", "unit", "cold"}
    line = words.split()
    for name, value in options.items():
        text = ",".join(value) if isinstance(value, list) else str(value if isinstance(value, (str, int)) or value < 1 else int(value))
        line += ([f"--{name}"] + ([] if value is True else [text])) if name in flags else [f"{name.rstrip('_')}={text}"]
    known = command("predict", *line, "--machine", "h100")
    assert roofline.predict(words, machine="h100", **options).document() == known


@pytest.mark.parametrize(
    "words",
    [
        ["gem", "m=1"],
        ["gemm", "kk=1"],
        ["gemm", "m=1", "n=1"],
        ["gemm", "m=1.5", "n=1", "k=1"],
        ["gemm", "m=1,2", "n=1", "k=1"],
        ["attention", "batch=1", "heads=1", "q_len=1", "kv_len=1", "head_dim=1", "algorithm=flsh"],
        ["gemm", "m=1", "n=1", "k=1", "--machine", "h10"],
        ["gemm", "m=1", "n=1", "k=1", "--dtype", "fp15"],
        ["gemm", "m=1", "n=1", "k=1", "--efficiency", "150%"],
        ["gemm", "m=1", "n=1", "k=1", "--machine", "v100", "--dtype", "fp8"],
        ["relu", "n=1", "--weights", "int4"],
    ],
)
def test_errors_are_the_commands(refusal, words):
    options = {"machine": "h100"}
    names = [word for word in words if not word.startswith("--") and (words.index(word) == 0 or not words[words.index(word) - 1].startswith("--"))]
    options.update({words[i][2:]: words[i + 1] for i in range(len(words)) if words[i].startswith("--")})
    machine = [] if "--machine" in words else ["--machine", "h100"]
    code, line = refusal("predict", *words, *machine)
    with pytest.raises(roofline.Error) as caught:
        roofline.predict(" ".join(names), **options)
    assert str(caught.value).replace("`roofline.sweep`", "`roofline sweep`") == line
    assert caught.value.exit_code == code
    assert caught.value.status.startswith("ROOF_E_")


@pytest.mark.parametrize("value", ["no", "false", 2])
def test_a_switch_is_true_or_false(value):
    with pytest.raises(roofline.Error, match="sparse: must be true or false"):
        roofline.predict("gemm", m=8, n=8, k=8, machine="h100", sparse=value)
    with pytest.raises(roofline.Error, match="train: must be true or false"):
        roofline.model("llama-3.1-8b", machine="h100", train=value)


def test_a_machine_is_loaded_once_and_used_often():
    machine = roofline.machine("h100")
    once, again = (roofline.predict("relu", n=1e6, machine=one) for one in (machine, "h100"))
    assert once.document() == again.document() and once.seconds == again.seconds
    with pytest.raises(roofline.Error, match="one machine at a time"):
        roofline.predict("relu", n=1, machine=["h100", "a100"])


def test_arrays_give_what_each_point_gives():
    np = pytest.importorskip("numpy")
    m, n = np.array([1, 16, 256, 4096, 65536]), np.array([64.0, 8192.0])
    p = roofline.predict("gemm", m=m[:, None], n=n, k=4096, dtype="fp16", machine="h100")
    assert p.seconds.expected.shape == p.regime.shape == (5, 2) and len(p) == 10
    for place, one in enumerate(p):
        at = np.unravel_index(place, (5, 2))
        assert one.parameters["m"] == m[at[0]] and one.parameters["n"] == n[at[1]]
        for name in ("compute", "memory", "overhead", "network", "lower", "upper", "expected", "low", "high"):
            assert getattr(p.seconds, name)[at] == getattr(one.seconds, name)
        assert (p.flops[at], p.bytes[at], p.intensity[at], p.energy_joules[at]) == (one.flops, one.bytes, one.intensity, one.energy_joules)
        assert (p.regime[at], p.binding[at]) == (one.regime, one.binding)
    assert p[0].parameters["m"] == 1 and p[-1].parameters["m"] == 65536
    assert [one.parameters["m"] for one in p[::4]] == [1, 256, 65536] and p[10:] == []
    with pytest.raises(IndexError):
        p[10]


def test_arrays_of_choices_and_of_nothing():
    np = pytest.importorskip("numpy")
    shape = dict(batch=1, heads=8, q_len=1024, kv_len=1024, head_dim=64, machine="h100")
    p = roofline.predict("attention", algorithm=["flash", "standard"], **shape)
    assert list(p.bytes) == [roofline.predict("attention", algorithm=name, **shape).bytes for name in ("flash", "standard")] and p.bytes[0] < p.bytes[1]
    empty = roofline.predict("relu", n=np.zeros(0), machine="h100")
    assert len(empty) == 0 and empty.flops.shape == (0,) and empty.binding.shape == (0,)


@pytest.mark.parametrize(
    "parameters, words",
    [
        (dict(m=[1, 2.5], n=1, k=1), "point 1: m=2.5: must be a whole number"),
        (dict(m=[1, 2], n=[1, 2, 3], k=1), "do not go together"),
        (dict(m=[1, 2], n=1, kk=1), "gemm has no parameter `kk`"),
        (dict(m=[1, 2], n=1), "`k` is missing"),
        (dict(m=[1, 2], n="1,2", k=1), "give all of them as arrays"),
        (dict(m=[1, 2], n=1, k=1, dtype="fp8", machine="v100"), "fp8"),
    ],
)
def test_errors_of_arrays(parameters, words):
    with pytest.raises(roofline.Error, match=words):
        roofline.predict("gemm", **{"machine": "h100", **parameters})


def test_a_million_points_are_a_table():
    np = pytest.importorskip("numpy")
    m = np.arange(1, 1001)
    p = roofline.predict("gemm", m=m[:, None], n=m[None, :], k=4096, dtype="fp16", machine="h100")
    assert len(p) == 1_000_000
    assert set(np.unique(p.regime)) == {"compute", "memory"}
    assert np.all(p.seconds.lower <= p.seconds.expected) and np.all(p.seconds.low <= p.seconds.high)


def test_a_frame_has_a_row_each_point():
    pytest.importorskip("pandas")
    table = roofline.predict("gemm", m=[1, 8, 64], n=4096, k=4096, machine="h100").to_pandas()
    assert list(table["m"]) == [1, 8, 64] and list(table["n"]) == [4096] * 3
    assert {"flops", "bytes", "regime", "binding", "expected_seconds", "lower_seconds"} <= set(table.columns)


def test_without_numpy(program):
    out = program(
        """
import sys
sys.modules["numpy"] = None
import roofline
p = roofline.predict("gemm", m=[1, 64, 8192], n=8192, k=8192, dtype="fp16", machine="h100")
print(type(p.seconds.expected).__name__, p.regime, p.binding, p[2].seconds.expected == p.seconds.expected[2])
try:
    roofline.predict("gemm", m=[1, 2], n=[1], k=1, machine="h100")
except roofline.Error as error:
    print(error)
"""
    )
    assert out.splitlines() == ["array ['memory', 'memory', 'compute'] ['HBM', 'HBM', 'fp16 matrix'] True", "arrays: of lengths that do not go together: m 2, n 1"]


def test_operations_are_listed_and_of_a_file(tmp_path):
    gemm = roofline.operation("gemm")
    assert [p.name for p in gemm.parameters] == ["m", "n", "k", "batch", "beta"] and gemm.parameters[3].default == 1
    assert "gemm" in [one.name for one in roofline.operations("matrix times matrix")]
    mine = tmp_path / "mine.ops"
    mine.write_text("op twice\nparam n\nflops = 2 * n\nbytes = n * (a + o)\n")
    p = roofline.predict("twice", n=[1000, 2000], ops=str(mine), machine="h100", dtype="fp32")
    assert list(p.flops) == [2000, 4000] and list(p.bytes) == [8000, 16000]
    with pytest.raises(roofline.Error, match=r"mine.ops:1:"):
        mine.write_text("oop twice\n")
        roofline.predict("twice", n=1, ops=mine, machine="h100")


def test_an_answer_keeps_the_values_that_it_was_asked_about():
    np = pytest.importorskip("numpy")
    m = np.array([1.0, 2.0])
    q = roofline.predict("gemm", m=m, n=8, k=8, machine="h100")
    m[:] = 4096
    assert list(q.parameters["m"]) == [1, 2] and [p.parameters["m"] for p in q] == [1, 2]


def test_a_series_with_an_index_of_its_own_is_an_array():
    pd = pytest.importorskip("pandas")
    q = roofline.predict("gemm", m=pd.Series([1, 2], index=[5, 6]), n=8, k=8, machine="h100")
    assert [p.parameters["m"] for p in q] == [1, 2]
    assert len(roofline.sweep("gemm", m=pd.Series([1, 2], index=[5, 6]), n=8, k=8, machine="h100")) == 2


def test_a_part_of_a_sweep_is_a_list():
    s = roofline.sweep("gemm m=1..8*2 n=8 k=8", machine="h100")
    assert [one.parameters["m"] for one in s[1:3]] == [2, 4]


def test_a_sweep_takes_arrays():
    np = pytest.importorskip("numpy")
    assert [p.parameters["m"] for p in roofline.sweep("gemm", m=np.array([1, 2]), n=8, k=np.int64(8), machine="h100")] == [1, 2]
