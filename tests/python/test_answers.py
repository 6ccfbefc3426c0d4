"""Sweeps, models, claims, explanations, machines, profiles and the ledger, against what the command says."""

import json
import math
import xml.dom.minidom
from pathlib import Path

import pytest
import roofline


def is_svg(text):
    return xml.dom.minidom.parseString(text).documentElement.tagName == "svg"


def test_a_sweep_is_the_commands(command):
    s = roofline.sweep("linear", batch="1..1024*2", in_=4096, out=4096, dtype="fp16", machine=["h100", "a100"])
    known = command("sweep", "linear", "batch=1..1024*2", "in=4096", "out=4096", "--dtype", "fp16", "--machine", "h100", "--machine", "a100")
    assert s.document() == known and len(s) == 22
    assert [(c.machine, c.parameter, c.at) for c in s.crossings] == [(c["machine"], c["parameter"], c["at"]) for c in known["crossings"]]
    assert [p.document() for p in s] == known["points"]
    assert "22 points" in str(s) and is_svg(s._repr_svg_())
    shown = s._repr_html_()
    assert s.sentence in shown and "<svg" in shown and shown.count("<tr>") == 1 + 22 and "<th>batch</th>" in shown and "<th>in</th>" not in shown
    assert "<svg" not in roofline.sweep("gemm", m=8, n=8, k=8, machine="h100")._repr_html_()


def test_a_sweep_of_lists_is_a_frame():
    pytest.importorskip("pandas")
    table = roofline.sweep("gemm", m=[1, 8, 64], n="64,128", k=64, dtype=["fp16", "fp8"], machine="h100").to_pandas()
    assert len(table) == 12 and set(table["dtype"]) == {"fp16", "fp8"} and (table["expected_seconds"] > 0).all()


@pytest.mark.parametrize(
    "config, settings, flags",
    [
        ("llama-3.1-8b", dict(batch=16), []),
        ("llama-3.1-405b", dict(batch=64, tp=8, pp=2, network="ndr", precision="fp8", kv="fp8", mode="eager", fuse="none"), ["network", "precision", "kv", "mode", "fuse"]),
        ("llama-3.1-70b", dict(batch=256, tp=8, dp=8, train=True, sp=True, zero=1, recompute="selective"), ["train", "sp", "recompute"]),
    ],
)
def test_a_model_is_the_commands(command, config, settings, flags):
    words = [f"--{name}={value}" if value is not True else f"--{name}" for name, value in settings.items() if name in flags]
    words += [f"{name}={value}" for name, value in settings.items() if name not in flags]
    known = command("model", config, *words, "--machine", "h100")
    m = roofline.model(config, machine="h100", **settings)
    assert m.document() == known
    assert m.memory.total_bytes == known["memory"]["total_bytes"] and m.fits == known["memory"]["fits"]
    for phase in m.phases.values():
        total = sum(operation.expected_seconds for operation in phase.operations)
        assert total == pytest.approx(phase.seconds.expected, rel=1e-6) or known["plan"]["pp"] > 1 or settings.get("train")
    assert m.name in str(m) and "<table>" in m._repr_html_() and is_svg(m._repr_svg_())


def test_models_over_several_values(command):
    s = roofline.model_sweep("llama-3.1-8b", batch="1..64*2", precision="bf16/fp8", machine="h100")
    assert s.document() == command("model", "llama-3.1-8b", "batch=1..64*2", "--precision", "bf16/fp8", "--machine", "h100")
    assert len(s) == 14 and "14 runs" in str(s) and is_svg(s._repr_svg_())
    assert s.sentence in s._repr_html_() and s._repr_html_().count("<tr>") == 1 + 14 and "batch=64 fp8" in s._repr_html_()
    assert "does not fit" in roofline.model_sweep("llama-3.1-405b", batch=[1, 2], machine="h100")._repr_html_()
    assert len(roofline.models()) > 50


@pytest.mark.parametrize("settings", [dict(batchh=3), dict(precision="fp9"), dict(mode="x"), dict(tp=3), dict(dtype="fp15")])
def test_errors_of_models_are_the_commands(refusal, settings):
    flags = ("precision", "mode", "dtype")
    code, line = refusal("model", "llama-3.1-8b", *[f"--{n}={v}" if n in flags else f"{n}={v}" for n, v in settings.items()], "--machine", "h100")
    with pytest.raises(roofline.Error) as caught:
        roofline.model("llama-3.1-8b", machine="h100", **settings)
    assert (caught.value.exit_code, str(caught.value)) == (code, line)


