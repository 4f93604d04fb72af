// Package check decides whether output bytes are right. It compares them with a double-precision
// truth under an error model made from the output type, the accumulator type and the number of
// terms summed, and it says where and how they differ.
//
// The model is the standard one for inner products (Higham, Accuracy and Stability of Numerical
// Algorithms, sections 3.1 and 4.2), with the probabilistic square root of K instead of K:
//
//	tol = (2+ULPs)*u_out*|ref| + (e(K)*u_acc + u_terms)*S1 + smallest normal of the output type
//
// where S1 is the sum of the magnitudes of the terms, e(K) the larger of C*sqrt(K) and, for float32 sums, of what
// cutting sums off brings (see chain), and u_terms is 0 unless the terms are rounded before they are added. What e(K)
// allows is capped by what leaving out a part of the terms changes (see Left). A fixed tolerance is wrong in both
// directions: at 1e-2 zeros pass for a softmax, and a right bf16 product with cancellation fails.
package check
