//go:build !amd64

package sandbox

var forks, extra []uint32
