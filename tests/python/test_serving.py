"""Plans and services, against what the command says."""

import math
import xml.dom.minidom

import pytest
import roofline


def is_svg(text):
    return xml.dom.minidom.parseString(text).documentElement.tagName == "svg"


@pytest.mark.parametrize(
    "config, settings, words",
    [
        (
            "llama-3.1-70b",
            dict(users=50, context="8k", tpot="80ms", ttft=5, machine=["h100", "h200"], price={"h100": 2.5, "h200": 3.5}),
            "--users 50 --context 8k --tpot 80ms --ttft 5s --machine h100,h200 --price h100=2.5,h200=3.5",
        ),
        (
            "llama-3.1-8b",
            dict(rate=4, context=2000, generate=500, tpot=0.05, percentile="mean", precision="fp8", machine="h100", price=2.5, energy_price=0.2, network="hdr"),
            "--rate 4/s --context 2000 --generate 500 --tpot 50ms --percentile mean --precision fp8 --machine h100 --price 2.5 --energy-price 0.2 --network hdr",
        ),
    ],
)
def test_a_plan_is_the_commands(command, config, settings, words):
    p = roofline.plan(config, **settings)
    known = p.document()
    assert known == command("plan", config, *words.split())
    assert p and p.best.machine == known["best"]["machine"] and p.best.why == "" and p.best == p.choices[0]
    assert p.launch["vllm"].startswith("vllm serve") and is_svg(p._repr_svg_())
    assert p.best.machine in p._repr_html_() and str(p).startswith(p.sentence) and "\n" not in p.sentence


def test_that_nothing_meets_the_limits_is_an_answer(command):
    p = roofline.plan("llama-3.1-8b", users=1, ttft="1us", devices=1, machine="h100")
    assert not p and p.best is None and p.launch == {}
    assert p.document() == command("plan", "llama-3.1-8b", "--users", "1", "--ttft", "1us", "--devices", "1", "--machine", "h100", code=1)
    assert p.choices[0].result == "too slow" and p.choices[0].why in p._repr_html_()
    assert math.isnan(p.choices[0].price_per_million_tokens)


def test_one_price_of_several_machines_is_refused():
    with pytest.raises(roofline.Error, match="price: 2 of 2 machines alike"):
        roofline.plan("llama-3.1-8b", machine=["h100", "h200"], price=2)


def test_a_number_is_of_seconds():
    said = [roofline.plan("llama-3.1-8b", users=8, tpot=tpot, machine="h100").document() for tpot in (20, "20s")]
    assert said[0] == said[1]


@pytest.mark.parametrize("settings", [dict(rate="4/day"), dict(percentile=20), dict(ttft="fast"), dict(tpot="20"), dict(userss=3), dict(precision="fp9"), dict(price={"h10": 1})])
def test_errors_of_plans_are_the_commands(refusal, settings):
    ((name, value),) = settings.items()
    typed = "h10=1" if name == "price" else str(value)
    words = [f"{name}={typed}"] if name == "userss" else [f"--{name}", typed]
    with pytest.raises(roofline.Error) as caught:
        roofline.plan("llama-3.1-8b", machine="h100", **settings)
    assert (caught.value.exit_code, str(caught.value)) == refusal("plan", "llama-3.1-8b", *words, "--machine", "h100")


@pytest.mark.parametrize(
    "settings, words",
    [
        (dict(devices=16, batch=64, context="4k", tokens="100G", mtbf=20000, checkpoint_rate="2GB/s", price=2.5), "--devices 16 --batch 64 --context 4k --tokens 100G --mtbf 20000 --checkpoint-rate 2GB/s --price 2.5"),
        (dict(lora=16, precision="fp8"), "lora=16 --precision fp8"),
    ],
)
def test_plans_of_training_are_the_commands(command, settings, words):
    p = roofline.plan_training("llama-3.1-8b", machine="h100", **settings)
    known = p.document()
    assert known == command("plan", "llama-3.1-8b", "--train", *words.split(), "--machine", "h100")
    assert p and p.best.seconds == known["best"]["seconds"] and p.best == p.plans[0] and len(p.plans) == len(known["front"])
    assert math.isnan(p.lost) == math.isnan(p.best.days) == ("tokens" not in settings)
    assert str(p).startswith(p.sentence) and p.plans[-1].recompute in p._repr_html_()


def test_that_no_plan_of_training_fits_is_an_answer(command):
    p = roofline.plan_training("llama-3.1-405b", devices=8, machine="h100")
    assert not p and p.best is None and p.plans == [] and math.isnan(p.lost)
    assert p.document() == command("plan", "llama-3.1-405b", "--train", "--devices", "8", "--machine", "h100", code=1)


