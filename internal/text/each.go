package text

// EachAt is [text.Each] for functions that need the position of an element too.
func EachAt[T, U any](list []T, f func(i int, x T) U) []U {
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = f(i, x)
	}
	return out
}
