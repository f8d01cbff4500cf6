"""ServerFilling-SRPT (Grosof et al. 2022), which suspends jobs: the schedule is that of revopt's own policy."""
import revopt


@revopt.policy(fields=["width", "estimate"])
def filling(state):
    """Run the jobs with the least work left that fill the machine, the widest first."""
    jobs = [*state.queue.values(), *state.running.values()]
    jobs.sort(key=lambda job: (job.width * state.remaining(job), job.id))
    up = state.free + sum(job.width for job in state.running.values())
    first, filled = [], 0
    for job in jobs:
        if filled >= up:
            break
        first.append(job)
        filled += job.width
    chosen = []
    for job in sorted(first, key=lambda job: -job.width):
        if job.width <= up:
            chosen.append(job.id)
            up -= job.width
    for number in [*state.running]:
        if number not in chosen:
            state.suspend(number)
    return [number for number in chosen if number in state.queue]

if __name__ == "__main__":
    filling.main()
