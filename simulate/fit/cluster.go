package fit

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"revopt/simulate"
)

// point is a job for clustering: the logarithms of width and length, each less
// its mean and over its standard deviation.
type point [2]float64

func (p point) distance2(q point) float64 {
	x, y := p[0]-q[0], p[1]-q[1]
	return x*x + y*y
}

const (
	maxClusters  = 6     // clusters that are tried by default
	clusterJobs  = 20000 // jobs that determine the centers
	clusterRuns  = 8     // runs from different first centers
	clusterSteps = 100   // steps of a run, at most
)

// byCluster makes classes of jobs alike in width and length, by Lloyd's k-means
// from the first centers of Arthur & Vassilvitskii (2007), the best of several
// runs. The order of the classes is that of their mean work. If k is 0, the number
// of classes is that from 2 to 6 with the largest mean silhouette (Rousseeuw 1987)
// in its simplified form,
//
//	s = (b - a) / max(a, b),
//
// where a is the distance of a job to its center and b that to the nearest other
// center. There are never more clusters than different jobs. The result is
// meaningless if the context ends.
func byCluster(ctx context.Context, all []job, k int, seed uint64) (groups []group, silhouette float64) {
	points := clusterPoints(all)
	sample := points
	if step := (len(points) + clusterJobs - 1) / clusterJobs; step > 1 {
		sample = nil
		for i := 0; i < len(points); i += step {
			sample = append(sample, points[i])
		}
	}
	rnd := simulate.Stream(seed, 0, "clusters", 0)
	least, most := k, k
	if k == 0 {
		least, most = 2, maxClusters
	}
	best, silhouette := kMeans(ctx, sample, 1, rnd), math.NaN()
	for n := max(least, 2); n <= most; n++ {
		centers := kMeans(ctx, sample, n, rnd)
		if len(centers) < n {
			if k > 0 {
				best, silhouette = centers, meanSilhouette(sample, centers)
			}
			break
		}
		if s := meanSilhouette(sample, centers); k > 0 || !(s <= silhouette) {
			best, silhouette = centers, s
		}
	}
	return clusterGroups(all, points, best), silhouette
}

func clusterPoints(all []job) []point {
	points := make([]point, len(all))
	for axis := range 2 {
		values := make([]float64, len(all))
		for i := range all {
			values[i] = math.Log(all[i].length)
			if axis == 0 {
				values[i] = math.Log(float64(all[i].width))
			}
		}
		shift := slices.Min(values)
		for i := range values {
			values[i] -= shift
		}
		m := momentsOf(values)
		if m.SD < 1e-12*(1+math.Abs(shift)) {
			continue // rounding is no difference
		}
		for i, x := range values {
			points[i][axis] = (x - m.Mean) / m.SD
		}
	}
	return points
}

// kMeans returns k centers, or as many as there are different points.
func kMeans(ctx context.Context, points []point, k int, rnd *rand.Rand) []point {
	var best []point
	least := math.Inf(1)
	for range clusterRuns {
		centers := firstCenters(points, k, rnd)
		cost := math.Inf(1)
		for range clusterSteps {
			now := improve(points, centers)
			if !(now < cost*(1-1e-9)) || ctx.Err() != nil {
				break
			}
			cost = now
		}
		cost = improve(points, slices.Clone(centers))
		if cost < least || best == nil {
			best, least = centers, cost
		}
	}
	return best
}

// firstCenters draws each next center with a chance in proportion to the square
// of its distance to the centers before.
func firstCenters(points []point, k int, rnd *rand.Rand) []point {
	centers := []point{points[rnd.IntN(len(points))]}
	gap := make([]float64, len(points))
	for len(centers) < k {
		var sum float64
		for i, p := range points {
			d := p.distance2(centers[len(centers)-1])
			if len(centers) == 1 || d < gap[i] {
				gap[i] = d
			}
			sum += gap[i]
		}
		if sum == 0 {
			break
		}
		u, next := rnd.Float64()*sum, -1
		for i, d := range gap {
			if d == 0 {
				continue
			}
			next = i
			u -= d
			if u < 0 {
				break
			}
		}
		centers = append(centers, points[next])
	}
	return centers
}

// improve moves every center to the mean of the points nearest to it and
// returns the sum of the squared distances before.
func improve(points, centers []point) float64 {
	sums, counts := make([]point, len(centers)), make([]float64, len(centers))
	var cost float64
	for _, p := range points {
		c, d := nearest(p, centers)
		cost += d
		sums[c][0] += p[0]
		sums[c][1] += p[1]
		counts[c]++
	}
	for c, n := range counts {
		if n > 0 {
			centers[c] = point{sums[c][0] / n, sums[c][1] / n}
		}
	}
	return cost
}

// nearest returns the center nearest to a point and the square of its distance.
func nearest(p point, centers []point) (best int, least float64) {
	least = math.Inf(1)
	for c, q := range centers {
		if d := p.distance2(q); d < least {
			best, least = c, d
		}
	}
	return best, least
}

// meanSilhouette returns the mean simplified silhouette, NaN for one center.
func meanSilhouette(points, centers []point) float64 {
	if len(centers) < 2 {
		return math.NaN()
	}
	var sum float64
	for _, p := range points {
		nearest, other := math.Inf(1), math.Inf(1)
		for _, q := range centers {
			switch d := p.distance2(q); {
			case d < nearest:
				nearest, other = d, nearest
			case d < other:
				other = d
			}
		}
		if other > 0 {
			sum += 1 - math.Sqrt(nearest/other)
		}
	}
	return sum / float64(len(points))
}

// clusterGroups gives every job to its nearest center.
func clusterGroups(all []job, points, centers []point) []group {
	groups, work := make([]group, len(centers)), make([]float64, len(centers))
	for i, p := range points {
		c, _ := nearest(p, centers)
		groups[c].jobs = append(groups[c].jobs, int32(i))
		work[c] += all[i].work()
	}
	order := make([]int, 0, len(centers))
	for c := range centers {
		if n := len(groups[c].jobs); n > 0 {
			work[c] /= float64(n)
			order = append(order, c)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(work[a], work[b]) })
	var list []group
	for place, c := range order {
		list = append(list, group{name: fmt.Sprintf("cluster%d", place+1), jobs: groups[c].jobs})
	}
	return list
}
