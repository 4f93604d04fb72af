// Package stats turns time samples into decisions: when to stop measuring, whether a candidate is
// worth more, and which of two kernels is faster. It does not measure; it is told.
//
// Two rules matter most. Times of one kernel drift by more than the gains that are looked for, so
// kernels are compared in interleaved pairs (Duel), never by two separate medians. And the best of
// many noisy figures is too good: what decides is always a fresh measurement.
package stats