@pytest.mark.parametrize("words, code", [("1700TFLOP/s", 1), ("gemm m=8192 n=8192 k=8192 1500us", 0), ("llama-3.1-70b tp=4 batch=16 tpot=18ms", 0), ("llama-3.1-8b 12000tok/s", 0), ("llama-3.1-8b batch=1 12000tok/s", 1), ("3.0TB/s", 0)])
def test_claims_are_the_commands(command, words, code):
    judged = roofline.claim(words, machine="h100")
    assert judged.document() == command("claim", *words.split(), "--machine", "h100", code=code)
    assert bool(judged) == (code == 0) and judged.because == str(judged)


def test_claims_above_an_assumed_limit_are_neither(command):
    judged = roofline.claim("1.8PFLOP/s", machine="gaudi3", dtype="bf16")
    assert judged.document() == command("claim", "1.8PFLOP/s", "--machine", "gaudi3", "--dtype", "bf16")
    assert judged.possible is None and not judged and judged.because.startswith("unknown: 107 % of ")


def test_misspelt_keywords_and_frameworks():
    with pytest.raises(roofline.Error, match="^`dtyp`: unknown; did you mean `dtype`"):
        roofline.predict("gemm", m=1, n=2, k=2, machine="h100", dtyp="fp16")
    with pytest.raises(roofline.Error, match="^`machin`: unknown; did you mean `machine`"):
        roofline.sweep("gemm", m=[1, 2], n=2, k=2, machin="h100")
    with pytest.raises(roofline.Error, match="framework `vlm`: unknown; did you mean `vllm`"):
        roofline.predict("gemm", m=1, n=2, k=2, machine="h100", framework="vlm")
    with pytest.raises(roofline.Error, match="framework `vlm`: unknown; did you mean `vllm`"):
        roofline.model("llama-3.1-8b", machine="h100", framework="vlm")


def test_claims_that_make_no_sense():
    for words, text in [("gemm m=1 n=1 k=1", "what is claimed"), ("llama-3.1-70b tp=4", "what is claimed of llama"), ("1.7parsec", "parsec"), (1700e12, "which unit")]:
        with pytest.raises(roofline.Error, match=text):
            roofline.claim(words, machine="h100")
    with pytest.raises(roofline.Error, match="option `dtyp`: unknown; did you mean `dtype`?"):
        roofline.claim("1TFLOP/s", machine="h100", dtyp="fp16")


@pytest.mark.parametrize("words", ["ridge", "occupancy threads=256 registers=96 shared=40Ki", "critical-batch linear batch=1 in=4096 out=4096", "gemm", "occupancy"])
def test_explanations_are_the_commands(command, words):
    known = command("explain", *words.split(), "--machine", "a100")
    e = roofline.explain(words, machine="a100")
    assert (e.topic, e.text, e.worked) == (known["topic"], known["text"], known["worked"] or "")
    assert e.document() == known
    assert words.split()[0] in roofline.topics() or words == "gemm"


def test_a_topic_of_two_words():
    assert roofline.explain("KV cache").topic == "kv-cache"


def test_topics_that_are_none(refusal):
    with pytest.raises(roofline.Error) as caught:
        roofline.explain("rigde")
    assert (caught.value.exit_code, str(caught.value)) == refusal("explain", "rigde")


def test_machines_are_loaded_saved_and_listed(command, tmp_path):
    machine = roofline.machine("h100")
    assert machine.document() == command("machine", "show", "h100") and machine.lint() == []
    assert any(p.dtype == "fp16" and p.unit == "matrix" and p.flops_per_second > 9e14 for p in machine.peaks)
    assert machine.levels[-1].name == "HBM" and machine.links
    machine.save(tmp_path / "mine.json")
    assert roofline.machine(tmp_path / "mine.json").document() == machine.document()
    typed = roofline.machine("peak=19.5TFLOP/s bandwidth=2039GB/s")
    assert roofline.predict("triad", n=1e9, dtype="fp32", machine=typed).regime == "memory"
    assert [one.name for one in roofline.machines()] == [one["name"] for one in command("machine", "list")["machines"]]
    assert "h100" in [alias for one in roofline.machines("h100") for alias in one.aliases]


