"""An environment for reinforcement learning, with the interface of Gymnasium 1.0."""
from __future__ import annotations

import json
import os
import tempfile
from itertools import islice
from typing import Any, Callable, Sequence

try:
    import numpy as np
except ImportError as missing:
    raise ImportError("revopt.Env needs numpy: pip install numpy, or apt-get install python3-numpy") from missing
try:
    import gymnasium
    from gymnasium import Env as Base
    from gymnasium.spaces import Box, Discrete
except ImportError:
    gymnasium = None
    from .spaces import Box, Discrete
    from .spaces import Env as Base
from .policy import FIELDS, WANTS, Job, State, hello
from .run import Error, start

FEATURES = ("present", "width", "estimate", "price", "decay",  # the same as long as a job is there
            "fits", "free", "waited", "left", "served", "runs", "pool")
HOUR, BOUND = 3600.0, 10.0  # s; the bound is that of the bounded slowdown


def wait(job: Job) -> float:
    """Return how long a job that has ended did not run, s."""
    return job.ended - job.submit - job.served


def slowdown(job: Job) -> float:
    """Return the bounded slowdown of a job that has ended."""
    return max(1.0, (job.ended - job.submit) / max(job.served, BOUND))


REWARDS: dict[str, Callable[[list[Job]], float]] = {
    "wait": lambda jobs: -sum(map(wait, jobs)),
    "slowdown": lambda jobs: -sum(map(slowdown, jobs)),
}


