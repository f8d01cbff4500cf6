"""Policies for `revopt ... --policy exec:'python3 my.py'`, by the protocol of docs/exec.md."""
from __future__ import annotations

import json
import math
import sys
import traceback
from typing import Any, Iterable

FIELDS = ("width", "estimate", "price", "decay", "deadline", "user")
WANTS = ("arrive", "finish", "stop", "leave", "tick", "units")


class Job:
    """A job. Fields that revopt does not send have the values below."""
    width = 1  # units
    estimate = math.inf  # of the run time, s
    price = 0.0  # $ if it is served at once
    decay = 0.0  # $/s lost by waiting
    deadline = math.inf  # s of the run
    user = None
    started = math.nan  # s of the run, the last time
    end = math.nan  # expected: started and what was left of the estimate
    given = 0.0  # s that it ran before
    lost = 0.0  # of these, s of work that an outage lost, and costs of suspensions

    def __init__(self, fields: dict[str, Any], now: float):
        self.__dict__ = fields  # id is always there
        self.arrived = now


class State:
    """The cluster as a policy sees it, and the acts of one decision.

    seed, replication, options, pool, preempt (jobs may be suspended) and preempt_cost (s of work that a
    suspension adds) are constant in a run; units changes with outages only. now, free, queue and running
    are up to date, also within a decision: loop over list(queue.values()) to start jobs. queue (in order of
    arrival) and running (of start) map ids to jobs. arrived, finished, stopped (by an outage), left (lists of
    jobs) and value ($ by id) are the news since the last decision.
    """

    def __init__(self, greeting: dict[str, Any]):
        self.seed, self.replication, self.pool = greeting["seed"], greeting["replication"], greeting.get("pool")
        self.options: dict[str, str] = greeting["options"]
        self.preempt: bool = greeting.get("preempt", False)
        self.preempt_cost: float = greeting.get("preempt_cost", 0.0)
        self.queue: dict[int, Job] = {}
        self.running: dict[int, Job] = {}
        self._acts: dict[str, Any] = {}
        self._suspended = False  # jobs that wait again are not in their places
        self.units: int = greeting["units"]
        self.update({"now": greeting["now"], "free": self.units})

    def update(self, message: dict[str, Any]) -> None:
        """Apply the changes of a message of revopt."""
        get, queue, running = message.get, self.queue, self.running
        self.now, self.free, self.units = message["now"], message["free"], get("units", self.units)
        self.finished = [running.pop(i) for i in get("finish", ())]
        self.stopped = [running.pop(i) for i in get("stop", ())]
        for job in self.stopped:  # by an outage: the jobs begin again
            queue[job.id] = job
            job.given += self.now - job.started
            job.lost = job.given
        if self._suspended or self.stopped:
            queue = self.queue = dict(sorted(queue.items()))
            self._suspended = False
        self.arrived = [Job(fields, self.now) for fields in get("arrive", ())]
        for job in self.arrived:
            queue[job.id] = job
        self.left = [queue.pop(i) for i in get("leave", ())]
        self.value = get("value", {})

    def start(self, job: Job | int) -> None:
        """Start a waiting job now."""
        job = self._take(job)
        if job.width > self.free:
            raise ValueError(f"job {job.id} needs {job.width} units, {self.free} are free")
        if self._acts and job.id in self._acts.get("suspend", ()):
            raise ValueError(f"job {job.id} was suspended in this decision")
        job.started, job.end = self.now, self.now + max(job.estimate + job.lost - job.given, 0.0)
        self.free -= job.width
        self.running[job.id] = job
        self._acts.setdefault("start", []).append(job.id)

    def suspend(self, job: Job | int) -> None:
        """Stop a running job, which keeps its work and waits again. It may be started from the next decision on."""
        number = job if isinstance(job, int) else job.id
        if not self.preempt:
            raise ValueError("jobs may not be suspended, preempt is False")
        if number not in self.running:
            raise ValueError(f"job {number} does not run")
        if number in self._acts.get("start", ()):
            raise ValueError(f"job {number} was started in this decision")
        job = self.running.pop(number)
        job.given += self.now - job.started
        job.lost += self.preempt_cost
        self.free += job.width
        self.queue[number] = job  # in its place from the next decision on
        self._suspended = True
        self._acts.setdefault("suspend", []).append(number)

    def served(self, job: Job) -> float:
        """Return for how long a job has run, s."""
        return job.given + (self.now - job.started) if job.id in self.running else job.given

    def remaining(self, job: Job) -> float:
        """Return for how long a job is still to run by its estimate, s."""
        served = job.given + (self.now - job.started) if job.id in self.running else job.given
        left = job.estimate + job.lost - served
        return left if left > 0 else 0.0

    def reject(self, job: Job | int, why: str = "policy") -> None:
        """Reject a waiting job."""
        self._acts.setdefault("reject", []).append({"id": self._take(job).id, "why": why})

    def wake(self, at: float) -> None:
        """Ask for a decision at a time, s of the run. The earliest of a decision counts."""
        self._acts["wake"] = min(at, self._acts.get("wake", math.inf))

    def _take(self, job: Job | int) -> Job:
        number = job if isinstance(job, int) else job.id
        if number not in self.queue:
            raise ValueError(f"job {number} does not wait")
        return self.queue.pop(number)

    def reply(self) -> bytes:
        """Return the acts since the last reply as a message to revopt."""
        if not self._acts:
            return b"{}\n"
        acts, self._acts = self._acts, {}
        return json.dumps(acts).encode() + b"\n"


