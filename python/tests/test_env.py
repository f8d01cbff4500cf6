"""The rules of Gymnasium's documented interface, and what an episode must add up to."""
import inspect
import os
import resource
import sys
import tempfile
import unittest
from copy import deepcopy

import revopt

try:
    import numpy as np
except ImportError:
    raise unittest.SkipTest("numpy is not installed: Env needs it")
from revopt import spaces
from revopt.env import FEATURES

try:
    import gymnasium
except ImportError:
    gymnasium = None

SCENARIO = "sp2-like"
HERE = os.path.dirname(os.path.abspath(__file__))
SP2 = os.path.join(HERE, "..", "..", "..", "shared", "traces", "SDSC-SP2-1998-4.2-cln.swf.gz")


def play(env, choose, **reset):
    """Play an episode and return observations, rewards and the last flags."""
    observation, info = env.reset(**reset)
    seen, rewards, terminated, truncated = [observation], [], False, False
    while not (terminated or truncated):
        observation, reward, terminated, truncated, info = env.step(choose(env, info))
        seen.append(observation)
        rewards.append(reward)
    return seen, rewards, terminated, truncated


def head(env, info):
    """First come, first served: start the head of the queue or wait."""
    return 0 if info["action_mask"][0] else env.k


def anything(env, info):
    return env.action_space.sample(info["action_mask"])


