"""EASY backfilling (Lifka 1995): the schedule is that of revopt's own policy easy."""
import revopt

HAIR = 1 + 1e-14  # times that differ by less are equal

def backfill(state, waiting):
    """Start jobs in order while they fit, then others that do not delay the first one left."""
    while waiting and waiting[0].width <= state.free:
        state.start(waiting.pop(0))
    if not waiting or state.free == 0:
        return
    head, free, shadow = waiting[0], state.free, state.now  # the head starts at the shadow time
    for job in sorted(state.running.values(), key=lambda job: job.end):
        if free >= head.width and job.end > shadow * HAIR:
            break
        free, shadow = free + job.width, max(shadow, job.end)
    extra = free - head.width  # units that the head leaves over at the shadow time
    for job in waiting[1:]:
        ends = state.now + job.estimate <= shadow * HAIR
        if job.width <= state.free and (ends or job.width <= extra):
            extra -= 0 if ends else job.width
            state.start(job)


@revopt.policy(fields=["width", "estimate"])
def easy(state):
    backfill(state, list(state.queue.values()))

if __name__ == "__main__":
    easy.main()
