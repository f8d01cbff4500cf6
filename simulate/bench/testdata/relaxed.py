"""Solves the relaxed problem of an instance with hard deadlines by scipy's HiGHS: the file of revopt bench jobs
in, the optimum out. Any share of the work of a job may be done at any time between its submission and its
deadline, on at most its width of units, and is paid by the share. Releases and deadlines cut time into cells;
within a cell only the work counts, so that the linear program is exact."""
import csv
import sys

import numpy
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

with open(sys.argv[1]) as lines:
    jobs = list(csv.DictReader(line for line in lines if not line.startswith("#")))
units = float(jobs[0]["units"])
assert all(j["hard"] == "true" for j in jobs) and len({j["pool"] for j in jobs}) == 1

times = sorted({float(j[key]) for j in jobs for key in ("submit", "deadline")})
place = {t: i for i, t in enumerate(times)}
length = numpy.diff(times)

gain, most, rows, columns = [], [], [], []
for i, j in enumerate(jobs):
    work = float(j["width"]) * float(j["runtime"])
    for k in range(place[float(j["submit"])], place[float(j["deadline"])]):
        rows += [i, len(jobs) + k]
        columns += [len(gain), len(gain)]
        gain.append(-float(j["price"]) / work)
        most.append(float(j["width"]) * length[k])
limits = [float(j["width"]) * float(j["runtime"]) for j in jobs] + list(units * length)
matrix = csr_matrix((numpy.ones(len(rows)), (rows, columns)), shape=(len(limits), len(gain)))
found = linprog(gain, A_ub=matrix, b_ub=limits, bounds=list(zip([0] * len(most), most)), method="highs")
assert found.status == 0, found.message
print(repr(-found.fun))
