package paper

// pricingReadings are the ways to read Yeo and Buyya (2007). The paper gives (6)
// without saying whether the estimates of the other jobs count whole, or what is
// left of them.
func pricingReadings() []Reading {
	const free = "section V, (6): RESFree is what is left of a resource once the other jobs have what they are to get"
	of := func(name, means string, options map[string]string) Reading {
		return Reading{Paper: "pricing", Name: name, Reads: free, Means: means, Of: "sp2-like", Options: map[string]map[string]string{"libra+$": options}}
	}
	return []Reading{
		of("remaining", "RESFree counts what is left of the estimates of the other jobs", map[string]string{"free": "remaining"}),
	}
}

// pricingClaims are the claims of Yeo and Buyya (2007).
func pricingClaims() []Claim {
	claim := func(id string, kind ClaimKind, place, says, by string, decide func(e *Evidence) Verdict) Claim {
		return Claim{ID: "pricing-" + id, Kind: kind, Place: place, Says: says, By: by, On: "sp2-like", Decide: decide}
	}
	return []Claim{
		claim("03a-falls", Direction, "section VIII, figure 3(a)", "Job QoS Satisfaction of Libra+$ falls with β", "figure pricing-03a, beyond the 95 % intervals",
			func(e *Evidence) Verdict { return fallsAlong(e.curve("pricing-03a", "Libra+$"), 100, " %") }),
		claim("03a-below-edf", Order, "section VIII, figure 3(a)", "at a high β Libra+$ is below EDF-BF", "figure pricing-03a, β = 1",
			func(e *Evidence) Verdict {
				return exceeds(valueAt(e.curve("pricing-03a", "EDF-BF"), 1).in(100), valueAt(e.curve("pricing-03a", "Libra+$"), 1).in(100), " %")
			}),
		claim("04b-beta-0.1-low", Number, "section VIII, figure 4(b)", "profitability is 23 % at an arrival delay factor of 0.25 with β = 0.1", "figure pricing-04b, within 2.5 points",
			func(e *Evidence) Verdict {
				return valueAt(e.curve("pricing-04b", "Libra+$, β = 0.1"), 0.25).in(100).near(23, 2.5, " %")
			}),
	}
}
