"""Recomputes tables from raw results. Usage: cells.py, in a directory with the cells and the JSON of simulate,
validate, whatif and whatif-trace, and with sweep/cells.csv and sweep/table.csv, all of five replications.

Means and intervals must be equal to 1e-9, relative to the largest value. Prints how many numbers it has compared."""

import json
import math

import pandas

REPLICATIONS = 5
compared = 0


def student(level):
    """Returns the quantile of Student's t with 4 degrees of freedom for an interval."""
    low, high = 0.0, 100.0
    for _ in range(200):
        t = (low + high) / 2
        x = t * t / (1 + t * t / 4)
        inside = 0.75 * math.sqrt(x) * (1 - x / 12)
        low, high = (t, high) if inside < level else (low, t)
    return low


T = student(0.95)


def read(path):
    """Returns the numbers of every row, group and column, by replication."""
    cells = pandas.read_csv(path, comment="#", keep_default_na=False)
    keys = ["row", "policy", "admission", "set", "group", "column"]
    assert not cells.duplicated(keys + ["replication"]).any(), path + ": a replication is there twice"
    return {key: rows.set_index("replication").number for key, rows in cells.groupby(keys)}


def check(what, values, row, column, size=0):
    """Compares the mean of values and its interval with those of a column. The values may be differences of numbers
    of a size."""
    global compared
    assert len(values) == REPLICATIONS, (what, len(values))
    scale = 1e-9 * max(abs(values).max(), size)
    half = T * values.sem()
    mean = values.mean()
    if column == "utilization" and mean > 0.9999:  # it is said to be at least that
        return
    for got, want in ((mean, row[column]), (mean - half, row[column + "_low"]), (mean + half, row[column + "_high"])):
        assert math.isclose(got, float(want), rel_tol=1e-9, abs_tol=scale), (what, got, want)
        compared += 1


def named(row, key):
    """Reports whether a row of a table is that of a key of the cells."""
    label, policy, admission, _, _, _ = key
    return not policy.startswith("bound:") and row["policy"] == policy and row["admission"] == admission and \
        row.get("change", label) == label


def compare(name, table):
    """Compares the rows of a table, and its customers, with the cells of all jobs and of each customer."""
    samples, result = read(name + ".csv"), json.load(open(name + ".json"))
    rows = [(row, "all") for row in result["tables"][table]]
    if table == "policies":
        rows += [(row, "customer:" + row["customer"]) for row in result["tables"]["customers"]]
    present = next((row for row in result["tables"][table] if row.get("present")), None)
    for row, group in rows:
        seen = 0
        for key, values in samples.items():
            column = key[5]
            if named(row, key) and key[4] == group and column + "_low" in row and len(values) == REPLICATIONS:
                check((name, key), values, row, column)
                seen += 1
        assert seen > 5, (name, row)
        if group == "all" and "gain_low" in row:
            of = [next(v for k, v in samples.items() if named(r, k) and k[4:] == ("all", "value")) for r in (row, present)]
            check((name, "gain", row["policy"]), of[0] - of[1], row, "gain", abs(of[0]).max())


def sweep():
    """Compares the table of a sweep with its cells."""
    samples = read("sweep/cells.csv")
    table = pandas.read_csv("sweep/table.csv", comment="#", keep_default_na=False)
    seen = 0
    for _, row in table.iterrows():
        for key, values in samples.items():
            loads = [word.split("=")[1] for word in key[3].split() if word.startswith("load=")]
            column = key[5]
            if key[1:3] == (row["policy"], row["admission"]) and key[4] == "all" and \
                    loads and float(loads[-1]) == float(row["load"]) and row.get(column + "_low", "") != "":
                check(("sweep", key), values, row, column)
                seen += 1
    assert seen > 0, "no row of the sweep has cells"


for command, first in (("simulate", "policies"), ("validate", "policies"), ("whatif", "changes"), ("whatif-trace", "changes")):
    before = compared
    compare(command, first)
    print(command, compared - before)
before = compared
sweep()
print("sweep", compared - before)
