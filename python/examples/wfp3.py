"""WFP3 (Tang et al. 2009): the largest (wait / estimate)^3 x width first, with EASY backfilling."""
import revopt
from easy import backfill


@revopt.policy(fields=["width", "estimate"])
def wfp3(state):
    def score(job):
        x = (state.now - job.arrived) / job.estimate
        return -x * x * x * job.width

    backfill(state, sorted(state.queue.values(), key=score))

if __name__ == "__main__":
    wfp3.main()
