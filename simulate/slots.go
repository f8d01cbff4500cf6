package simulate

// slots holds the jobs that exist now. Slots are allocated in blocks, so that
// a *Job stays valid while others come and go, and used again through a free
// list, so that memory is proportional to the jobs alive at once.
type slots struct {
	all  []*Job
	free []int32
}

const slotBlock = 64

// take returns a blank job.
func (s *slots) take() *Job {
	if len(s.free) == 0 {
		s.grow()
	}
	last := len(s.free) - 1
	j := s.all[s.free[last]]
	s.free = s.free[:last]
	// The versions of timer and expiry go on, so that events of the job that was here
	// before stay recognizable as stale.
	*j = Job{slot: j.slot, timer: j.timer, expiry: j.expiry, Nodes: j.Nodes[:0]}
	return j
}

func (s *slots) release(j *Job) { s.free = append(s.free, j.slot) }

func (s *slots) grow() {
	block := make([]Job, max(slotBlock, len(s.all)/4))
	// Lowest slot last: it is taken first.
	for i := len(block) - 1; i >= 0; i-- {
		s.free = append(s.free, int32(len(s.all)+i))
	}
	for i := range block {
		block[i].slot = int32(len(s.all))
		s.all = append(s.all, &block[i])
	}
}
