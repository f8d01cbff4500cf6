package simulate

import "math/rand/v2"

// Stream returns the random stream of one purpose ("arrivals", "lengths", ...)
// of one class in one replication of a run with the given seed. Streams that
// differ in any of the four are independent for all practical purposes, and
// the same four give the same numbers on any machine: the state of a PCG is
// two outputs of SplitMix64, seeded with the FNV-1a hash of the seed and the
// replication (8 bytes each, little endian), the purpose (UTF-8, a zero byte)
// and the class (8 bytes).
//
// Policies that are compared on the same streams see the same jobs.
func Stream(seed uint64, replication int, purpose string, class int) *rand.Rand {
	h := uint64(14695981039346656037)
	h = hashWord(h, seed)
	h = hashWord(h, uint64(replication))
	for i := range len(purpose) {
		h = hashByte(h, purpose[i])
	}
	h = hashByte(h, 0)
	h = hashWord(h, uint64(class))
	return rand.New(rand.NewPCG(splitMix(h, 1), splitMix(h, 2)))
}

func hashWord(h, word uint64) uint64 {
	for range 8 {
		h = hashByte(h, byte(word))
		word >>= 8
	}
	return h
}

func hashByte(h uint64, b byte) uint64 { return (h ^ uint64(b)) * 1099511628211 }

// splitMix returns output number n, from 1, of SplitMix64 from the given
// state (Steele, Lea & Flood 2014).
func splitMix(state, n uint64) uint64 {
	z := state + n*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
