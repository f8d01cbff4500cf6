package slurm

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"revopt/simulate/policy/slurm"
)

// clock reads times.
type clock struct {
	zone           *time.Location // of times without one
	stated         bool           // the zone
	zoned, unzoned int64          // times that were read with a zone and without
}

// parse reads a time as Unix seconds, 0 if it is unknown: ISO 8601 with or
// without a zone, or a number of seconds.
func (c *clock) parse(word []byte) (int64, bool) {
	if unknown(word) {
		return 0, true
	}
	const layout = "2006-01-02T15:04:05"
	if len(word) < len(layout) || word[4] != '-' {
		whole, _, _ := bytes.Cut(word, []byte("."))
		t, err := strconv.ParseUint(string(whole), 10, 38)
		return int64(t), err == nil
	}
	digits, zone := [len(layout) + 1]byte{len(layout): 'Z'}, word[len(layout):]
	copy(digits[:len(layout)], word)
	if digits[10] == ' ' {
		digits[10] = 'T'
	}
	leap := int64(0)
	if string(digits[16:19]) == ":60" {
		digits[17], digits[18], leap = '5', '9', 1
	}
	at, err := time.Parse(time.RFC3339, string(digits[:]))
	if err != nil || at.Year() < 1970 {
		return 0, false
	}
	if len(zone) > 0 && zone[0] == '.' {
		zone = bytes.TrimLeft(zone[1:], "0123456789")
	}
	if len(zone) > 0 {
		c.zoned++
		offset, ok := parseOffset(string(zone))
		return at.Unix() + leap - offset, ok
	}
	c.unzoned++
	if c.zone != time.UTC {
		year, month, day := at.Date()
		at = time.Date(year, month, day, at.Hour(), at.Minute(), at.Second(), 0, c.zone)
		// In the hour that the clocks show twice, take the first.
		if before := at.Add(-time.Hour); before.Hour() == at.Hour() && before.Day() == at.Day() {
			at = before
		}
	}
	return at.Unix() + leap, true
}

// after returns a time that cannot be before another: in the hour that the
// clocks of a zone show twice, it is the second one if the first is before.
func (c *clock) after(t, other int64) int64 {
	const hour = 3600
	if t == 0 || t >= other || c.zone == time.UTC {
		return t
	}
	a, b := time.Unix(t, 0).In(c.zone), time.Unix(t+hour, 0).In(c.zone)
	if a.Hour() == b.Hour() && a.Minute() == b.Minute() && a.Day() == b.Day() {
		return t + hour
	}
	return t
}

// parseOffset reads Z, +01, +0100 or +01:00 as seconds.
func parseOffset(word string) (int64, bool) {
	for _, layout := range []string{"Z07:00", "Z0700", "Z07"} {
		if t, err := time.Parse(layout, word); err == nil {
			_, offset := t.Zone()
			return int64(offset), max(offset, -offset) < 16*3600
		}
	}
	return 0, false
}

// ParseZone reads a time zone: a name such as Europe/Berlin, UTC, local, or an
// offset such as +01:00. The zone of "" is nil.
func ParseZone(name string) (*time.Location, error) {
	if name == "" {
		return nil, nil
	}
	if offset, ok := parseOffset(name); ok {
		return time.FixedZone("UTC"+name, int(offset)), nil
	}
	if strings.EqualFold(name, "local") {
		return time.Local, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("expected a time zone such as UTC, Europe/Berlin or +01:00, got %q", name)
	}
	return zone, nil
}

// parseSpan reads a length of time as Slurm and PBS write it, without decimals; see
// [slurm.ParseTime]. The span is -1 if it is unlimited or unknown.
func parseSpan(word []byte, unit int64) (float64, bool) {
	if unknown(word) && string(word) != "0" {
		return -1, true
	}
	whole, _, _ := bytes.Cut(word, []byte("."))
	seconds, ok := slurm.ParseTime(string(whole), unit)
	return float64(seconds), ok
}

// unknown reports whether a word stands for nothing.
func unknown(word []byte) bool {
	switch string(word) {
	case "", "Unknown", "None", "N/A", "(null)", "NONE", "INVALID", "Partition_Limit", "UNLIMITED", "0":
		return true
	}
	return false
}
