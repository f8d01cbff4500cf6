package paper

// impreciseReadings are the readings of ic.
func impreciseReadings() []Reading { return nil }

// impreciseClaims are the claims of ic.
func impreciseClaims() []Claim { return nil }
