"""Policies of your own for revopt, its results in Python, and a Gymnasium environment (docs/exec.md)."""
import sys

from .policy import Job, Policy, State, policy
from .run import Error, program, run

__all__ = ["Env", "Error", "Job", "Policy", "State", "policy", "program", "run"]


def __getattr__(name):
    """Import Env when it is first used, because it alone needs numpy, and policies shall start fast."""
    if name == "Env":
        from .env import Env

        return Env
    raise AttributeError(f"module 'revopt' has no attribute {name!r}")


if "gymnasium" in sys.modules:
    from . import env as _  # registers revopt/Scheduling-v0
