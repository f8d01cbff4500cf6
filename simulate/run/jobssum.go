package run

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"

	"revopt/simulate"
	"revopt/simulate/workload"
)

// The numbers of jobs that enter a checksum: of a stream, and of a trace.
const (
	digestedDrawn = 10_000
	digested      = 100_000
)

// jobsSum returns a checksum of the jobs of the first replication: when each was
// submitted, how wide, long and long by estimate it is. Machines, customers and
// prices are not in it. It is "" where the jobs cannot be had.
func jobsSum(w workload.Workload, seed uint64) string {
	source, err := w.Jobs(seed, 0)
	if err != nil {
		return ""
	}
	defer Close(source)
	h := sha256.New()
	var line []byte
	most := digested
	if w.Stream() > 0 {
		most = digestedDrawn
	}
	for range most {
		var j simulate.Job
		if ok, err := source.Next(&j); err != nil {
			return ""
		} else if !ok {
			break
		}
		line = line[:0]
		for _, x := range [...]float64{j.Submit, j.Work, float64(j.Width), j.Spec.Details.Estimate} {
			line = binary.LittleEndian.AppendUint64(line, math.Float64bits(x))
		}
		h.Write(line)
	}
	return hex.EncodeToString(h.Sum(nil))
}
