// Package stats turns time samples into decisions: when to stop measuring, whether a candidate is worth more samples,
// and which of two kernels is faster. It does not measure itself.
//
// Two rules matter most. Times of one kernel drift by more than the gains in question, so kernels are compared in
// interleaved pairs (Duel), never by two separate medians. And the best of many noisy figures is too good: the
// decision always rests on a new measurement.
package stats
