"""Times of SGLang's simulator by `roofline predictor`, a predictor beside its own (docs/predictor.md).

    import sglang_predictor  # at the top of a file: the simulator's workers are spawned, and run the top of the file again

    sglang_predictor.install()
    if __name__ == "__main__":
        import runpy
        runpy.run_module("sglang_simulator.simulation.sglang.launch_server", run_name="__main__")

and in the simulator's configuration

    "predictor": {"name": "roofline", "machine": "h100", "model": "llama-3.1-8b"}

`machine`: else the accelerator's name; `model`: a built-in one or a folder with a config.json, else the model's path; every other key is a
member of each request: "weights", "kv", "dtype".
"""
import functools
import os

from roofline_service import Roofline, load_of
from sglang_simulator.simulation.manager import ConfigManager
from sglang_simulator.time_predictor import InferTimePredictor


def plan_of(config):
    """The scheduler's devices as a plan of the model."""
    for name in ("pp_size", "dp_size", "cp_size"):
        if getattr(config, name, 1) != 1:
            raise ValueError(f"sglang_predictor: {name} is {getattr(config, name)}; a step here is of tensor and expert parallel devices alone")
    return f"tp={config.tp_size} ep={config.ep_size}"


class RooflineTimePredictor(InferTimePredictor):
    def __init__(self, model, hw, config, *, machine, path, **members):
        super().__init__(model, hw, config)
        self._request = {"model": path, "plan": plan_of(config), **members}
        self._roofline = Roofline("--machine", machine, *(["--model", path] if os.path.exists(path) else []))

    def predict_infer_time(self, batch):
        """Seconds of one forward pass; a sequence that gets one more token behind others generates, all else are pieces of prompts."""
        rows = [(r.extend_length, r.past_kv_length) for r in batch.reqs]
        decodes = [past for n, past in rows if n == 1 and past > 0]
        prompts = [(n, past) for n, past in rows if n > 1 or past == 0]
        return self._roofline.seconds(**self._request, **load_of(decodes, prompts)) if rows else 0.0


def install():
    """Lets the simulator's configuration name "roofline" as its predictor; the names that it knows mean what they meant."""
    theirs = ConfigManager.get_inference_time_predictor

    @functools.wraps(theirs)
    def get_inference_time_predictor(cls, model, hw, sched_config):
        asked = dict(cls._get_raw_config().get("predictor", {}))
        if asked.pop("name", None) != "roofline":
            return theirs(model, hw, sched_config)
        machine, path = asked.pop("machine", hw.name), asked.pop("model", model.model_path)
        return RooflineTimePredictor(model, hw, sched_config, machine=machine, path=path, **asked)

    ConfigManager.get_inference_time_predictor = classmethod(get_inference_time_predictor)
