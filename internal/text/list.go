package text

import "slices"

// Numbers returns 0, 1, ..., n-1.
func Numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// Each returns f of every element of a list, nil for an empty list.
func Each[T, U any](list []T, f func(T) U) []U {
	if len(list) == 0 {
		return nil
	}
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}

// EachAt is Each for functions that need the position of an element too.
func EachAt[T, U any](list []T, f func(i int, x T) U) []U {
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = f(i, x)
	}
	return out
}

// Join returns the lists that f gives for the elements of a list, one after the other.
func Join[T, U any](list []T, f func(T) []U) []U { return slices.Concat(Each(list, f)...) }

// Differ reports whether words of the elements of a list differ.
func Differ[T any](list []T, word func(T) string) bool {
	return slices.ContainsFunc(list, func(x T) bool { return word(x) != word(list[0]) })
}

// Try is Each for a function that may fail. It ends with the first error.
func Try[T, U any](list []T, f func(T) (U, error)) ([]U, error) {
	var out []U
	for _, x := range list {
		y, err := f(x)
		if err != nil {
			return nil, err
		}
		out = append(out, y)
	}
	return out, nil
}

// Where returns the elements for which a function is true, nil if there are none.
func Where[T any](list []T, is func(T) bool) []T {
	var out []T
	for _, x := range list {
		if is(x) {
			out = append(out, x)
		}
	}
	return out
}

// Count returns for how many elements a function is true.
func Count[T any](list []T, is func(T) bool) int { return len(Where(list, is)) }

// Sum adds f of every element, in their order.
func Sum[T any, N int | float64](list []T, f func(T) N) (sum N) {
	for _, x := range list {
		sum += f(x)
	}
	return sum
}
