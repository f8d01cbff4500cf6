//go:build long

package bound_test

import (
	"math/rand/v2"
	"testing"
)

// TestThousandMarkets is TestSpotMarket on a thousand workloads, each with its bounds.
func TestThousandMarkets(t *testing.T) { tradeAll(t, rand.New(rand.NewPCG(35, 1)), 1000, 1) }
