package model

import "math"

// Outside is what becomes of a refused job of a class: it runs elsewhere, on rented units.
// The zero value is a job that is lost.
//
// With o_s the worth of a refused job, an admission earns
//
//	sum_s lambda_s (p_s - loss_s) + (mu_s - lambda_s) o_s = sum_s lambda_s (p_s - o_s - loss_s) + sum_s mu_s o_s,
//
// so that formulas at prices lowered by o_s, see MeanPrice, find the best one: their revenue
// lacks System.Outside.
type Outside struct {
	Worth float64 // o_s, $ per job, less the rent; at most the mean price
	Rent  float64 // $ per job
}

// Renting returns the class with its refused jobs on rented units, if they are worth more
// than the rent on average. Values are those of a job of mean length and width that waits for
// the startup. The rent is exact, E[width] E[max(startup + length, minimum)] units and seconds.
func (c Class) Renting(r *Rent) Class {
	c.Outside = Outside{}
	length, width := c.Length.Mean(), c.Width.Mean()
	u := c.Utility(length, width)
	worth := u.At(r.Startup)
	if c.Hard > 0 && r.Startup > u.Grace {
		forfeit := -u.Penalty
		if math.IsInf(forfeit, 0) {
			forfeit = 0
		}
		worth += c.Hard * (forfeit - worth)
	}
	idle := math.Max(0, r.Minimum-r.Startup) // E[max(X, idle)] = idle + E[(X-idle)^+]
	rent := r.Price * width * (r.Startup + idle + c.Length.Excess(idle))
	worth -= rent
	if worth > 0 {
		c.Outside = Outside{math.Min(worth, c.MeanPrice()), rent}
	}
	return c
}

// Outside returns the $/s of all offered jobs if they are refused.
func (s System) Outside() float64 {
	var sum float64
	for _, c := range s.Classes {
		sum += c.Rate * c.Outside.Worth
	}
	return sum
}
