package paper

// slaReadings are the readings of sla.
func slaReadings() []Reading { return nil }

// slaClaims are the claims of sla.
func slaClaims() []Claim { return nil }
