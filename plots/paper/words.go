package paper

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// className is what a class of a built-in scenario is called in a figure.
func className(class string) string {
	switch class {
	case "high":
		return "High value, high urgency"
	case "low":
		return "Low value, low urgency"
	case "HvHu":
		return "High value, high urgency"
	case "HvLu":
		return "High value, low urgency"
	case "LvHu":
		return "Low value, high urgency"
	case "LvLu":
		return "Low value, low urgency"
	}
	return class
}

// seconds writes a delay as the paper does: 1.5·10⁴ s.
func seconds(s float64) string {
	power := int(math.Floor(math.Log10(s) + 1e-9))
	digits := strconv.FormatFloat(s/math.Pow10(power), 'g', 3, 64)
	if digits == "1" {
		return fmt.Sprintf("10%s s", raised(power))
	}
	return fmt.Sprintf("%s·10%s s", digits, raised(power))
}

// raised writes a number in superscript digits.
func raised(n int) string {
	return strings.Map(func(r rune) rune {
		return []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[r-'0']
	}, strconv.Itoa(n))
}
