"""An environment for reinforcement learning, with the interface of Gymnasium 1.0."""
from __future__ import annotations

import json
import os
import tempfile
from itertools import islice
from typing import Any

try:
    import numpy as np
except ImportError as missing:
    raise ImportError("revopt.Env needs numpy: pip install numpy, or apt-get install python3-numpy") from missing
try:
    from gymnasium import Env as Base
    from gymnasium.spaces import Box, Discrete
except ImportError:
    from .spaces import Box, Discrete
    from .spaces import Env as Base
from .policy import FIELDS, WANTS, State, hello
from .run import Error, start

FEATURES = ("present", "width", "free", "estimate", "waited", "price", "decay", "left")
HOUR, BOUND = 3600.0, 10.0  # s; the bound is that of the bounded slowdown


class Env(Base):
    """One run of revopt as an episode.

    The observation has a row for each of the first k waiting jobs with FEATURES in [0, 1], 0
    without a job. Action i < k starts the job of row i, or waits if there is none or it does not
    fit. Action k waits for the next event, if nothing runs for an hour at most. The agent is
    asked only when one of the k jobs fits. The reward is the value in $ of jobs that have ended
    since the last step ("value"), or minus the sum of their bounded slowdowns ("slowdown"). An
    episode terminates after the last job and is truncated after max_steps. Flags are those of
    revopt simulate.
    """

    def __init__(self, scenario: Any, k: int = 16, reward: str = "value", max_steps: int | None = None,
                 **flags: Any):
        if reward not in ("value", "slowdown"):
            raise ValueError(f"expected the reward value or slowdown, got {reward!r}")
        self.scenario, self.k, self.reward, self.max_steps, self.flags = scenario, k, reward, max_steps, flags
        self.observation_space = Box(0, 1, (k, len(FEATURES)), np.float32)
        self.action_space = Discrete(k + 1)
        self._child = self._state = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        """Begin a run with a seed drawn from np_random. Options are flags for this run alone:
        options={"seed": 7} is the run of revopt simulate --seed 7."""
        super().reset(seed=seed)
        self.close()
        self._folder = tempfile.TemporaryDirectory()
        flags = {"seed": int(self.np_random.integers(1, 2**31)), "exec_timeout": "24h", "policy": "exec:-",
                 "save": os.path.join(self._folder.name, "saved"), **self.flags, **(options or {})}
        flags.update(replications=1, quiet=True)
        self._child = start("simulate", self.scenario, flags)
        self._state, self._steps, self._earned = State(self._read()), 0, 0.0
        self._units = self._state.units
        self._tell(hello("Env", FIELDS, (*WANTS, "value")))
        self._advance()
        return self._observe(), self._info()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Start a job or wait, and return observation, reward, terminated, truncated, info."""
        if self._child is None:
            raise RuntimeError("reset comes before step, also after the end of an episode")
        if not self.action_space.contains(action):
            raise ValueError(f"expected an action from 0 to {self.k}, got {action!r}")
        if action < self.k and self.action_masks()[action]:
            self._state.start(self._jobs[action])
        else:
            if not self._state.running:  # perhaps nothing else will happen
                self._state.wake(self._state.now + HOUR)
            self._tell(self._state.reply())
        self._advance()
        self._steps += 1
        reward, self._earned = self._earned, 0.0
        terminated = self._child is None
        truncated = not terminated and self.max_steps is not None and self._steps >= self.max_steps
        if truncated:
            self.close()
        return self._observe(), reward, terminated, truncated, self._info()

    def action_masks(self) -> np.ndarray:
        """Return for each action whether it is possible."""
        fits = [job.width <= self._state.free for job in self._jobs]
        return np.array(fits + [False] * (self.k - len(fits)) + [True])

    def close(self) -> None:
        """End the run."""
        if self._child is not None:
            child, self._child = self._child, None
            child.kill()
            child.communicate()
            self._folder.cleanup()

    def _advance(self) -> None:
        """Go on to the next choice, or to the end of the run."""
        while True:
            self._jobs = list(islice(self._state.queue.values(), self.k)) if self._child else []
            if not self._child or any(job.width <= self._state.free for job in self._jobs):
                return
            self._tell(self._state.reply())

    def _tell(self, reply: bytes) -> None:
        """Send a reply, and apply the message that follows."""
        try:
            self._child.stdin.write(reply)
            self._child.stdin.flush()
        except BrokenPipeError:
            pass  # the read below says why
        message, state = self._read(), self._state
        if self._child is None:
            return
        state.update(message)
        if self.reward == "value":
            self._earned += sum(state.value.values())
            return
        for job in state.finished:
            self._earned -= max(1.0, (state.now - job.arrived) / max(state.now - job.started, BOUND))

    def _read(self) -> dict[str, Any]:
        """Read a message. After the last one, wait for the end of revopt."""
        line = self._child.stdout.readline().decode()
        message = json.loads(line or '{"bye": 1}')
        if "bye" in message:
            child, self._child = self._child, None
            reason = child.communicate()[1].decode().strip().rpartition("\n")[2]
            self._folder.cleanup()
            if child.returncode != 0 or not line:
                raise Error(reason or f"exit code {child.returncode}", child.returncode)
        return message

    def _info(self) -> dict[str, Any]:
        mask = self.action_masks().astype(np.int8)
        return {"action_mask": mask, "jobs": [job.id for job in self._jobs], "now": float(self._state.now)}

    def _observe(self) -> np.ndarray:
        s = self._state
        rows = np.zeros(self.observation_space.shape, np.float32)
        for row, job in zip(rows, self._jobs):
            work = job.width * max(job.estimate, 1.0) / HOUR  # unit-hours
            numbers = (job.estimate / HOUR, (s.now - job.arrived) / HOUR, job.price / work,
                       job.decay * HOUR / work, (job.deadline - s.now) / HOUR)
            row[:3] = 1, job.width / self._units, s.free / self._units
            row[3:] = [1 - 1 / (1 + x) if x > 0 else 0 for x in numbers]
        return rows
