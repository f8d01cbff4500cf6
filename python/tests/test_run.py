"""Runs of the program from Python."""
import os
import sys
import unittest
from unittest import mock

import revopt

try:
    import pandas
except ImportError:
    pandas = None


class RunTest(unittest.TestCase):
    def test_results_and_cells(self):
        results, cells = revopt.run("sp2-like", "easy", "fcfs", jobs=50, replications=3, quiet=True)
        policies = results["tables"]["policies"]
        self.assertEqual([p["policy"] for p in policies], ["easy", "fcfs"])
        for p in policies:
            wanted = p["policy"], "all", "mean_wait"
            values = [c["number"] for c in cells if (c["policy"], c["group"], c["column"]) == wanted]
            self.assertEqual(len(values), 3)
            self.assertAlmostEqual(sum(values) / 3, p["mean_wait"])
        self.assertEqual({(type(c["replication"]), type(c["number"])) for c in cells}, {(int, float)})

    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_frame(self):
        flags = {"jobs": 50, "replications": 2, "quiet": True}
        cells = revopt.run("sp2-like", "easy", **flags)[1]
        frame = revopt.run("sp2-like", "easy", frame=True, **flags)[1]
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(list(frame.columns), list(cells[0]))
        self.assertEqual(frame["number"].sum(), pandas.Series([c["number"] for c in cells], dtype=float).sum())

    def test_scenarios_and_flags(self):
        scenario = {"name": "mine", "trace": {"file": "sp2-like", "jobs": "last:40", "cleaning": "keep", "nodes": 128}}
        flags = {"replications": 1, "quiet": True, "explain": False, "seed": None}
        results = revopt.run(scenario, "easy", set={"trace.nodes": 64}, **flags)[0]
        values = results["values"]
        self.assertEqual((results["scenario"], values["units"], values["jobs"]), ("mine", 64, 40))
        changes = ["trace.nodes=64", "trace.jobs=last:30"]
        results = revopt.run("sp2-like", set=changes, **flags)[0]
        values = results["values"]
        self.assertEqual((values["units"], values["jobs"], len(results["tables"]["policies"])), (64, 30, 5))
        results = revopt.run("nist-four", command="validate", jobs=20, replications=2, quiet=True)[0]
        bounds = {b["bound"]: b["value"] for b in results["tables"]["bounds"]}
        for p in results["tables"]["policies"]:
            self.assertLessEqual(p["value"], bounds["clairvoyant"])

    def test_errors(self):
        for arguments in ["no-such"], ["sp2-like", "no-such"]:
            with self.assertRaisesRegex(revopt.Error, "revopt: .*no-such") as raised:
                revopt.run(*arguments)
            self.assertEqual(raised.exception.code, 2)
            self.assertNotIn("\n", str(raised.exception))
        module = sys.modules["revopt.run"]  # revopt.run is the function
        hidden = {"REVOPT": "", "PATH": ""}
        with mock.patch.dict(os.environ, hidden), mock.patch.object(module, "HERE", "/nowhere"):
            with self.assertRaisesRegex(revopt.Error, "set REVOPT"):
                revopt.program()


if __name__ == "__main__":
    unittest.main()
