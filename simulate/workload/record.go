package workload

import (
	"fmt"
	"strconv"
)

// Record is one job of a trace in the Standard Workload Format (Feitelson,
// Parallel Workloads Archive): 18 numbers, -1 where unknown.
type Record [fieldCount]float64

// The fields of a Record, from 0; the format counts them from 1.
const (
	JobNumber       = iota
	SubmitTime      // s
	WaitTime        // s
	RunTime         // s
	Allocated       // processors
	CPUTime         // s, mean per processor
	UsedMemory      // kB, mean per processor
	Requested       // processors
	RequestedTime   // s: the user's estimate
	RequestedMemory // kB per processor
	Status          // 1 completed, 0 failed, 5 cancelled
	User
	Group
	Executable
	Queue
	Partition
	Preceding // job number
	ThinkTime // s

	fieldCount
)

// fieldName returns the name of a field for messages.
func fieldName(field int) string {
	return [fieldCount]string{
		"job number", "submit time", "wait time", "run time", "allocated processors", "CPU time", "used memory",
		"requested processors", "requested time", "requested memory", "status", "user", "group", "executable",
		"queue", "partition", "preceding job", "think time",
	}[field]
}

// whole reports whether a field takes whole numbers only, small enough for an
// int32.
func whole(field int) bool {
	switch field {
	case Allocated, Requested, Status, User, Group, Executable, Queue, Partition:
		return true
	}
	return false
}

// AppendText appends the record as a line of an SWF file, without its end.
func (r *Record) AppendText(line []byte) []byte {
	for i, x := range r {
		if i > 0 {
			line = append(line, ' ')
		}
		line = strconv.AppendFloat(line, x, 'f', -1, 64)
	}
	return line
}

// Error says what is wrong with a trace, and where.
type Error struct {
	File    string
	Line    int // from 1; 0 where there is none
	Field   int // of the line, from 1; 0 where all of it is meant
	Message string
	Cause   error // of the file system; nil where the file was read
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Error returns file:line: field n (name): message.
func (e *Error) Error() string {
	text := e.File
	if e.Line > 0 {
		text += ":" + strconv.Itoa(e.Line)
	}
	if e.Field > 0 {
		text += fmt.Sprintf(": field %d (%s)", e.Field, fieldName(e.Field-1))
	}
	return text + ": " + e.Message
}
