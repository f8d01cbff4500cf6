"""Smallest area first; an eighth of the units is held for jobs with estimates up to an hour."""
import revopt

SHORT = 3600  # s


@revopt.policy(fields=["width", "estimate"])
def hold(state):
    """Start what fits. A job that is wider than seven eighths of the units may use them all."""
    held = state.units // 8
    for job in sorted(state.queue.values(), key=lambda job: (job.estimate * job.width, job.id)):
        all_units = job.estimate <= SHORT or job.width > state.units - held
        if job.width <= state.free - (0 if all_units else held):
            state.start(job)

if __name__ == "__main__":
    hold.main()