@pytest.mark.parametrize("settings", [dict(mtbf=-1), dict(checkpoint_rate="fast"), dict(devices="some"), dict(batchs=3)])
def test_errors_of_plans_of_training_are_the_commands(refusal, settings):
    ((name, value),) = settings.items()
    words = [f"{name}={value}"] if name == "batchs" else [f"--{name.replace('_', '-')}={value}"]
    with pytest.raises(roofline.Error) as caught:
        roofline.plan_training("llama-3.1-8b", machine="h100", tokens="1T", **settings)
    assert (caught.value.exit_code, str(caught.value)) == refusal("plan", "llama-3.1-8b", "--train", "--tokens=1T", *words, "--machine", "h100")


def test_plans_of_serving_are_not_those_of_training():
    with pytest.raises(roofline.Error, match="plan_training"):
        roofline.plan("llama-3.1-8b", train=True, machine="h100")


@pytest.mark.parametrize(
    "settings, words",
    [
        (dict(rate="1..8*2", requests=300, prompt="lognormal:1024:0.8", generate=64, ttft="100ms", price=2), "--rate 1..8*2 --requests 300 prompt=lognormal:1024:0.8 generate=64 --ttft 100ms --price 2"),
        (dict(concurrency=8, requests=100, generate="uniform:10:20", prefix=512, no_cache=True, dp=2, route="least-loaded", seed=3), "--concurrency 8 --requests 100 generate=uniform:10:20 prefix=512 --no-cache dp=2 --route least-loaded --seed 3"),
        (dict(requests=50, draft=3, accept=0.7, drafter="llama-3.2-1b", adapters=8, rank=16, engine="sglang"), "--requests 50 draft=3 accept=0.7 --drafter llama-3.2-1b adapters=8 rank=16 --engine sglang"),
    ],
)
def test_a_service_is_the_commands(command, settings, words):
    s = roofline.serve("llama-3.1-8b", machine="h100", **settings)
    known = s.document()
    assert known == command("serve", "llama-3.1-8b", *words.split(), "--machine", "h100")
    assert len(s) == len(known["runs"]) == len(list(s)) and s[0].ttft.p99_seconds == known["runs"][0]["ttft"]["p99_seconds"]
    assert math.isnan(s.saturation_per_second) == (known["saturation_per_second"] is None)
    assert s.sentence in s._repr_html_() and str(s) == s.sentence


def test_rates_are_drawn_and_one_is_not():
    assert is_svg(roofline.serve("llama-3.1-8b", rate=[1, 2], requests=100, machine="h100").plot().svg)
    with pytest.raises(roofline.Error, match="several rates"):
        roofline.serve("llama-3.1-8b", rate=2, requests=100, machine="h100").plot()


def test_one_rate_is_drawn_over_time(command):
    s = roofline.serve("llama-3.1-8b", rate=20, requests=100, timeline=True, machine="h100")
    assert s.document() == command("serve", "llama-3.1-8b", "--rate", "20", "--requests", "100", "--timeline", "--machine", "h100")
    assert is_svg(s.plot().svg) and s.document()["timeline"]
    with pytest.raises(roofline.Error, match="of one rate"):
        roofline.serve("llama-3.1-8b", rate=[1, 2], timeline=True, machine="h100")


def test_a_number_is_of_seconds():
    said = [roofline.plan("llama-3.1-8b", users=8, tpot=tpot, machine="h100").document() for tpot in (20, "20s")]
    assert said[0] == said[1]


@pytest.mark.parametrize("settings", [dict(rate="4/day"), dict(route="nearest"), dict(arrivals="poison"), dict(prompt="normal:3"), dict(concurrency=4, rate=2), dict(accept=0.5)])
def test_errors_of_services_are_the_commands(refusal, settings):
    words = [f"{name}={value}" if name in ("prompt", "accept") else f"--{name}={value}" for name, value in settings.items()]
    with pytest.raises(roofline.Error) as caught:
        roofline.serve("llama-3.1-8b", machine="h100", **settings)
    assert (caught.value.exit_code, str(caught.value)) == refusal("serve", "llama-3.1-8b", *words, "--machine", "h100")


def test_a_list_of_precisions_is_several_not_a_mixed_one():
    asked = dict(users=1, context=1024, machine="h100")
    listed, typed = (roofline.plan("llama-3.1-8b", precision=value, **asked) for value in (["bf16", "fp8"], "bf16/fp8"))
    assert [c.precision for c in listed.choices] == [c.precision for c in typed.choices] and len(listed.choices) == 2
    assert len(roofline.model_sweep("llama-3.1-8b", precision=["bf16", "fp8"], machine="h100")) == 2
    for refused in (
        lambda: roofline.model("llama-3.1-8b", precision=["bf16", "fp8"], machine="h100"),
        lambda: roofline.serve("llama-3.1-8b", rate=1, requests=50, precision="bf16/fp8", machine="h100"),
        lambda: roofline.plan_training("llama-3.1-8b", devices=8, precision="bf16/fp8", machine="h100"),
    ):
        with pytest.raises(roofline.Error, match="several values|of one at a time"):
            refused()
