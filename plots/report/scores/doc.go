// Package scores says in tables and sentences what the benchmark has found: scores, checks of schedules, the best known
// schedules and rankings.
package scores
