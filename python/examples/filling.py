"""ServerFilling-SRPT (Grosof et al. 2022), which suspends jobs: the schedule is that of docs/policy.c."""
from operator import attrgetter

import revopt

ORDER, WIDTH = attrgetter("size", "id"), attrgetter("width")


@revopt.policy(fields=["width", "estimate"])
def filling(state):
    """Run the jobs with the least work left that fill the machine, the widest first."""
    up = state.free
    for job in (*state.arrived, *state.stopped, *state.running.values()):  # that of others is as before
        job.size = job.width * state.remaining(job)
        up += job.width if job.id in state.running else 0
    first, filled = [], 0
    for job in sorted((*state.queue.values(), *state.running.values()), key=ORDER):
        if filled >= up:
            break
        first.append(job)
        filled += job.width
    chosen = {}
    for job in sorted(first, key=WIDTH, reverse=True):
        if job.width <= up:
            chosen[job.id] = job
            up -= job.width
    for job in [*state.running.values()]:
        if job.id not in chosen:
            state.suspend(job)
            job.size = job.width * state.remaining(job)  # with the cost
    return [job for job in chosen.values() if job.id in state.queue]

if __name__ == "__main__":
    filling.main()
