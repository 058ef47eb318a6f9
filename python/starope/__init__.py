"""What would another policy have earned, how sure are we, and can we trust that answer?

    import starope as so
    e = so.evaluate(df, episode="stay_id", state=["hr", "bp"], action="a", reward="r", behavior_prob="pb", target=policy)
    print(e)                                     # the table of the command line
    e.answer.value, e.answer.interval            # and e.difference, e.verdict, e.findings, e.to_frame(), e.report("icu.html")
"""

from . import _estimators, statistics
from ._answers import (
    BehaviorFit,
    Difference,
    Estimate,
    Finding,
    Group,
    Interval,
    PolicyAnswer,
    PolicyDifference,
    ReturnDistribution,
    RiskNumber,
    Verdict,
)
from ._compare import compare
from ._core import version as __version__
from ._data import Dataset
from ._errors import (
    DataError,
    DegenerateModel,
    Error,
    FileError,
    InvalidArgument,
    MissingPackage,
    PolicyError,
    TooMuchWork,
    WrongType,
)
from ._estimators import *  # noqa: F403
from ._evaluate import evaluate, inspect
from ._formats import from_d4rl, from_lerobot, from_minari, from_obp, from_rllib, from_scope_rl
from ._policies import epsilon_greedy, from_sb3, from_torch
from ._record import record
from ._results import Comparison, Evaluation, Inspection
from ._worlds import Study, domains, merge_studies, read_study, simulate, study, true_value

__all__ = [
    "BehaviorFit", "Comparison", "DataError", "Dataset", "DegenerateModel", "Difference", "Error", "Estimate", "Evaluation",
    "FileError", "Finding", "Group", "Inspection", "Interval", "InvalidArgument", "MissingPackage", "PolicyAnswer",
    "PolicyDifference", "PolicyError", "ReturnDistribution", "RiskNumber", "Study", "TooMuchWork", "Verdict", "WrongType",
    "__version__", "compare", "domains", "epsilon_greedy", "evaluate", "from_d4rl", "from_lerobot", "from_minari", "from_obp",
    "from_rllib", "from_sb3", "from_scope_rl", "from_torch", "inspect", "merge_studies", "read_study", "record", "simulate", "statistics",
    "study", "true_value",
]
__all__ += _estimators.__all__
