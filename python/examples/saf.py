"""Smallest area (estimate x width) first, with EASY backfilling in the same order."""
import revopt
from easy import backfill


@revopt.policy(fields=["width", "estimate"])
def saf(state):
    backfill(state, sorted(state.queue.values(), key=lambda job: job.estimate * job.width))

if __name__ == "__main__":
    saf.main()