class EnvTest(unittest.TestCase):
    def make(self, **settings):
        env = revopt.Env(**{"scenario": SCENARIO, "k": 5, "jobs": 60, **settings})
        self.addCleanup(env.close)
        return env

    def check(self, env, observation, info):
        space = env.observation_space
        self.assertIsInstance(observation, np.ndarray)
        self.assertEqual((observation.shape, observation.dtype), (space.shape, space.dtype))
        self.assertIn(observation, space)
        self.assertIsInstance(info, dict)
        mask = info["action_mask"]
        self.assertEqual((mask.shape, mask.dtype), ((env.k + 1,), np.int8))
        self.assertTrue(np.array_equal(mask.astype(bool), env.action_masks()))
        self.assertEqual(mask[env.k], 1)

    def test_base(self):
        env = self.make()
        if gymnasium:
            self.assertIsInstance(env, gymnasium.Env)
        self.assertIs(env.unwrapped, env)
        self.assertIsNone(env.spec)
        self.assertFalse(hasattr(env, "seed"))  # dropped in favor of reset(seed=)

    def test_spaces(self):
        env = self.make()
        box, discrete = env.observation_space, env.action_space
        self.assertEqual(box.shape, (5, len(FEATURES)))
        self.assertTrue(np.all(box.low < box.high) and np.all(np.isfinite([box.low, box.high])))
        self.assertEqual((box.low.shape, box.high.shape), (box.shape, box.shape))
        self.assertEqual((discrete.shape, discrete.n), ((), 6))
        for space in box, discrete:
            space.seed(3)
            first = [space.sample() for _ in range(20)]
            space.seed(3)
            for x in first:
                self.assertIn(x, space)
                self.assertTrue(np.array_equal(x, space.sample()))

    def test_stand_ins(self):
        box, discrete = spaces.Box(0, 1, (2, 3)), spaces.Discrete(4)
        for x, inside in [
            (np.zeros((2, 3), np.float32), True), (np.full((2, 3), 1.5, np.float32), False),
            (np.full((2, 3), np.nan, np.float32), False), (np.zeros((3, 2), np.float32), False),
            (np.zeros((2, 3), np.float64), False), ([[0, 0, 0], [0, 0, 0]], False),
        ]:
            self.assertEqual(x in box, inside, x)
        for x, inside in [(0, True), (3, True), (4, False), (-1, False), (1.0, False), (np.int32(2), True),
                          (np.array(1), True), (np.array([1]), False), ("1", False)]:
            self.assertEqual(x in discrete, inside, x)
        mask = np.array([0, 1, 0, 1], np.int8)
        self.assertEqual({int(discrete.sample(mask)) for _ in range(50)}, {1, 3})
        self.assertEqual(discrete.sample(np.zeros(4, np.int8)), 0)
        base = spaces.Env()
        self.assertEqual(base.np_random_seed, base.np_random_seed)
        for seed in -1, "1", 1.5:
            with self.assertRaises((ValueError, TypeError)):
                base.reset(seed=seed)

    def test_reset(self):
        env = self.make()
        parameters = inspect.signature(env.reset).parameters
        self.assertEqual(list(parameters), ["seed", "options"])
        for p in parameters.values():
            self.assertEqual((p.default, p.kind), (None, inspect.Parameter.KEYWORD_ONLY))
        for arguments in {}, {"options": {}}, {"seed": 1}, {"options": {"jobs": 30}}:
            result = env.reset(**arguments)
            self.assertIsInstance(result, tuple)
            self.assertEqual(len(result), 2)
            self.check(env, *result)

    def test_seeding(self):
        env = self.make()
        one, _ = env.reset(seed=123)
        state = deepcopy(env.np_random.bit_generator.state)
        self.assertEqual(env.np_random_seed, 123)
        next_one, _ = env.reset()  # goes on with the generator, does not restart it
        self.assertNotEqual(env.np_random.bit_generator.state, state)
        two, _ = env.reset(seed=123)
        self.assertEqual(env.np_random.bit_generator.state, state)
        next_two, _ = env.reset()
        self.assertTrue(np.array_equal(one, two) and np.array_equal(next_one, next_two))
        self.assertFalse(np.array_equal(one, next_one))
        other, _ = env.reset(seed=456)
        self.assertNotEqual(env.np_random.bit_generator.state, state)
        self.assertFalse(np.array_equal(one, other))

    def test_step(self):
        env = self.make()
        env.action_space.seed(1)
        env.reset(seed=1)
        for _ in range(200):
            result = env.step(env.action_space.sample())  # any action, possible or not
            self.assertIsInstance(result, tuple)
            observation, reward, terminated, truncated, info = result
            self.check(env, observation, info)
            self.assertTrue(np.issubdtype(type(reward), np.floating) and np.isfinite(reward), type(reward))
            self.assertIs(type(terminated), bool)
            self.assertIs(type(truncated), bool)
            if terminated or truncated:
                env.reset()
        for action in -1, 6, 0.5, "0", None:
            with self.assertRaises(ValueError):
                env.step(action)

    def test_deterministic(self):
        runs = []
        for _ in range(2):
            env = self.make(reward="slowdown")
            env.action_space.seed(9)
            runs.append(play(env, anything, seed=5))
        self.assertEqual(runs[0][1:], runs[1][1:])
        self.assertTrue(np.array_equal(runs[0][0], runs[1][0]))

    def test_mask(self):
        env = self.make()
        _, info = env.reset(seed=2)
        for _ in range(100):
            possible = np.flatnonzero(info["action_mask"])
            self.assertGreater(len(possible), 1)  # it is asked only when there is a choice
            job, now = info["jobs"][possible[0]], info["now"]
            _, _, terminated, _, info = env.step(int(possible[0]))
            self.assertNotIn(job, info["jobs"])
            self.assertGreaterEqual(info["now"], now)
            if terminated:
                break
        self.assertEqual(info["jobs"], [])
        self.assertEqual(list(info["action_mask"]), [0, 0, 0, 0, 0, 1])

    def test_features(self):
        """The features of two jobs on a machine of 8 units, by hand: docs/exec.md has the formulas."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "log.swf")
            with open(path, "w") as file:
                file.write("; MaxProcs: 8\n")
                for submit, run, width, estimate in (0, 5400, 6, 7200), (1800, 60, 4, 1800), (3600, 60, 2, 3600):
                    file.write(f"1 {submit} 0 {run} {width} -1 -1 {width} {estimate} -1 1 1 1 1 1 1 -1 -1\n")
            customers = [{"name": "a", "price": 24, "decay": 0.01, "deadline": 10800}]
            env = self.make(scenario={"trace": {"file": path}, "classes": customers}, jobs=None)
            first, _ = env.reset(seed=1)
            second, _, _, _, info = env.step(0)  # job 2 does not fit, job 3 does
        self.assertEqual(info["now"], 3600)
        wanted = [
            {"present": 1, "width": 6 / 8, "estimate": 2 / 3, "price": 2 / 3, "decay": 3 / 4, "fits": 1, "free": 1,
             "waited": 0, "left": 3 / 4, "pool": 1},
            {"present": 1, "width": 4 / 8, "estimate": 1 / 3, "price": 12 / 13, "decay": 18 / 19, "fits": 0,
             "free": 2 / 8, "waited": 1 / 3, "left": 2.5 / 3.5, "pool": 1},
            {"present": 1, "width": 2 / 8, "estimate": 1 / 2, "price": 12 / 13, "decay": 18 / 19, "fits": 1,
             "free": 2 / 8, "waited": 0, "left": 3 / 4, "pool": 1}]
        for row, want in zip([first[0], second[0], second[1]], wanted):
            for name, value in zip(FEATURES, row):
                self.assertAlmostEqual(float(value), want.get(name, 0), places=6, msg=name)
        self.assertFalse(first[1:].any() or second[2:].any())

    def test_impossible_action_waits(self):
        taken = []
        for action in 5, 4:  # to wait, and a row without a job
            env = self.make()
            _, info = env.reset(seed=2)
            self.assertLess(len(info["jobs"]), 5)
            taken.append(env.step(action)[4]["now"])
        self.assertEqual(*taken)

    def test_ends(self):
        env = self.make()
        with self.assertRaises(RuntimeError):
            env.step(0)
        seen, rewards, terminated, truncated = play(env, head, seed=1)
        self.assertEqual((terminated, truncated), (True, False))
        self.assertIn(seen[-1], env.observation_space)
        with self.assertRaises(RuntimeError):
            env.step(0)
        env = self.make(max_steps=7)
        seen, rewards, terminated, truncated = play(env, head, seed=1)
        self.assertEqual((terminated, truncated, len(rewards)), (False, True, 7))
        with self.assertRaises(RuntimeError):
            env.step(0)
        self.check(env, *env.reset())

    def test_render(self):
        env = self.make()
        self.assertEqual(env.metadata["render_modes"], [])  # no mode, so that render does nothing
        self.assertIsNone(env.render_mode)
        with self.assertRaises(NotImplementedError):
            env.render()
        with self.assertRaises(ValueError):
            self.make(reward="money")

    def test_close(self):
        env = self.make()
        env.close()
        with env:
            env.reset(seed=1)
            child = env._child
            self.assertIsNone(child.poll())
        self.assertIsNotNone(child.returncode)
        env.close()
        with self.assertRaises(RuntimeError):
            env.step(0)

    def test_error(self):
        env = revopt.Env("no-such-scenario")
        with self.assertRaisesRegex(revopt.Error, "no-such-scenario") as raised:
            env.reset(seed=1)
        self.assertEqual(raised.exception.code, 2)
        for wrong in {"k": 0}, {"preempt": -1}, {"jobs": (5,)}, {"jobs": (0, 10, 20)}:
            with self.assertRaisesRegex(ValueError, "expected .*" + next(iter(wrong))):
                revopt.Env(SCENARIO, **wrong)

    def test_rewards_add_up(self):
        """First come, first served in the environment is the policy fcfs, and brings its value."""
        jobs, seed = 150, 7
        fcfs = revopt.run(SCENARIO, "fcfs", jobs=jobs, seed=seed, replications=1, quiet=True)[0]["tables"]["policies"][0]
        options = {"seed": seed, "jobs": jobs}
        _, rewards, _, _ = play(self.make(k=1), head, options=options)
        self.assertAlmostEqual(sum(rewards) / fcfs["value_total"], 1, places=9)
        for reward, measure in [("slowdown", "slowdown"), ("wait", "mean_wait"),
                                (lambda ended: sum(job.submit - job.started for job in ended), "mean_wait")]:
            _, rewards, _, _ = play(self.make(k=1, reward=reward), head, options=options)
            self.assertAlmostEqual(-sum(rewards) / (jobs * fcfs[measure]), 1, places=9)

    def test_windows(self):
        """An episode is a window of simulate, by its seed, and lies in the range of the jobs."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "log.swf")
            with open(path, "w") as file:  # the estimate of a job is its place in the file and 100 s
                file.write("; MaxProcs: 8\n")
                for i in range(200):
                    file.write(f"{i} {60 * i} 0 {50 + i} 2 -1 -1 2 {100 + i} -1 1 {i} 1 1 1 1 -1 -1\n")
            scenario = {"trace": {"file": path}}
            places = set()
            for seed in range(1, 6):
                env = self.make(scenario=scenario, reward="wait", jobs=(50, 150), window=20)
                observations, rewards, _, _ = play(env, head, options={"seed": seed})
                same, again, _, _ = play(env, head, options={"seed": np.int64(seed)})
                self.assertTrue(np.array_equal(observations, same) and rewards == again)
                seen = [float(o[0, FEATURES.index("estimate")]) for o in observations if o[0, 0]]
                places.update(round(3600 * x / (1 - x)) - 100 for x in seen)
                changes = {"trace.jobs": "index:50:150", "trace.window": 20}
                fcfs = revopt.run(scenario, "fcfs", set=changes, seed=seed, replications=1, quiet=True)[0]
                self.assertAlmostEqual(-sum(rewards), 20 * fcfs["tables"]["policies"][0]["mean_wait"], places=6)
            self.assertGreater(len(places), 40)
            self.assertTrue(50 <= min(places) and max(places) < 150, places)
            env = self.make(scenario=scenario, window=201)
            with self.assertRaisesRegex(revopt.Error, "window"):
                env.reset(seed=1)

    def test_preempt(self):
        """An agent that suspends jobs: server-filling-srpt in the environment is the policy of that name."""
        def filling(env, info):
            state = env._state
            jobs = sorted([*state.queue.values(), *state.running.values()],
                          key=lambda job: (job.width * state.remaining(job), job.id))
            up, filled, first, chosen = 128, 0, [], set()
            for job in jobs:
                if filled < up:
                    first.append(job)
                    filled += job.width
            for job in sorted(first, key=lambda job: -job.width):
                if job.width <= up:
                    chosen.add(job.id)
                    up -= job.width
            mask = info["action_mask"]
            for i, number in enumerate(info["running"]):
                if number not in chosen:
                    self.assertTrue(mask[env.k + i])
                    return env.k + i
            for i, number in enumerate(info["jobs"]):
                if number in chosen:
                    self.assertTrue(mask[i])
                    return i
            return env.k + env.preempt

        flags = {"jobs": 100, "policy": "exec:estimates=exact:-"}
        results = revopt.run(SCENARIO, "server-filling-srpt", jobs=100, seed=4, replications=1, quiet=True)[0]
        own = results["tables"]["policies"][0]
        for reward, measure in [("slowdown", "slowdown"), ("value", "value_total"), (
                lambda ended: -sum(job.ended - job.submit for job in ended), "mean_response_time")]:
            env = self.make(k=100, preempt=100, reward=reward, **flags)
            seen, rewards, _, _ = play(env, filling, options={"seed": 4})
            mean = sum(rewards) if reward == "value" else -sum(rewards) / 100
            self.assertAlmostEqual(mean / own[measure], 1, places=6, msg=measure)
        served, runs = FEATURES.index("served"), FEATURES.index("runs")
        self.assertTrue(any(o[:100, served].any() for o in seen))  # jobs wait again
        self.assertTrue(any(o[100:, runs].any() for o in seen) and not any(o[:100, runs].any() for o in seen))
        env = self.make(preempt=3)
        env.action_space.seed(1)
        env.reset(seed=1)
        for _ in range(300):  # any action
            observation, _, terminated, _, info = env.step(env.action_space.sample())
            self.assertIn(observation, env.observation_space)
            if terminated:
                env.reset()

    def test_pools(self):
        """Pools ask in turn, and first come, first served in each brings the waits of fcfs."""
        scenario = {"pools": [{"name": name, "units": 4, "unit": "core"} for name in ("x", "y")], "classes": [
            {"name": name, "pool": name, "rate": 0.4, "width": 1, "length": {"mean": 8, "sd": 2}, "price": 1,
             "decay": 0} for name in ("x", "y")]}
        env, pools = self.make(scenario=scenario, reward="wait", warmup="0%"), set()

        def choose(env, info):
            pools.add(info["pool"])
            return head(env, info)

        _, rewards, _, _ = play(env, choose, options={"seed": 3})
        self.assertEqual(pools, {"x", "y"})
        fcfs = revopt.run(scenario, "fcfs", jobs=60, warmup="0%", seed=3, replications=1, quiet=True)[0]
        self.assertAlmostEqual(-sum(rewards) / 60 / fcfs["tables"]["policies"][0]["mean_wait"], 1, places=6)

    @unittest.skipUnless(os.path.exists(SP2), "the SP2 trace is not at ../shared/traces")
    def test_speed(self):
        """Steps per second of processor time, with the start of revopt and all resets."""
        def used():
            times = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
            return sum(t.ru_utime + t.ru_stime for t in times)

        before, steps = used(), 0
        with self.make(scenario={"trace": {"file": SP2}}, k=128, jobs=None, window=256, reward="slowdown") as env:
            for seed in range(20):
                steps += len(play(env, anything, seed=seed)[1])
        speed = steps / (used() - before)
        print(f"Env: {steps} steps, {speed:.0f} per second of processor time", file=sys.stderr)
        self.assertGreater(speed, 2000)

    @unittest.skipUnless(gymnasium, "gymnasium is not installed")
    def test_check_env(self):
        from gymnasium.utils.env_checker import check_env

        check_env(self.make())
        check_env(self.make(preempt=3, reward="wait", window=40, jobs=None))
        made = gymnasium.make("revopt.env:revopt/Scheduling-v0", k=5)
        self.addCleanup(made.close)
        check_env(made.unwrapped)

    @unittest.skipUnless(gymnasium, "gymnasium is not installed")
    def test_vector(self):
        """Environments of a vector give what they give alone, also after the end of an episode."""
        from gymnasium.vector import SyncVectorEnv

        makers = [lambda: gymnasium.make("revopt/Scheduling-v0", k=5, window=30)] * 3
        both = SyncVectorEnv(makers)
        self.addCleanup(both.close)
        alone = [self.make(jobs=None, window=30) for _ in makers]
        observations, infos = both.reset(seed=7)
        for i, env in enumerate(alone):
            self.assertTrue(np.array_equal(env.reset(seed=7 + i)[0], observations[i]))
        over, ends = [False] * len(alone), 0
        for _ in range(200):
            actions = [int(np.argmax(mask)) for mask in infos["action_mask"]]
            observations, rewards, terminated, truncated, infos = both.step(np.array(actions))
            for i, env in enumerate(alone):
                if over[i]:
                    observation, over[i] = env.reset()[0], False
                else:
                    observation, reward, over[i], _, _ = env.step(actions[i])
                    self.assertAlmostEqual(reward, rewards[i], delta=1e-6 * abs(reward))
                    ends += over[i]
                self.assertTrue(np.array_equal(observation, observations[i]))
                self.assertEqual(over[i], terminated[i])
        self.assertGreater(ends, 6)


if __name__ == "__main__":
    unittest.main()