class Env(Base):
    """Runs of revopt as episodes. docs/exec.md has features, actions and rewards.

    The observation has a row of FEATURES in [0, 1] for each of the first k waiting jobs and, with preempt, of as
    many running jobs. Action i starts or suspends the job of row i; the last action waits for the next event. The
    reward is "value", "wait", "slowdown" or a function of the list of jobs that have ended since the last step.
    With a window every episode has so many jobs in a row, drawn from a trace or from its jobs[0] to jobs[1] - 1,
    counted from 0. Other flags are those of revopt simulate.
    """

    def __init__(self, scenario: Any = "sp2-like", k: int = 16, reward: str | Callable[[list[Job]], float] = "value",
                 window: int | None = None, jobs: int | Sequence[int] | None = None, preempt: int = 0,
                 max_steps: int | None = None, **flags: Any):
        if reward != "value" and not callable(reward) and reward not in REWARDS:
            raise ValueError(f"expected the reward value, wait, slowdown or a function of jobs, got {reward!r}")
        if k < 1 or preempt < 0:
            raise ValueError(f"expected k from 1 on and preempt from 0 on, got k={k!r} and preempt={preempt!r}")
        if isinstance(jobs, (tuple, list)) and len(jobs) != 2:
            raise ValueError(f"expected jobs such as (0, 36000), got {jobs!r}")
        self.scenario, self.k, self.preempt, self.max_steps = scenario, k, preempt, max_steps
        self.reward, self._score = reward, REWARDS.get(reward, reward) if isinstance(reward, str) else reward
        changes = flags.pop("set", [])
        if isinstance(changes, dict):
            changes = [f"{path}={v}" for path, v in changes.items()]
        changes = [changes] if isinstance(changes, str) else [*changes]
        if window is not None:
            changes.append(f"trace.window={window}")
        if isinstance(jobs, (tuple, list)):
            changes.append(f"trace.jobs=index:{jobs[0]}:{jobs[1]}")
        elif jobs is not None:
            flags["jobs"] = jobs
        self.flags = {"exec_timeout": "24h", "policy": "exec:-", **flags, "set": changes}
        self.observation_space = Box(0, 1, (k + preempt, len(FEATURES)), np.float32)
        self.action_space = Discrete(k + preempt + 1)
        self._child = self._state = self._running_flags = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        """Begin a run with a seed drawn from np_random. Options are flags for this run alone:
        options={"seed": 7} is the run of revopt simulate --seed 7."""
        super().reset(seed=seed)
        episode = {"seed": int(self.np_random.integers(1, 2**31)), "replication": 0}
        flags = {**self.flags}
        for name, value in (options or {}).items():
            value = value.item() if isinstance(value, np.generic) else value
            (episode if name in episode else flags)[name] = value
        if self._child and self._running_flags != flags:
            self.close()
        self._end()
        if not self._child:
            self._open(flags)
        self._pools, self._state, self._steps, self._earned, self._now = {}, None, 0, 0.0, 0.0
        self._known, self._count = np.zeros((512, 8)), 0
        self._listen(json.dumps(episode).encode() + b"\n")
        return self._observation, self._info()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Act and return observation, reward, terminated, truncated, info."""
        state = self._state
        if state is None:
            raise RuntimeError("reset comes before step, also after the end of an episode")
        if not self.action_space.contains(action):
            raise ValueError(f"expected an action from 0 to {self.k + self.preempt}, got {action!r}")
        if action < self.k + self.preempt and self._mask[action]:
            if action < self.k:
                state.start(self._jobs[action])
            else:
                state.suspend(self._runs[action - self.k])
            if not self._look():
                self._listen(state.reply())
        else:
            if not state.running:  # perhaps nothing else will happen
                state.wake(state.now + HOUR)
            self._listen(state.reply())
        self._steps += 1
        reward, self._earned = float(self._earned), 0.0
        terminated = self._state is None
        truncated = not terminated and self.max_steps is not None and self._steps >= self.max_steps
        if truncated:
            self._end()
        return self._observation, reward, terminated, truncated, self._info()

    def action_masks(self) -> np.ndarray:
        """Return for each action whether it is possible."""
        return self._mask.astype(bool)

    def close(self) -> None:
        """End revopt."""
        child, self._child, self._state = self._child, None, None
        if child is not None:
            child.kill()
            child.communicate()
            self._folder.cleanup()

    def _open(self, flags: dict[str, Any]) -> None:
        """Start revopt, which reads its trace once for all episodes."""
        self._folder, scenario = tempfile.TemporaryDirectory(), self.scenario
        if isinstance(scenario, dict):
            scenario = os.path.join(self._folder.name, "scenario.yaml")
            with open(scenario, "w") as file:
                json.dump(self.scenario, file)
        self._child = start("simulate", scenario, {**flags, "episodes": True, "quiet": True})
        self._running_flags = flags
        self._read()  # it is ready

    def _end(self) -> None:
        """End the episode, if one is under way."""
        if self._state is not None:
            self._state = None
            if "episode" not in self._ask(b'{"end":true}\n'):
                raise RuntimeError("revopt did not end the episode")

    def _listen(self, reply: bytes) -> None:
        """Send a reply, and go on to the next choice, or to the end of the run."""
        while True:
            message = self._ask(reply)
            if "episode" in message:
                self._state = None
                self._look()
                return
            pool = message.get("pool")
            if "hello" in message:
                state = self._pools[pool] = State(message)
                names = message.get("pools", [pool])
                state.size, state.place = state.units, (names.index(pool) + 1) / len(names)
                reply = hello("Env", (*FIELDS, "submit"), (*WANTS, "value"))
                continue
            self._state = state = self._pools[pool]
            state.update(message)
            self._now = float(state.now)
            self._account(state)
            if self._look():
                return
            reply = state.reply()

    def _account(self, state: State) -> None:
        """Note the jobs that have arrived and ended."""
        for job in state.finished:
            job.ended, job.served = state.now, job.given + state.now - job.started - job.lost
            job.value = state.value.get(str(job.id), 0.0)
        if self.reward == "value":
            self._earned += sum(state.value.values())
        elif state.finished:
            self._earned += self._score(state.finished)
        if self._count + len(state.arrived) > len(self._known):
            self._known = np.concatenate([self._known, np.zeros((len(self._known) + len(state.arrived), 8))])
        for job in state.arrived:
            job.place, work = self._count, job.width * max(job.estimate, 1.0) / HOUR  # unit-hours
            amounts = job.estimate / HOUR, job.price / work, job.decay * HOUR / work
            self._known[self._count] = (1, job.width / state.size, *map(squash, amounts),
                                        job.width, job.submit, job.deadline)
            self._count += 1

    def _look(self) -> bool:
        """Observe if there is a choice or the run is over, and return whether there is a choice."""
        state, jobs, runs = self._state, [], []
        if state is not None:
            jobs = list(islice(state.queue.values(), self.k))
            if self.preempt and jobs and state.preempt:
                runs = list(islice(state.running.values(), self.preempt))
            if not runs and not any(job.width <= state.free for job in jobs):
                return False
        self._jobs, self._runs = jobs, runs
        self._observation = rows = np.zeros(self.observation_space.shape, np.float32)
        self._mask = mask = np.zeros(self.k + self.preempt + 1, np.int8)
        mask[-1] = 1
        if state is not None:
            self._fill(rows, jobs, state)
            mask[:len(jobs)] = rows[:len(jobs), 5]
        if runs:
            self._fill(rows[self.k:], runs, state)
            mask[self.k:self.k + len(runs)] = rows[self.k:self.k + len(runs), 10] = 1
        for act, first, listed in ("suspend", 0, jobs), ("start", self.k, runs):  # once at a time
            done = self.preempt and state is not None and state._acts.get(act)
            for i, job in enumerate(listed if done else ()):
                mask[first + i] &= job.id not in done
        return bool(mask[:-1].any())

    def _fill(self, rows: np.ndarray, jobs: list[Job], state: State) -> None:
        """Write the features of jobs."""
        n, now = len(jobs), state.now
        known = self._known[[job.place for job in jobs]]
        rows[:n, :5] = known[:, :5]
        rows[:n, 5] = known[:, 5] <= state.free
        rows[:n, 6] = state.free / state.size
        hours = np.maximum((known[:, 6:8] - now) * (-1 / HOUR, 1 / HOUR), 0)
        rows[:n, 7:9] = 1 - 1 / (1 + hours)
        if self.preempt:
            hours = np.array([state.served(job) for job in jobs]) / HOUR
            rows[:n, 9] = 1 - 1 / (1 + hours)
        rows[:n, 11] = state.place

    def _ask(self, reply: bytes) -> dict[str, Any]:
        """Send a reply, and return the message that follows."""
        try:
            self._child.stdin.write(reply)
            self._child.stdin.flush()
        except BrokenPipeError:
            pass  # _read says why
        return self._read()

    def _read(self) -> dict[str, Any]:
        line = self._child.stdout.readline()
        if line:
            return json.loads(line.decode())
        child, self._child, self._state = self._child, None, None
        reason = child.communicate()[1].decode().strip().rpartition("\n")[2]
        self._folder.cleanup()
        raise Error(reason or f"exit code {child.returncode}", child.returncode)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask, "jobs": [job.id for job in self._jobs], "now": self._now,
                "running": [job.id for job in self._runs], "pool": self._state and self._state.pool}


def squash(x: float) -> float:
    """Scale a number from [0, inf] to [0, 1]; negative ones are 0."""
    return 1 - 1 / (1 + x) if x > 0 else 0.0


if gymnasium:
    gymnasium.register("revopt/Scheduling-v0", entry_point="revopt.env:Env", kwargs={"window": 256})
