"""Recomputes tables from raw results. Usage: cells.py, in a directory with
the raw results and the JSON of simulate, validate, whatif and whatif-trace, and with
sweep/cells.csv and sweep/table.csv, all of five replications.

Means and half widths must be equal to 1e-9, relative to the largest value. Prints how
many it has compared."""

import json
import math

import pandas

REPLICATIONS = 5
QUANTILES = {"wait_median": "0.5", "wait_90": "0.9", "wait_99": "0.99"}
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
    """Returns values by point, admission, policy, class and measure, by replication."""
    cells = pandas.read_csv(path, comment="#", keep_default_na=False, na_values={"value": [""]})
    keys = ["point", "admission", "policy", "class", "measure"]
    assert not cells.duplicated(keys + ["replication"]).any(), path + ": a replication is there twice"
    return {key: rows.set_index("replication").value for key, rows in cells.groupby(keys)}


def check(what, values, mean, half_width, n, size=0):
    """Compares the mean of values and its half width with those of an estimate. The
    values may be differences of numbers of a size."""
    global compared
    if values.isna().any() or mean is None or mean == "":
        kept = values.dropna()
        assert len(kept) < REPLICATIONS and (len(kept) == 0) == (mean is None or mean == ""), (what, list(values), mean)
        return
    assert len(values) == int(n) == REPLICATIONS, (what, len(values), n)
    scale = 1e-9 * max(abs(values).max(), size)
    for got, want in ((values.mean(), mean), (T * values.sem(), half_width)):
        assert math.isclose(got, float(want), rel_tol=1e-9, abs_tol=scale), (what, got, want)
        compared += 1


def estimate(what, values, e, size=0):
    """Compares values with an estimate of the JSON, which may be null or absent."""
    e = e or {"mean": None, "half_width": None, "n": REPLICATIONS}
    check(what, values, e["mean"], e["half_width"], e["n"], size)


def policies(samples, result):
    """Compares the rows of simulate and validate, and of each class."""
    seen = 0
    for row in result["policies"]:
        places = [("", row)] + [(c["name"], c) for c in row["classes"]]
        for name, place in places:
            for (point, admission, policy, group, measure), values in samples.items():
                if (point, admission, policy, group) == (0, row["admission"]["name"] or "all", row["name"], name):
                    numbers, key = place, measure
                    if measure in QUANTILES:
                        numbers, key = place["wait_quantiles"], QUANTILES[measure]
                    estimate((policy, name, measure), values, numbers.get(key))
                    seen += 1
    assert seen == sum(not policy.startswith("bound:") for _, _, policy, _, _ in samples), "rows without a policy"


def simulate():
    samples, result = read("simulate.csv"), json.load(open("simulate.json"))
    policies(samples, result)
    for row in result["differences"]:
        name = row["admission"]["name"] or "all"
        for (_, admission, policy, group, measure), values in samples.items():
            if (admission, policy, group) == (name, row["name"], "") and measure in row:
                before = samples[0, name, row["versus"], "", measure]
                estimate(("difference", policy, measure), values - before, row[measure], abs(before).max())


def validate():
    samples, result = read("validate.csv"), json.load(open("validate.json"))
    policies(samples, result)
    for bound in result["bounds"]:
        if bound["kind"] == "proven":
            values = samples[0, "", "bound:" + bound["name"], "", "total"]
            check(bound["name"], values, bound["total"], bound["half_width"], bound["n"])
    best = samples[0, "", "bound:" + next(b["name"] for b in result["bounds"] if b["best"]), "", "total"]
    for row in result["policies"]:
        delivered = samples[0, row["admission"]["name"] or "all", row["name"], "", "utility"]
        estimate(("delivered", row["label"]), delivered, row["delivered"])
        estimate(("efficiency", row["label"]), delivered / best, row["efficiency"])


def whatif(name="whatif", money="revenue_per_second"):
    samples, result = read(name + ".csv"), json.load(open(name + ".json"))

    def of(point, group, measure):
        return next(
            values
            for key, values in samples.items()
            if key[0] == point and key[3:] == (group, measure) and not key[2].startswith("bound:")
        )

    for point, change in enumerate([result["before"]] + result["changes"]):
        cases = [("", money, 3600, change["simulation"]), ("", "mean_wait", 1, change["mean_wait"])]
        cases += [(p["name"], "promise_kept", 1, p) for p in change["promises"]]
        for group, measure, unit, numbers in cases:
            before, after = unit * of(0, group, measure), unit * of(point, group, measure)
            for part, values in ("before", before), ("after", after), ("difference", after - before):
                estimate((change["name"], group, measure, part), values, numbers[part], abs(before).max())


def whatif_trace():
    whatif("whatif-trace", "value_per_second")


def sweep():
    samples = read("sweep/cells.csv")
    table = pandas.read_csv("sweep/table.csv", comment="#", keep_default_na=False)
    points = {load: i for i, load in enumerate(table.load.unique())}
    assert len(table) == len(samples), (len(table), len(samples))
    for row in table.itertuples():
        key = points[row.load], row.admission, row.policy, table["class"][row.Index], row.metric
        check(key, samples[key], row.mean, row.half_width, row.n)


for part in simulate, validate, whatif, whatif_trace, sweep:
    before = compared
    part()
    print(part.__name__, compared - before)
