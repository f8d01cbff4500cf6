package workload

import (
	"math"
	"math/rand/v2"

	"revopt/internal/text"
	"revopt/simulate"
)

// AI generates the jobs of a site with cores and GPUs, for four accounts. Its GPU jobs
// resemble the 82,247 jobs that ran in the Philly clusters of Microsoft in 2017: widths,
// the median run time of each width, and the mean run time of all. Each job is of a kind
// of the table below; its run time is lognormal, at most 60 days. Gaps are exponential,
// stretched by the cycles of day and week of the SP2. Users ask for one to five times
// the run time, in quarters of an hour. Successive jobs are independent. Time 0 is a
// Monday at midnight.
type AI struct {
	generator
	gaps, kinds, times, asks *rand.Rand
}

// NewAI returns a trace of n jobs of one replication.
func NewAI(n int64, seed uint64, replication int) *AI {
	stream := func(purpose string) *rand.Rand { return simulate.Stream(seed, replication, "ai "+purpose, 0) }
	return &AI{newGenerator(n), stream("gaps"), stream("kinds"), stream("run times"), stream("estimates")}
}

// aiMeanGap is the mean time between arrivals, s. It gives the 512 cores and the 64 GPUs
// loads of about 0.8.
const aiMeanGap = 300

// aiKind is jobs of one account, partition and width.
type aiKind struct {
	account, partition float64 // numbers of the header
	share              float64 // of the jobs of the partition, in percent
	width              float64 // cores or GPUs
	median, spread     float64 // of the run time: s, and the standard deviation of its logarithm
}

// aiCPU is the share of jobs for cores.
const aiCPU = 0.57

// aiKinds are the kinds of jobs of each partition. Shares and medians by the number of
// GPUs are those of Philly. The jobs of 1 GPU are divided so that the median of all of
// them, 1,117 s, and the mean run time over all widths, 13,136 s, are those of Philly.
var aiKinds = [...][]aiKind{
	{
		{1, 1, 25, 1, 600, 1.3}, {1, 1, 5, 4, 900, 1.3},
		{4, 1, 12, 1, 1200, 1.6}, {4, 1, 8, 8, 1200, 1.6},
		{3, 1, 12, 1, 3600, 1.5}, {3, 1, 8, 8, 5400, 1.5}, {3, 1, 12, 16, 5400, 1.5}, {3, 1, 8, 32, 7200, 1.5},
		{3, 1, 6, 64, 7200, 1.3}, {3, 1, 2, 128, 7200, 1.3}, {2, 1, 2, 16, 3600, 1.5},
	},
	{
		{1, 2, 35, 1, 600, 1.3}, {4, 2, 30, 1, 900, 1.7}, {2, 2, 28.2, 1, 4818, 1.877},
		{2, 2, 2.2, 2, 21, 3}, {2, 2, 2.3, 4, 17410, 1.6}, {2, 2, 2, 8, 23683, 1.6},
		{2, 2, 0.3, 16, 52548, 1.3}, {2, 2, 0.04, 32, 52548, 1.3},
	},
}

// Next implements Records.
func (g *AI) Next(r *Record) (ok bool, err error) {
	if !g.next(r, g.gaps.ExpFloat64()*aiMeanGap) {
		return false, nil
	}
	kind := g.kind()
	runtime := math.Ceil(min(kind.median*math.Exp(kind.spread*g.times.NormFloat64()), aiLongest))
	kind.fill(r, runtime, g.asks.Float64())
	return true, nil
}

// aiLongest is the longest run time, s.
const aiLongest = 60 * day

// fill fills in a record of the kind; u is the cumulative share of the estimate.
func (k *aiKind) fill(r *Record, runtime, u float64) {
	const quarter = 900
	r[RunTime], r[Status] = runtime, 1
	r[Allocated], r[Requested] = k.width, k.width
	r[RequestedTime] = math.Ceil(runtime*(1+4*u)/quarter) * quarter
	r[Executable], r[Partition] = k.account, k.partition
}

func (g *AI) kind() *aiKind {
	list := aiKinds[0]
	if g.kinds.Float64() >= aiCPU {
		list = aiKinds[1]
	}
	total := text.Sum(list, func(k aiKind) float64 { return k.share })
	left := g.kinds.Float64() * total
	for i := range list {
		left -= list[i].share
		if left < 0 {
			return &list[i]
		}
	}
	return &list[len(list)-1]
}

// aiHeader returns the header of a generated trace.
func aiHeader() Header {
	return Header{Lines: []string{
		"; Version: 2.2", "; Computer: generated, a site with cores and GPUs",
		"; UnixStartTime: 946857600", "; TimeZone: 0", "; MaxProcs: 576", "; Unit: unit",
		"; Account: 1 interactive", "; Account: 2 training", "; Account: 3 batch", "; Account: 4 students",
		"; Partition: 1 cpu", "; Partition: 2 gpu", "; PoolUnit: 1 core", "; PoolUnit: 2 gpu",
	}}
}
