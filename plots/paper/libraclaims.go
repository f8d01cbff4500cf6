package paper

// libraReadings are the readings of libra.
func libraReadings() []Reading { return nil }

// libraClaims are the claims of libra.
func libraClaims() []Claim { return nil }
