"""The examples against revopt's own policies, job by job."""
import csv
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

import revopt

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "examples")
SP2 = os.path.join(HERE, "..", "..", "..", "shared", "traces", "SDSC-SP2-1998-4.2-cln.swf.gz")


def example(name, options=""):
    return f"exec:{options}{sys.executable} {os.path.join(EXAMPLES, name + '.py')}"


class ExamplesTest(unittest.TestCase):
    def compare(self, own, other, scenario, **flags):
        """Compare the starts of all jobs under two policies, and return how many they are."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "records.csv")
            revopt.run(scenario, own, other, records=path, quiet=True, **flags)
            with open(path, newline="") as file:
                rows = list(csv.DictReader(file))
        self.moments = len({row[time] for row in rows for time in ("submit", "finish")})  # of decisions, at most
        starts = {}
        for row in rows:
            starts.setdefault(row["policy"], {})[row["replication"], row["job"]] = row["start"], row["finish"], row["outcome"]
        self.assertEqual(len(starts), 2)
        one, two = starts.values()
        self.assertEqual(one.keys(), two.keys())
        differing = [job for job in one if one[job] != two[job]]
        self.assertEqual(len(differing), 0, differing[:3])
        return len(one)

    def generated(self, own, name):
        """Two workloads: with estimates that are the run times, and with estimates of users."""
        flags = {"jobs": 2000, "replications": 2}
        exact = example(name, "estimates=exact:")
        self.assertEqual(self.compare(own, exact, "sp2-like", **flags), 4000)
        users = {"trace": {"file": "sp2-like", "cleaning": "keep", "arrival_delay_factor": 0.7, "nodes": 128}}
        self.assertEqual(self.compare(own, example(name), users, seed=3, **flags), 4000)

    def test_easy(self):
        self.generated("easy", "easy")

    @unittest.skipUnless(os.path.exists(SP2), "the SP2 trace is not at ../shared/traces")
    def test_easy_on_sp2(self):
        self.assertEqual(self.compare("easy", example("easy"), SP2), 54_034)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        revopt.run(SP2, example("easy"), quiet=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"SP2: {self.moments} decisions, {used:.1f} s of processor time", file=sys.stderr)

    def test_saf(self):
        self.generated("saf-bf", "saf")

    def test_wfp3(self):
        self.generated("wfp3", "wfp3")

    @unittest.skipUnless(shutil.which("cc"), "there is no C compiler")
    def test_filling(self):
        """A policy that suspends jobs makes the same schedule as the one in C."""
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "policy")
            source = os.path.join(HERE, "..", "..", "docs", "policy.c")
            subprocess.run(["cc", "-O2", "-o", program, source, "-lm"], check=True)
            self.generated("exec:" + program, "filling")

    def test_linear(self):
        """The trained policy beats EASY on runs that it has not seen."""
        script = os.path.abspath(os.path.join(EXAMPLES, "linear.py"))
        path = os.path.dirname(HERE)
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, script, "train"], cwd=folder, capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": path})
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(folder, "linear.svg")) as file:
                self.assertTrue(file.read().startswith("<svg"))
        print(done.stdout, file=sys.stderr)
        gain, half_width = map(float, re.search(r"seed 1001: (\S+) ± (\S+) ", done.stdout).groups())
        self.assertGreater(gain, half_width)


if __name__ == "__main__":
    unittest.main()