class Policy:
    """A policy. Derive from it, define decide, and call main at the end of the script.

    fields are the fields of jobs that revopt sends. wants are the kinds of event after which
    it asks for a decision; with "value", messages also say what ended jobs brought. options are the
    names of the options that the policy has: revopt then refuses others.
    """

    name: str | None = None  # by default that of the class
    fields: Iterable[str] = FIELDS
    wants: Iterable[str] = WANTS
    options: Iterable[str] | None = None

    def begin(self, state: State) -> None:
        """Prepare a run. The queue is empty."""

    def decide(self, state: State) -> Iterable[Job | int] | None:
        """Act through the methods of state, or return the jobs to start, or both."""
        raise NotImplementedError

    def main(self) -> None:
        """Speak with revopt on stdin and stdout until the run is over. print writes to stderr."""
        lines, out, loads = sys.stdin.buffer, sys.stdout.buffer, json.loads
        sys.stdout, sys.excepthook = sys.stderr, _explain
        state = State(loads(lines.readline()))
        self.begin(state)
        out.write(hello(self.name or type(self).__name__, self.fields, self.wants, self.options))
        out.flush()
        for line in lines:
            message = loads(line.decode())
            if "bye" in message:
                break
            state.update(message)
            for job in self.decide(state) or ():
                state.start(job)
            out.write(state.reply())
            out.flush()


def _explain(kind: type, error: BaseException, trace: Any) -> None:
    """Print a traceback. Its last line, which revopt repeats, names the line of the policy."""
    traceback.print_exception(kind, error, trace)
    place = [frame for frame in traceback.extract_tb(trace) if frame.filename != __file__][-1]
    print(f"{kind.__name__}: {error} ({place.filename}, line {place.lineno})", file=sys.stderr)


def hello(name: str, fields: Iterable[str], wants: Iterable[str], options: Iterable[str] | None = None) -> bytes:
    """Return the first message to revopt."""
    message = {"hello": 2, "name": name, "fields": [*fields], "wants": [*wants]}
    if options is not None:
        message["options"] = [*options]
    return json.dumps(message).encode() + b"\n"


def policy(decide: Any = None, **settings: Any) -> Any:
    """Make a Policy of a function of the state that acts or returns the jobs to start.

    Use it as @policy, or with name, fields, wants and options as in @policy(fields=["width"]).
    """
    if decide is None:
        return lambda function: policy(function, **settings)
    body = {"__doc__": decide.__doc__, "decide": staticmethod(decide), **settings}
    return type(decide.__name__, (Policy,), body)()
