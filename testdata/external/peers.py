"""Processor time per job of revopt and of its peers, where they are installed.

usage: python3 testdata/external/peers.py bin/revopt [jobs]

Two questions are put to each: a queue with ten servers at load 0.9 (simpy, Ciw, a
plain loop in Python), and EASY backfilling of generated jobs on 128 nodes (PySS,
Batsim with batsched, Alea). The latter need commands, in which {trace} stands for
an SWF file: PYSS, BATSIM and ALEA in the environment. What is not there is skipped.
"""

import heapq, importlib.util, os, random, resource, shlex, subprocess, sys, tempfile, time

LOAD, SERVERS = 0.9, 10


def loop(jobs):
    """The queue in the plainest Python."""
    rnd = random.Random(1)
    free, now, wait = [0.0] * SERVERS, 0.0, 0.0
    for _ in range(jobs):
        now += rnd.expovariate(LOAD * SERVERS)
        start = max(now, free[0])
        heapq.heapreplace(free, start + rnd.expovariate(1))
        wait += start - now
    return wait / jobs


def simpy(jobs):
    import simpy

    rnd, waits = random.Random(1), []
    env = simpy.Environment()
    servers = simpy.Resource(env, SERVERS)

    def job():
        came = env.now
        with servers.request() as turn:
            yield turn
            waits.append(env.now - came)
            yield env.timeout(rnd.expovariate(1))

    def arrivals():
        for _ in range(jobs):
            yield env.timeout(rnd.expovariate(LOAD * SERVERS))
            env.process(job())

    env.process(arrivals())
    env.run()
    return sum(waits) / jobs


def ciw(jobs):
    import ciw

    ciw.seed(1)
    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Exponential(rate=LOAD * SERVERS)],
        service_distributions=[ciw.dists.Exponential(rate=1)],
        number_of_servers=[SERVERS],
    )
    simulation = ciw.Simulation(network)
    simulation.simulate_until_max_customers(jobs)
    records = simulation.get_all_records()
    return sum(r.waiting_time for r in records) / len(records)


def of_command(command):
    """The processor time of a command, s."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def show(name, seconds, jobs, note=""):
    print(f"{name:24} {1e6 * seconds / jobs:10.3f} us/job  {jobs} jobs  {note}")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    revopt, jobs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        print(f"queue with {SERVERS} servers at load {LOAD}")
        queue = os.path.join(folder, "queue.yaml")
        with open(queue, "w") as f:
            f.write(f"name: queue\nserver: {{nodes: {SERVERS}}}\nload: {LOAD}\nclasses: [{{name: all, share: 1, length: {{dist: exponential, mean: 1}}, price: 1}}]\n")
        many = 20 * jobs
        command = [revopt, "simulate", queue, "--policy", "fcfs", "--jobs", str(many), "--replications", "1", "--workers", "1", "-q"]
        show("revopt fcfs", of_command(command), many)
        for name, run in ("loop", loop), ("simpy", simpy), ("ciw", ciw):
            if name != "loop" and importlib.util.find_spec(name) is None:
                print(f"{name:24} not installed, skipped")
                continue
            began = time.process_time()
            wait = run(jobs)
            show(name, time.process_time() - began, jobs, f"mean wait {wait:.3f}")
        print("EASY backfilling on 128 nodes")
        trace = os.path.join(folder, "jobs.swf")
        few = jobs // 10
        subprocess.run([revopt, "trace", "generate", "--jobs", str(few), "-o", trace], check=True, stdout=subprocess.DEVNULL)
        scenario = os.path.join(folder, "jobs.yaml")
        with open(scenario, "w") as f:
            f.write(f"name: jobs\ntrace: {{file: {trace}}}\n")
        show("revopt easy", of_command([revopt, "simulate", scenario, "--policy", "easy", "-q"]), few, "start of the program included")
        for name in "PYSS", "BATSIM", "ALEA":
            if name not in os.environ:
                print(f"{name:24} no command in ${name}, skipped")
                continue
            show(name, of_command(shlex.split(os.environ[name].replace("{trace}", trace))), few)


main()