def test_an_error_of_a_file_has_its_place(tmp_path):
    (tmp_path / "bad.json").write_text('{\n  "schema": 1,,\n}')
    with pytest.raises(roofline.Error) as caught:
        roofline.machine(tmp_path / "bad.json")
    assert caught.value.file.endswith("bad.json") and caught.value.line == 2 and str(caught.value).startswith(f"{tmp_path}/bad.json:2:")
    with pytest.raises(roofline.Error, match="is not measured|no such|unknown"):
        roofline.predict("relu", n=1)


def test_profiles_are_the_commands(command):
    profile = roofline.import_profile("examples/ncu.csv", machine="h100")
    known = command("import", "examples/ncu.csv", "--machine", "h100")
    assert profile.document()["kernels"] == known["kernels"] and profile.machine == known["machine"]
    assert [k.name for k in profile.kernels] == [k["name"] for k in known["kernels"]]
    assert profile.kernels[0].flops == known["kernels"][0]["flops"] and profile.kernels[0].verdict == known["kernels"][0]["verdict"]
    assert len(profile) == 2 and "2 kernels" in profile.sentence and is_svg(profile.plot().svg) and "<table>" in profile._repr_html_()
    assert "ncu" in roofline.import_formats()
    named = roofline.import_profile("examples/ncu.csv", machine="h100", format="ncu")
    assert named.document() == profile.document()
    with pytest.raises(roofline.Error, match="format `nc`"):
        roofline.import_profile("examples/ncu.csv", format="nc")
    with pytest.raises(roofline.Error, match="import: name a file"):
        roofline.import_profile()
    alone = roofline.import_profile("tests/fixtures/import/hyperfine.json")
    assert alone.machine == "" and all(math.isnan(k.fraction_of_ceiling) for k in alone.kernels)


def test_a_profile_is_drawn_over_time():
    from_trace = roofline.import_profile("examples/trace.json")
    assert is_svg(from_trace.timeline().svg) and "stream 7" in from_trace.timeline().svg
    assert from_trace.document()["time"]["devices"][0]["idle_seconds"] > 0
    with pytest.raises(roofline.Error, match="no file has times of calls"):
        roofline.import_profile("examples/ncu.csv", machine="h100").timeline()


def test_a_profile_is_a_frame():
    pytest.importorskip("pandas")
    table = roofline.import_profile("examples/ncu.csv", machine="h100").to_pandas()
    assert list(table["flops"] > 0) == [True, True] and table["bytes"][0] == 201326592


def test_files_that_are_no_profile(refusal):
    for path in ("README.md", "no-such-file.csv"):
        with pytest.raises(roofline.Error) as caught:
            roofline.import_profile(path)
        assert (caught.value.exit_code, str(caught.value)) == refusal("import", path)


def test_a_ledger_goes_round(command, tmp_path):
    path = tmp_path / "roofline.ledger"
    ledger = roofline.Ledger(path)
    p = roofline.predict("gemm", m=4096, n=4096, k=4096, dtype="fp16", machine="h100")
    assert ledger.seal(p, label="ffn", mine="70%") == ["ffn"]
    assert ledger.seal(p) == ["gemm m=4096 n=4096 k=4096 fp16"]
    labels = ledger.seal(roofline.model("llama-3.1-8b", batch=16, machine="h100"))
    assert [label.split()[1] for label in labels] == ["TTFT", "TPOT"]
    ledger.record("ffn", samples=[220e-6, 230e-6, 210e-6], counters={"occupancy": 0.3})
    known = command("reconcile", "--ledger", str(path), code=1)  # the gate: labels without a counterpart
    result = ledger.reconcile()
    assert result.document() == known and result.entries[0].measured_seconds == 220e-6 and len(result.unmatched_predictions) == 3
    assert ledger.verify().entries == 5 and len(ledger.entries()) == 5 and "intact" in ledger.verify().sentence
    with pytest.raises(roofline.Error, match="fff.*did you mean `ffn`") as caught:
        ledger.record("fff", seconds=1)
    assert caught.value.status == "ROOF_E_GATE" and caught.value.exit_code == 1
    with pytest.raises(roofline.Error, match="one label, but 2 predictions"):
        ledger.seal(p, p, label="x")
    path.write_text(path.read_text().replace("ffn", "fnn", 1))
    with pytest.raises(roofline.Error) as caught:
        ledger.verify()
    assert caught.value.status == "ROOF_E_GATE" and caught.value.line == 1


