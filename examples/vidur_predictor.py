"""Times of Vidur's batches by `roofline predictor`, in place of Vidur's own profiles (docs/predictor.md).

    import vidur_predictor, vidur.main
    vidur_predictor.install("llama-3.1-8b", "h100")
    vidur.main.main()  # --execution_time_predictor_config_type linear_regression

Vidur multiplies the parts of a layer by its layers. roofline predicts the step as a whole, so the step's time is one part of each layer and the
other parts are zero: times of batches and requests are right, Vidur's metrics of single operators are not.
"""
import inspect
import json
import os
import subprocess

from vidur.entities import ExecutionTime
from vidur.execution_time_predictor.base_execution_time_predictor import BaseExecutionTimePredictor


class Roofline:
    """The service as a child, asked one line at a time."""

    def __init__(self, machine, command=None):
        words = [command or os.environ.get("ROOFLINE", "roofline"), "predictor", "--machine", machine]
        self._child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def seconds(self, **request):
        self._child.stdin.write(json.dumps(request) + "\n")
        self._child.stdin.flush()
        line = self._child.stdout.readline()
        if not line:
            raise RuntimeError("roofline predictor ended")
        reply = json.loads(line)
        if reply["error"]:
            raise ValueError(reply["error"]["message"])
        return reply["seconds"]["expected"]

    def close(self):
        self._child.stdin.close()
        self._child.wait()
        self._child.stdout.close()


def load_of(batch):
    """What a batch does, as means: sequences that generate, and pieces of prompts."""
    rows = list(zip(batch.requests, batch.num_tokens))
    decodes = [r.num_processed_tokens for r, _ in rows if r.is_prefill_complete]
    prompts = [(n, r.num_processed_tokens) for r, n in rows if not r.is_prefill_complete]
    load = {}
    if decodes:
        load |= {"batch": len(decodes), "context": sum(decodes) / len(decodes)}
    if prompts:
        load |= {"prompts": len(prompts), "queries": sum(n for n, _ in prompts) / len(prompts),
                 "past": sum(past for _, past in prompts) / len(prompts)}
    return load


class RooflineExecutionTimePredictor(BaseExecutionTimePredictor):
    model = machine = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if self._replica_config.num_pipeline_stages != 1:
            raise ValueError("vidur_predictor: a step goes through all stages of a pipeline at once; use one stage")
        self._roofline = Roofline(self.machine)
        self._plan = f"tp={self._replica_config.tensor_parallel_size}"

    def get_execution_time(self, batch, pipeline_stage):
        seconds = self._roofline.seconds(model=self.model, plan=self._plan, **load_of(batch))
        layers = self._num_layers_per_pipeline_stage
        parts = dict.fromkeys(inspect.signature(ExecutionTime.__init__).parameters, 0)
        del parts["self"]
        parts |= {"num_layers_per_pipeline_stage": layers, "mlp_layer_up_proj_execution_time": 1e3 * seconds / layers}
        return ExecutionTime(**parts)


# Nothing asks for the parts of a step, which the base class wants one function each for.
RooflineExecutionTimePredictor.__abstractmethods__ = frozenset()


def install(model, machine):
    """Puts the predictor in the place of Vidur's linear regression."""
    from vidur.execution_time_predictor.execution_time_predictor_registry import ExecutionTimePredictorRegistry
    from vidur.types import ExecutionTimePredictorType

    RooflineExecutionTimePredictor.model = model
    RooflineExecutionTimePredictor.machine = machine
    key = ExecutionTimePredictorType.LINEAR_REGRESSION
    ExecutionTimePredictorRegistry.unregister(key)
    ExecutionTimePredictorRegistry.register(key, RooflineExecutionTimePredictor)
