#!/usr/bin/env python3
"""Bounded slowdowns of the baselines of RLScheduler (Zhang et al., SC 2020), by its rules.

    python3 rlscheduler.py SDSC-SP2-1998-4.2-cln.swf[.gz]

Written from a reading of HPCSimPickJobs.py, compare-make-table.py and make_table_script.py of
github.com/DIR-LAB/deep-batch-scheduler; no code of theirs is here. Prints the indexes of the first jobs of
the ten windows, then a line per baseline: backfilling, name, result, and result if the wait is right.
"""
import gzip
import hashlib
import math
import random
import sys

SEED, LENGTH, WINDOWS, SLICE, NODES = 1, 1024, 10, 10000, 128


def windows():
    """The starts that gym's np_random(1) draws: a Mersenne twister, with rejection."""
    seed = int.from_bytes(hashlib.sha512(str(SEED).encode()).digest()[:8], "little")
    generator = random.Random(seed)
    most = SLICE - LENGTH - 1 - 1 - LENGTH
    mask = (1 << most.bit_length()) - 1
    starts = []
    while len(starts) < WINDOWS:
        x = generator.getrandbits(32) & mask
        if x <= most:
            starts.append(LENGTH + x)
    return starts


class Job:
    def __init__(self, fields):
        self.submit, self.run = int(fields[1]), int(fields[3])
        self.width = max(int(fields[4]), int(fields[7]))
        self.estimate = int(fields[8]) if int(fields[8]) != -1 else self.run
        if self.run < 0:
            self.run = 10
        self.start = -1


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        jobs = [Job(line.split()) for line in file if line.strip() and not line.startswith(";")]
    return [j for j in jobs if j.run > 0]


def orders(right):
    """The lowest comes first. The start of a job that waits is -1, so that the wait is -1 - submit if not right."""
    def wait(j, now):
        return now - j.submit if right else j.start - j.submit
    return {
        "FCFS": lambda j, now: j.submit,
        "WFP3": lambda j, now: -(wait(j, now) / j.estimate) ** 3 * j.width,
        "UNICEP": lambda j, now: -(wait(j, now) + 1e-15) / (math.log2(j.width + 1e-15) * j.estimate),
        "SJF": lambda j, now: (j.estimate, j.submit),
        "F1": lambda j, now: math.log10(max(j.estimate, 0.1)) * j.width + 870 * math.log10(max(j.submit, 0.1)),
    }


def simulate(jobs, order, backfill):
    """The mean bounded slowdown. The job that is first at one time stays first until it starts."""
    for j in jobs:
        j.start = -1
    free, running, queue, come, now = NODES, [], [jobs[0]], 1, jobs[0].submit

    def start(j):
        nonlocal free
        j.start, free = now, free - j.width
        running.append(j)
        queue.remove(j)

    def step():
        nonlocal free, come, now
        running.sort(key=lambda j: j.start + j.run)
        release = running[0].start + running[0].run if running else math.inf
        if come < len(jobs) and jobs[come].submit <= release:
            now = max(now, jobs[come].submit)
            queue.append(jobs[come])
            come += 1
        else:
            now, free = max(now, release), free + running.pop(0).width

    while queue:
        queue.sort(key=lambda j: order(j, now))
        first, reserved, units = queue[0], now, free
        for j in sorted(running, key=lambda j: j.start + j.estimate):
            if units >= first.width:
                break
            units, reserved = units + j.width, j.start + j.estimate
        while first.width > free:
            if backfill:
                queue.sort(key=lambda j: j.submit)
                for j in list(queue):
                    if now + j.estimate < reserved and j.width <= free:
                        start(j)
            step()
        start(first)
        while not queue and come < len(jobs):
            step()
    return sum(max(1, (j.start - j.submit + j.run) / max(j.run, 10)) for j in jobs) / len(jobs)


def main():
    jobs, starts = read(sys.argv[1]), windows()
    print(*starts)
    for backfill in (False, True):
        for name in orders(False):
            means = [sum(simulate(jobs[s:s + LENGTH], orders(right)[name], backfill) for s in starts) / WINDOWS
                     for right in (False, True)]
            print(int(backfill), name, *("%.2f" % x for x in means))


main()