def test_plots_are_written_in_every_format(tmp_path):
    picture = roofline.plot("gemm m=1,256 n=k=4096", machine="h100", dtype="fp16", arrows=True)
    assert is_svg(picture._repr_svg_()) and "gemm m=256" in picture.text(ascii=True)
    for ending, start in [(".svg", b"<svg"), (".txt", b""), (".png", b"\x89PNG"), (".pdf", b"%PDF")]:
        try:
            picture.save(tmp_path / f"a{ending}")
        except roofline.Error as error:
            assert error.status == "ROOF_E_UNSUPPORTED" and ending in (".png", ".pdf")
            continue
        assert (tmp_path / f"a{ending}").read_bytes().startswith(start)
    with pytest.raises(roofline.Error, match="the ending says no format"):
        picture.save(tmp_path / "a.jpg")
    assert is_svg(roofline.plot(machine=["h100", "a100"]).svg)
    assert roofline.plot("gemm", m=[1, 256], n=4096, k=4096, machine="h100", dtype="fp16", arrows=True).svg == picture.svg
    with pytest.raises(roofline.Error, match="wieghts"):
        roofline.plot("gemm m=1 n=k=4096", machine="h100", wieghts="int4")


def test_a_prediction_shows_itself():
    p = roofline.predict("gemm", m=8192, n=8192, k=8192, dtype="fp16", machine="h100")
    assert "<svg" in p._repr_html_() and "waves" in p._repr_html_() and is_svg(p.plot().svg)
    assert roofline.predict("copy", n=1e6, machine="h100")._repr_svg_() is None
    assert "989.4 TFLOP/s" in p.explain()


def test_regions_are_written_when_the_program_ends(program, tmp_path):
    text = """
import roofline
@roofline.region("inner", flops=1e3)
def inner():
    return 1
for _ in range(3):
    with roofline.region("step", flops=2e9, bytes=24e6, dtype="fp32"):
        inner()
"""
    file = tmp_path / "regions.json"
    program(text, ROOFLINE_REGIONS=str(file))
    kernels = {k["name"]: k for k in json.loads(file.read_text())["kernels"]}
    assert kernels["step"]["calls"] == kernels["inner"]["calls"] == 3
    assert kernels["step"]["flops"] == {"fp32": 2e9} and kernels["step"]["bytes"] == {"DRAM": 24e6}
    assert kernels["inner"]["bytes"] is None
    assert program(text) == ""
    with pytest.raises(roofline.Error, match="dtype `fp15`"):
        roofline.region("x", dtype="fp15")
    with pytest.raises(roofline.Error) as caught:
        roofline.write_regions()
    assert caught.value.status == "ROOF_E_UNSUPPORTED"


def test_predictions_of_arrays_are_sealed_one_by_one(tmp_path):
    ledger = roofline.Ledger(tmp_path / "roofline.ledger")
    q = roofline.predict("gemm", m=[1, 2], n=8, k=8, dtype="fp16", machine="h100")
    with pytest.raises(roofline.Error, match=r"seal: 2 predictions in one; `seal\(\*predictions\)` seals each"):
        ledger.seal(q)
    assert ledger.seal(*q) == ["gemm m=1 n=8 k=8 fp16", "gemm m=2 n=8 k=8 fp16"]


def test_a_model_is_found_by_its_path():
    path = Path("data/models/llama-3.1-8b.json")
    assert roofline.model(path, machine="h100").parameters == 8030261248
    assert roofline.plan(path, users=1, context=1024, machine="h100").best is not None
    assert len(roofline.serve(path, drafter=path, rate=1, requests=50, draft=2, accept=0.7, machine="h100")) == 1


def test_an_explanation_refuses_options_that_are_none():
    with pytest.raises(roofline.Error, match="option `dtpe`: unknown; did you mean `dtype`"):
        roofline.explain("ridge", dtpe="fp8")
