package paper

// nistReadings are the readings of nist.
func nistReadings() []Reading { return nil }

// nistClaims are the claims of nist.
func nistClaims() []Claim { return nil }
