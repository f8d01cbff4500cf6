// Package tune maximises simulated revenue over admission probabilities.
//
// The analytic half knows the best admission of its own queue. On a simulator
// with bounded penalties, expiry and jobs side by side another admission may
// earn more. It is found by search on the simulator itself, on common random
// numbers: the difference between two admissions is then theirs, not luck's.
//
// What a search finds is partly the luck of its random numbers all the same.
// So the candidates are compared again on numbers that the search has not
// seen, and what is reported of the winner must come from a third set.
package tune
