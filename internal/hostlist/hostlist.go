package hostlist

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Most is the most nodes that a file may list.
const Most = 1 << 20

// Expand returns the names of a list of nodes such as n[01-04,7],gpu1, if it is
// valid and has at most the given number.
func Expand(list string, most int) (names []string, ok bool) {
	items := regexp.MustCompile(`(?:[\w.+-]|\[[\d,-]+\])+`).FindAllString(list, -1)
	ok = items != nil && strings.Join(items, ",") == list
	for i := 0; ok && i < len(items); i++ {
		var more []string
		more, ok = expandName(items[i], most-len(names))
		names = append(names, more...)
	}
	return names, ok
}

// expandName returns the names of an item such as rack[0-3]n[01-04,7], with leading zeros.
func expandName(item string, most int) (names []string, ok bool) {
	prefix, after, open := strings.Cut(item, "[")
	if !open {
		return []string{item}, most > 0
	}
	ranges, after, _ := strings.Cut(after, "]")
	tails, ok := expandName(after, most)
	for _, part := range strings.Split(ranges, ",") {
		first, last, several := strings.Cut(part, "-")
		if !several {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, bad := strconv.Atoi(last)
		ok = ok && err == nil && bad == nil && from <= to && to-from < (most-len(names))/len(tails)
		for i := from; ok && i <= to; i++ {
			for _, tail := range tails {
				names = append(names, fmt.Sprintf("%s%0*d%s", prefix, len(first), i, tail))
			}
		}
	}
	return names, ok
}
