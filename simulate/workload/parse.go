package workload

import (
	"math"
	"strconv"
)

// maxNumber bounds the numbers of a trace: whole numbers beyond it are not
// exact.
const maxNumber = 1 << 53

// parse reads the fields of a line.
func (r *Reader) parse(line []byte, rec *Record) error {
	field := 0
	for i := 0; i < len(line); field++ {
		start := i
		for i < len(line) && !blank(line[i]) {
			i++
		}
		word := line[start:i]
		for i < len(line) && blank(line[i]) {
			i++
		}
		if field >= fieldCount {
			continue
		}
		x, ok := number(word)
		if !ok {
			return r.notNumber(field, word)
		}
		rec[field] = x
	}
	if field != fieldCount {
		return r.errorf(0, "expected %d fields, got %d", fieldCount, field)
	}
	return r.check(rec)
}

// notNumber says what stands where a number should.
func (r *Reader) notNumber(field int, word []byte) error {
	for _, c := range word {
		if c < ' ' || c == 0x7f {
			return r.errorf(0, "expected text, got byte 0x%02x: not an SWF trace", c)
		}
	}
	return r.errorf(field+1, "expected a number, got %s", quote(word))
}

// check refuses numbers that no trace can mean.
func (r *Reader) check(rec *Record) error {
	for field, x := range rec {
		switch {
		case !(math.Abs(x) <= maxNumber):
			return r.errorf(field+1, "expected a number of at most %d, got %g", maxNumber, x)
		case whole(field) && (x != math.Trunc(x) || math.Abs(x) > maxNodes):
			return r.errorf(field+1, "expected a whole number of at most %d, got %s", maxNodes, strconv.FormatFloat(x, 'g', -1, 64))
		}
	}
	if rec[SubmitTime] < 0 {
		return r.errorf(SubmitTime+1, "expected a time of at least 0, got %s", strconv.FormatFloat(rec[SubmitTime], 'g', -1, 64))
	}
	return nil
}

// number reads a decimal number. Most are short: a mantissa below 2^53 over a
// power of ten that is exact takes one rounding, as it should.
func number(word []byte) (float64, bool) {
	i, negative := 0, false
	if len(word) > 0 && word[0] == '-' {
		i, negative = 1, true
	}
	var mantissa int64
	digits, scale := 0, -1
	for ; i < len(word); i++ {
		switch c := word[i]; {
		case c >= '0' && c <= '9':
			mantissa = mantissa*10 + int64(c-'0')
			digits++
			if scale >= 0 {
				scale++
			}
		case c == '.' && scale < 0:
			scale = 0
		default:
			return slowNumber(word)
		}
		if digits > 15 {
			return slowNumber(word)
		}
	}
	if digits == 0 {
		return 0, false
	}
	x := float64(mantissa)
	if scale > 0 {
		x /= math.Pow10(scale)
	}
	if negative {
		x = -x
	}
	return x, true
}

// slowNumber reads what is left: exponents and many digits. Words such as nan,
// inf and 0x10 are no numbers.
func slowNumber(word []byte) (float64, bool) {
	for _, c := range word {
		if (c < '0' || c > '9') && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	x, err := strconv.ParseFloat(string(word), 64)
	return x, err == nil
}
