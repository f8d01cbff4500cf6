package simulate

// Rent is the terms of units that can be rented beside a site, for one job each time. Units
// are paid from the order to the end of the job.
type Rent struct {
	Price   float64 // $ per unit and second
	Startup float64 // s from the order until the job begins
	Limit   int     // units that are rented at a time; 0: any number
	Minimum float64 // s that are paid at least
}

// Cost returns what a job of the given run time pays, $.
func (r *Rent) Cost(width int, length float64) float64 {
	return r.Price * float64(width) * max(r.Startup+length, r.Minimum)
}
