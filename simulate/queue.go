package simulate

// Queue is a list of waiting jobs, linked through the jobs themselves, so that
// joining and leaving at any place allocate nothing. A job is in at most one
// queue. The zero value is an empty queue.
type Queue struct {
	head, tail *Job
}

// Head returns the first job, nil if there is none.
func (q *Queue) Head() *Job { return q.head }

// Next returns the job behind j, nil if j is the last.
func (q *Queue) Next(j *Job) *Job { return j.next }

// Push puts j at the end.
func (q *Queue) Push(j *Job) {
	j.previous, j.next = q.tail, nil
	if q.tail == nil {
		q.head = j
	} else {
		q.tail.next = j
	}
	q.tail = j
}

// Remove takes j, which must be in q, out of it.
func (q *Queue) Remove(j *Job) {
	if j.previous == nil {
		q.head = j.next
	} else {
		j.previous.next = j.next
	}
	if j.next == nil {
		q.tail = j.previous
	} else {
		j.next.previous = j.previous
	}
	j.previous, j.next = nil, nil
}
