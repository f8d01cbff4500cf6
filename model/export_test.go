package model

// BusyPeriod returns G(s) = E[exp(-s Y)], Re s >= 0, the transform of the busy period Y
// of a server to which jobs of length i come at the given rates.
func BusyPeriod(s complex128, rates []float64, lengths []Distribution) complex128 {
	r, prepared, a := newRoot(len(rates)), make([]*length, len(lengths)), 0.0
	for i, d := range lengths {
		prepared[i] = newLength(d)
		a += rates[i]
	}
	if a == 0 {
		return 1
	}
	return 1 - (r.solve(s, prepared, rates)-s)/complex(a, 0)
}
