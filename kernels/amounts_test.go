package kernels

import (
	"testing"
	"time"
)

func TestAmounts(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{Count(0), "0"}, {Count(999), "999"}, {Count(1000), "1,000"},
		{Count(-1234567), "-1,234,567"}, {Count(-12), "-12"},
		{Quantity(0, "evaluation"), "0 evaluations"}, {Quantity(1, "evaluation"), "1 evaluation"},
		{Quantity(12345, "point"), "12,345 points"},
		{Quantity(2, "family"), "2 families"}, {Quantity(1, "family"), "1 family"},
		{Span(-1), "0.0s"},
		{Span(12 * time.Millisecond), "12ms"},
		{Span(4200 * time.Millisecond), "4.2s"}, {Span(9960 * time.Millisecond), "10s"},
		{Span(66 * time.Second), "1m06s"}, {Span(59600 * time.Millisecond), "1m00s"},
		{Span(time.Hour - time.Second/4), "1h00m"}, {Span(8*time.Hour + 2*time.Minute), "8h02m"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}
