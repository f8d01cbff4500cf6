package ask

import (
	"slices"
	"testing"
)

// TestWithoutAll: the word all may be anywhere in a list, and is no part of a command.
func TestWithoutAll(t *testing.T) {
	for _, tt := range []struct {
		lists, others []string
		all           bool
	}{
		{[]string{"fcfs,all"}, []string{"fcfs"}, true},
		{[]string{"all,easy", "exec:my all"}, []string{"easy", "exec:my all"}, true},
		{[]string{"exec:my,all"}, []string{"exec:my,all"}, false},
		{[]string{"all"}, nil, true},
		{nil, nil, false},
	} {
		if others, all := WithoutAll(tt.lists...); !slices.Equal(others, tt.others) || all != tt.all {
			t.Errorf("%q: %q, %v", tt.lists, others, all)
		}
	}
}
