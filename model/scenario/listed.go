package scenario

// Application is an application that a grid scenario lists.
type Application struct {
	At        float64 // time of submission, s
	Parts     int
	Mandatory float64 // MI of each part
	Optional  float64 // MI of each part
	Deadline  float64 // s after submission
	Reward    float64 // $ for the mandatory length of a part
	Slope     float64 // $ per MI of the optional length
}

// listed reads applications one by one, in order of submission.
func (d *decoder) listed(c *cursor) []Application {
	var list []Application
	for _, place := range c.list("a list of applications") {
		if !place.mapping("an application such as {at: 0, mandatory: 1000000, optional: 1000000, deadline: 3000, reward: 1000, slope: 0.0005}",
			"at", "parts", "mandatory", "optional", "deadline", "reward", "slope") {
			return nil
		}
		a := Application{
			At: place.get("at").numberOr(duration, 0), Parts: int(place.get("parts").numberOr(partCount, 1)),
			Mandatory: place.get("mandatory").number(lengthMI), Optional: place.get("optional").numberOr(amount, 0),
			Deadline: place.get("deadline").number(span), Reward: place.get("reward").number(amount), Slope: place.get("slope").numberOr(amount, 0),
		}
		if n := len(list); n > 0 && a.At < list[n-1].At {
			place.get("at").fail("expected applications in order of submission, got one at %g after one at %g", a.At, list[n-1].At)
		}
		list = append(list, a)
	}
	return list
}
