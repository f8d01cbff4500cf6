"""An agent that learns which job to start: a linear policy, trained by random search on directions.

Fixed before the first result. Training: windows of 256 generated jobs (sp2-like, customers with budgets and deadlines),
augmented random search (Mania et al. 2018) from weights of 0, that is, the first job that fits. Test: 40 windows of the
SDSC SP2 log, places 0 to 47,999, which neither the agent nor the generator has seen; without the log, 40 windows of
the generator. Measure: value delivered over the best proven bound of the window, mean over windows. The weights of the
last round count; the test chooses nothing. To train and draw: python3 learn.py [seed]
"""
import os
import sys

import numpy as np
import revopt
from curve import draw
from revopt.env import FEATURES

HERE = os.path.dirname(os.path.abspath(__file__))
LOG = os.path.join(HERE, "..", "..", "..", "shared", "traces", "SDSC-SP2-1998-4.2-cln.swf.gz")
RIVALS = ["fcfs", "sjf", "saf-bf", "value-bf"]
WINDOW, ROWS = 256, 64
ROUNDS, DIRECTIONS, WINDOWS = 20, 8, 4  # of training: windows are those of a round, for all directions
NOISE, RATE = 0.3, 0.2
FREE = FEATURES.index("free")


def play(env, weights, episode):
    """Return the value of an episode: start the fitting job with the highest score, or wait for a running job if the
    score is below 0."""
    observation, info = env.reset(options=episode)
    total, over = 0.0, False
    while not over:
        scores = np.where(info["action_mask"][:-1], observation @ weights, -np.inf)
        best = int(scores.argmax())
        idle = observation[0, FREE] == 1
        observation, reward, over, _, info = env.step(best if scores[best] >= 0 or idle else env.k)
        total += reward
    return total


def train(env, seed, rounds=ROUNDS):
    """Yield the weights before the first round and after each."""
    rng, weights = np.random.default_rng(seed), np.zeros(len(FEATURES))
    yield weights
    for number in range(rounds):
        episodes = [{"seed": seed, "replication": number * WINDOWS + i} for i in range(WINDOWS)]
        steps = rng.normal(size=(DIRECTIONS, len(weights)))
        values = np.array([[sum(play(env, weights + sign * NOISE * step, e) for e in episodes) for sign in (1, -1)]
                           for step in steps])
        slope = (values[:, 0] - values[:, 1]) @ steps / DIRECTIONS / (values.std() or 1)
        weights = weights + RATE * slope
        yield weights


def totals(cells, policy):
    """Return the value that a policy delivers in each replication, or that a bound allows, in $."""
    wanted = policy, "all", "value_total"
    return np.array([c["number"] for c in cells if (c["policy"], c["group"], c["column"]) == wanted])


def main(seed=1, rounds=ROUNDS, tests=40):
    log = os.path.exists(LOG)
    changes = {"trace.window": WINDOW}
    if log:
        changes |= {"trace.file": LOG, "trace.jobs": "index:0:48000"}
    flags = {"set": changes, "seed": 1001, "replications": tests, "quiet": True}
    results, cells = revopt.run("sp2-like", *RIVALS, command="validate", **flags)
    bound = totals(cells, "bound:clairvoyant")
    levels = {p["policy"]: p["share"] for p in results["tables"]["policies"]}
    print("% of the bound in the test:", ", ".join(f"{name} {100 * levels[name]:.2f}" for name in RIVALS))
    test = revopt.Env("sp2-like", k=ROWS, set=changes)
    curve = []
    with revopt.Env("sp2-like", k=ROWS, window=WINDOW) as env, test:
        for weights in train(env, seed, rounds):
            shares = [play(test, weights, {"seed": 1001, "replication": i}) / bound[i] for i in range(tests)]
            curve.append(float(np.mean(shares)))
            print(f"round {len(curve) - 1}: {100 * curve[-1]:.2f}", flush=True)
    paired = np.array(shares) - totals(cells, "value-bf") / bound
    print("weights:", *(f"{name}={w:.3f}" for name, w in zip(FEATURES, weights)))
    print(f"against value-bf: {100 * paired.mean():+.2f} ± {196 * paired.std(ddof=1) / tests**0.5:.2f} points (95 %)")
    order = {name: levels[name] for name in RIVALS}
    draw("learn.svg", curve, {**order, "bound": 1.0}, f"An agent that learned on generated jobs, on "
         f"{'the SDSC SP2 log' if log else 'other generated jobs'}", "value delivered, % of the bound", 100)
    return weights


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
