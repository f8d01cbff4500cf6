// Package schedule draws which job runs where: the pieces of metric.Gantt as figures, one for each pool.
package schedule
