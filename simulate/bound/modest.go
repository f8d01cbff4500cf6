package bound

// dearest is how many times as much as a mean node-second an item may pay in the
// search for prices.
const dearest = 1e6

// modest returns the items with those that pay more than dearest x unit per
// node-second scaled down to that, value and loss alike. Jobs much shorter than
// the others, of a fixed price, pay so much that the prices that matter would be
// lost in the rounding of theirs; they come first at dearest x unit just as well.
// The prices that are found prove a bound for the true items.
func modest(items []item, unit float64) []item {
	var list []item
	for j := range items {
		top := items[j].layers[0].value
		if top <= dearest*unit {
			continue
		}
		if list == nil {
			list = append(list, items...)
		}
		list[j] = items[j].scaled(dearest * unit / top)
	}
	if list == nil {
		return items
	}
	return list
}

// scaled returns the item that pays and loses the given part.
func (it item) scaled(part float64) item {
	layers := make([]layer, len(it.layers))
	for i, l := range it.layers {
		layers[i] = layer{work: l.work, value: l.value * part}
	}
	it.layers, it.fall, it.most = layers, it.fall*part, it.most*part
	return it
}

// replace gives the network the true items, which differ from those it has in
// value and loss alone.
func (n *network) replace(items []item) {
	n.items = items
	if n.cost == nil {
		return
	}
	for j := range items {
		n.setCosts(j)
	}
}
