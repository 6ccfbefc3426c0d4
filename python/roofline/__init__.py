"""How fast can a kernel go on a machine, and what limits it?

    >>> import roofline
    >>> print(roofline.predict("gemm", m=8192, n=28672, k=8192, dtype="bf16", machine="h100").regime)
    compute

Quantities are floats in s, bytes, FLOP, J, Hz; NaN is what is not known. Errors are `roofline.Error`.
"""

from ._claim import Claim, Explanation, claim, explain, topics
from ._ledger import Ledger, Reconciled, Reconciliation, Verification
from ._library import Error
from ._library import lib as _lib
from ._machines import Link, Machine, MachineEntry, MemoryLevel, Peak, machine, machines
from ._model import Memory, Model, ModelOperation, ModelSweep, Phase, model, model_sweep, models
from ._plot import Plot, plot
from ._predict import Effect, Level, OperationText, Parameter, Prediction, Predictions, Seconds, operation, operations, predict
from ._profile import Kernel, Profile, Skipped, import_formats, import_profile
from ._region import region, write_regions
from ._serving import Choice, Plan, Served, Service, Times, plan, serve
from ._sweep import Crossing, Sweep, sweep
from ._training import TrainingPlan, TrainingPlans, plan_training

__version__: str = _lib.roof_version().decode()

__all__ = [
    "claim",
    "Choice",
    "Claim",
    "Crossing",
    "Effect",
    "Error",
    "explain",
    "Explanation",
    "import_formats",
    "import_profile",
    "Kernel",
    "Ledger",
    "Level",
    "Link",
    "machine",
    "Machine",
    "MachineEntry",
    "machines",
    "Memory",
    "MemoryLevel",
    "Model",
    "model",
    "model_sweep",
    "ModelOperation",
    "models",
    "ModelSweep",
    "operation",
    "operations",
    "OperationText",
    "Parameter",
    "Peak",
    "Phase",
    "Plot",
    "plan",
    "Plan",
    "plan_training",
    "plot",
    "predict",
    "Prediction",
    "Predictions",
    "Profile",
    "Reconciled",
    "Reconciliation",
    "region",
    "Seconds",
    "serve",
    "Served",
    "Service",
    "Skipped",
    "Sweep",
    "sweep",
    "Times",
    "topics",
    "TrainingPlan",
    "TrainingPlans",
    "Verification",
    "write_regions",
]

for _name in __all__:
    globals()[_name].__module__ = "roofline"  # what tracebacks and `help` say
