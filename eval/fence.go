package eval

import (
	"darwarp/eval/internal/sandbox"
)

// SandboxMode says how the workers that meet untrusted sources and machine code are fenced in.
type SandboxMode = sandbox.Mode

// The modes: best takes the layers that the kernel has, strict refuses to work without them.
const (
	SandboxBest   = sandbox.Best
	SandboxStrict = sandbox.Strict
	SandboxOff    = sandbox.Off
)

// SandboxModes lists the modes for messages.
func SandboxModes() []string { return sandbox.Modes() }

// SandboxLayers names what this machine's kernel offers, empty when it is nothing.
func SandboxLayers() string { return sandbox.Here().String() }

// SandboxLayer is one layer of the sandbox, whether this machine's kernel offers it or not.
type SandboxLayer = sandbox.Layer

// SandboxList tells of each layer.
func SandboxList() []SandboxLayer { return sandbox.Here().List() }

// SandboxMissing names the layers that this machine's kernel does not offer, empty if it offers all.
func SandboxMissing() string { return sandbox.Here().Missing() }
