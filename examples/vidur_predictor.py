"""Times of Vidur's batches by `roofline predictor`, in place of Vidur's own profiles (docs/predictor.md).

    import vidur_predictor, vidur.main
    vidur_predictor.install("llama-3.1-8b", "h100")
    vidur.main.main()  # --execution_time_predictor_config_type linear_regression

Vidur multiplies the parts of a layer by its layers. roofline predicts the step as a whole, so the step's time is one part of each layer and the
other parts are zero: times of batches and requests are right, Vidur's metrics of single operators are not.
"""
import inspect

from roofline_service import Roofline, load_of
from vidur.entities import ExecutionTime
from vidur.execution_time_predictor.base_execution_time_predictor import BaseExecutionTimePredictor


def load_of_batch(batch):
    rows = list(zip(batch.requests, batch.num_tokens))
    decodes = [r.num_processed_tokens for r, _ in rows if r.is_prefill_complete]
    return load_of(decodes, [(n, r.num_processed_tokens) for r, n in rows if not r.is_prefill_complete])


class RooflineExecutionTimePredictor(BaseExecutionTimePredictor):
    model = machine = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if self._replica_config.num_pipeline_stages != 1:
            raise ValueError("vidur_predictor: a step goes through all stages of a pipeline at once; use one stage")
        self._roofline = Roofline("--machine", self.machine)
        self._plan = f"tp={self._replica_config.tensor_parallel_size}"

    def get_execution_time(self, batch, pipeline_stage):
        seconds = self._roofline.seconds(model=self.model, plan=self._plan, **load_of_batch(batch))
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
