"""Policies of your own for revopt, and its results in Python (docs/exec.md)."""
from .policy import Job, Policy, State, policy
from .run import Error, program, run

__all__ = ["Error", "Job", "Policy", "State", "policy", "program", "run"]
