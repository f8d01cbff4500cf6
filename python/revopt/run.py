"""Runs of the program revopt, and its results."""
from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
from typing import Any

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # the folder of the package


class Error(Exception):
    """The line with which revopt refused or ended a run, and its exit code."""

    def __init__(self, line: str, code: int):
        super().__init__(line)
        self.code = code


def program() -> str:
    """Return the path of revopt: $REVOPT, or on the PATH, or bin/revopt of this source tree."""
    built = os.path.join(HERE, "..", "bin", "revopt")
    found = os.environ.get("REVOPT") or shutil.which("revopt") or shutil.which(built)
    if not found:
        raise Error("revopt is not on the PATH: set REVOPT to its path, or run make build", 127)
    return found


def start(command: str, scenario: Any, flags: dict[str, Any], **settings: Any) -> subprocess.Popen:
    """Start revopt, in an environment in which Python finds this package. For flags see run."""
    words = [program(), command, str(scenario)]
    for name, value in flags.items():
        name = "--" + name.replace("_", "-")
        if isinstance(value, dict):
            value = [f"{path}={v}" for path, v in value.items()]
        for v in value if isinstance(value, (list, tuple)) else [value]:
            if v is not None and v is not False:
                words += [name] if v is True else [name, str(v)]
    path = os.pathsep.join(filter(None, [HERE, os.environ.get("PYTHONPATH")]))
    pipes = dict.fromkeys(["stdin", "stdout", "stderr"], subprocess.PIPE)
    return subprocess.Popen(words, env={**os.environ, "PYTHONPATH": path}, **pipes, **settings)


def run(scenario: Any, *policies: str, command: str = "simulate", frame: bool = False, **flags: Any) -> tuple:
    """Run policies on a scenario and return results and cells. Raise Error if revopt fails.

    The scenario is a file, the name of a built-in one, or a dict. Flags are those of revopt:
    exec_timeout="10s" is --exec-timeout 10s, True is a flag without a value, None and False leave
    it out, a list repeats it, a dict repeats it with NAME=VALUE. Results are its JSON, with tables
    such as results["tables"]["policies"]; cells are every number of every replication, as a list
    of dict, or with frame=True as a DataFrame.
    """
    text = json.dumps(scenario) if isinstance(scenario, dict) else None
    with tempfile.TemporaryDirectory() as folder:
        flags = {"policy": policies, "cells": os.path.join(folder, "cells.csv"), **flags, "json": True}
        child = start(command, scenario if text is None else "-", flags, text=True)
        printed, messages = child.communicate(text)
        if child.returncode != 0:
            others, _, line = messages.strip().rpartition("\n")
            sys.stderr.write(others)
            raise Error(line or f"exit code {child.returncode}", child.returncode)
        sys.stderr.write(messages)
        with open(flags["cells"], newline="") as file:
            cells = list(csv.DictReader(line for line in file if not line.startswith("#")))
    for row in cells:
        row["replication"] = int(row["replication"])
        row["number"] = float(row["number"]) if row.get("number") else None
    if frame:
        import pandas
        cells = pandas.DataFrame(cells)
    return json.loads(printed), cells
