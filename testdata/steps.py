#!/usr/bin/env python3
"""Compares every start in the log of a real Slurm with the start that a policy makes in the same state.

Usage: steps.py PROGRAM LOG UNITS POLICY... [--pool NAME=UNITS ...]

LOG is an output of sacct. Whole schedules diverge after the first difference, so each start is compared alone: the
jobs that ran and waited at that time become jobs of a trace, in which all such states stand one behind the other, far
apart, and PROGRAM simulates the trace. A start is allowed if the policy makes it at most two seconds later, from the
state at some whole second at most two seconds earlier. Ages and past usage of jobs are not in the states. For each
policy it prints a line: how many starts are allowed, how many there are, and the policy.
"""
import csv
import subprocess
import sys
import tempfile

WITHIN = 2  # seconds
APART = 10**6  # seconds from one state to the next


def read_trace(path):
    """Returns the lines of names in the header, and the jobs."""
    names, jobs = [], []
    for line in open(path):
        if line.startswith(';'):
            if line.split()[1] in ('Account:', 'Partition:', 'Queue:', 'User:', 'Unit:'):
                names.append(line)
            continue
        f = [int(float(x)) for x in line.split()]
        begins = f[1] + f[2]
        ran = f[3] >= 0
        jobs.append({'submit': f[1], 'start': begins if ran else None, 'end': begins + max(f[3], 0),
                     'width': f[4] if f[4] > 0 else f[7], 'limit': f[8] if f[8] > 0 else 10**7, 'owner': f[11:16]})
    return names, jobs


def state(jobs, job, at):
    """Returns the jobs of a state at a time, as (submission from the time on, run time, limit, job)."""
    rows = []
    for j in jobs:
        if j['end'] <= at and j is not job:
            continue
        if j['start'] is not None and j['start'] < at:
            rows.append((-1, j['end'] - at + 1, max(j['limit'] - (at - j['start']), 1) + 1, j))
        elif j['submit'] <= job['start'] + WITHIN:
            run = 0 if j['start'] is None else j['end'] - j['start']
            rows.append((max(j['submit'] - at, 0), run, j['limit'], j))
    return sorted(rows, key=lambda row: row[0])  # a stable order: jobs stay in order of submission


def write_states(path, names, units, jobs):
    """Writes the trace, and returns for each start the numbers of its jobs with the longest wait that is allowed."""
    tries, number, base = [], 0, 0
    with open(path, 'w') as out:
        out.write('; UnixStartTime: 0\n; TimeZone: 0\n; MaxProcs: %d\n' % units + ''.join(names))
        for job in jobs:
            if job['start'] is None:
                continue
            own = []
            for at in range(max(job['start'] - WITHIN, job['submit']), job['start'] + 1):
                base += APART
                for submit, run, limit, j in state(jobs, job, at):
                    user, group, account, queue, partition = j['owner']
                    out.write(f'{number + 1} {base + submit} -1 {run} {j["width"]} -1 -1 {j["width"]} {limit} -1 1 '
                              f'{user} {group} {account} {queue} {partition} -1 -1\n')
                    if j is job:
                        own.append((str(number), job['start'] - at + WITHIN - submit))
                    number += 1
            tries.append(own)
    return tries


def main():
    words = sys.argv[1:]
    pools = []
    while '--pool' in words:
        i = words.index('--pool')
        pools.append(words[i + 1].split('='))
        del words[i:i + 2]
    program, log, units, policies = words[0], words[1], int(words[2]), words[3:]
    with tempfile.TemporaryDirectory() as tmp:
        imported = tmp + '/log.swf'
        subprocess.run([program, 'trace', 'import', log, '--since', 'eligible', '--nodes', str(units), '-o', imported,
                        '--quiet'], check=True, stdout=subprocess.DEVNULL)
        names, jobs = read_trace(imported)
        tries = write_states(tmp + '/states.swf', names, units, jobs)
        with open(tmp + '/states.yaml', 'w') as out:
            out.write('trace: {file: states.swf, cleaning: keep}\n')
            if pools:
                out.write('pools:\n')
            for name, size in pools:
                out.write(f'  - {{name: {name}, units: {size}, of: {{partition: [{name}]}}}}\n')
        for policy in policies:
            records = tmp + '/records.csv'
            subprocess.run([program, 'simulate', tmp + '/states.yaml', '--policy', policy, '--records', records,
                            '--quiet'], check=True, stdout=subprocess.DEVNULL)
            with open(records) as file:
                waits = {r['job']: r['wait'] for r in csv.DictReader(x for x in file if not x.startswith('#'))}
            allowed = sum(any(waits[n] and float(waits[n]) <= longest for n, longest in own) for own in tries)
            print(allowed, len(tries), policy)


if __name__ == '__main__':
    main()
