package analytic

import (
	"context"
	"errors"
	"testing"

	"revopt/internal/fixture"
)

// TestNoDemand checks that there must be a price to choose.
func TestNoDemand(t *testing.T) {
	none := fixture.Opened(t, "server: {parallel: 1}\nload: 0.5\nclasses:\n  - {name: a, length: {mean: 60, sd: 20}, price: 1}\n")
	var missing *NoDemandError
	if _, err := Priced(context.Background(), none); !errors.As(err, &missing) {
		t.Errorf("got %v, want a NoDemandError", err)
	}
}
