"""A linear order of the queue, trained by random search, against EASY on runs that it has not seen.

Fixed before the first result: 1,000 jobs of sp2-like (estimates are exact for both), value delivered
in $/s, training on seed 1, test on seed 1001. Weights of 0 are EASY. To train: python3 linear.py train
"""
import random
import sys
from math import log1p

import revopt
from curve import draw
from easy import backfill

FEATURES = ["estimate", "width", "price", "slack"]


class Linear(revopt.Policy):
    def decide(self, state):
        for job in state.arrived:
            job.slack = max(0, job.deadline - job.arrived - job.estimate)
            job.score = sum(float(state.options["of_" + name]) * log1p(getattr(job, name)) for name in FEATURES)
        backfill(state, sorted(state.queue.values(), key=lambda job: job.score))


def run(rows, **flags):
    """Run EASY, as the present, and a policy for each row of weights on the same jobs."""
    options = [":".join(f"of_{name}={w:.3f}" for name, w in zip(FEATURES, row)) for row in rows]
    policies = [f"exec:estimates=exact:{o}:{sys.executable} {__file__}" for o in options]
    flags = {"jobs": 1000, "set": {"policies": "[easy]"}, "quiet": True, **flags}
    return revopt.run("sp2-like", "easy", *policies, **flags)[0]["tables"]["policies"]


def train(rounds=10, steps=8):
    best, rng, curve = [0.0] * len(FEATURES), random.Random(1), []
    for _ in range(rounds):
        rows = [best] + [[w + rng.gauss(0, 0.3) for w in best] for _ in range(steps)]
        easy, *values = [p["value"] for p in run(rows, seed=1, replications=4)]
        value, best = max(zip(values, rows))
        curve.append(value)
    draw("linear.svg", [easy, *curve], {"easy": easy}, "A linear order of the queue, in training", "$/h delivered")
    row = run([best], seed=1001, replications=30)[1]
    print("weights:", *(f"{name}={w:.3f}" for name, w in zip(FEATURES, best)))
    half_width = (row["gain_high"] - row["gain_low"]) / 2
    print(f"seed 1001: {row['gain']:.0f} ± {half_width:.0f} $/h more than easy (paired, 95 %)")

if __name__ == "__main__":
    train() if "train" in sys.argv else Linear().main()
