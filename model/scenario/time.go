package scenario

import "fmt"

// ParseTime reads a time as scenario files have it, in seconds: 90, 90s, 15m,
// 2h, 182d or 1w.
func ParseTime(text string) (float64, error) {
	value, ok := duration.parse(text)
	if !ok || !duration.allows(value) {
		return 0, fmt.Errorf("expected %s, got %q", duration.want, text)
	}
	return value, nil
}
