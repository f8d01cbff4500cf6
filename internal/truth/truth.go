package truth

// Key opens what the kernel keeps from policies.
type Key struct{ _ int }
