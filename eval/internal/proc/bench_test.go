package proc

import (
	"fmt"
	"testing"
)

func BenchmarkCall(b *testing.B) {
	for _, size := range []int{0, 100 << 10} {
		b.Run(fmt.Sprintf("blob=%dKiB", size>>10), func(b *testing.B) {
			w := start(b, Spec{})
			req := &request{Do: "echo", Data: make([]byte, size)}
			for b.Loop() {
				if err := w.Call(b.Context(), req, &reply{}, long, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		w, err := Start(b.Context(), Spec{Args: []string{roleFlag + "serve"}})
		if err != nil {
			b.Fatal(err)
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
