package eval

import (
	"fmt"

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

// fence is the mode, empty for off.
func (c *Config) fence() sandbox.Mode {
	if c.Sandbox == sandbox.Off {
		return ""
	}
	return c.Sandbox
}

// SandboxLayer is one layer of the sandbox, whether this machine's kernel offers it or not.
type SandboxLayer = sandbox.Layer

// SandboxList tells of each layer.
func SandboxList() []SandboxLayer { return sandbox.Here().List() }

// SandboxMissing names the layers that this machine's kernel does not offer, empty if it offers all.
func SandboxMissing() string { return sandbox.Here().Missing() }

// checkFence refuses what a mode lacks here, and foreign sources where nothing keeps them from the files of this user.
// What else is missing is told, in one line.
func (p *Pool) checkFence() error {
	mode := p.cfg.fence()
	if mode == "" {
		return nil
	}
	if err := sandbox.Check(mode); err != nil {
		return &EnvError{What: "the sandbox that --sandbox strict asks for", Why: err.Error(),
			Do: "Use --sandbox best, or --sandbox off for sources that you trust"}
	}
	here := layersHere()
	if missing := here.Missing(); missing != "" {
		p.cfg.progress(fmt.Sprintf("the sandbox lacks layers here (%s; darwarp doctor explains them)", missing))
	}
	if !here.Files() {
		return p.refuse("this kernel has no Landlock")
	}
	return nil
}

// layersHere are the kernel's; tests take some away.
var layersHere = sandbox.Here

// refuse is the error for foreign sources that nothing keeps from files, nil for ours.
func (p *Pool) refuse(why string) error {
	if !p.cfg.Foreign {
		return nil
	}
	return &EnvError{What: "a sandbox for sources that are not darwarp's own", Why: why +
		", so they could read and write every file of this user",
		Do: "Use a kernel with Landlock (Linux 5.13 or later), or --sandbox off if you trust whoever wrote them"}
}

// unfenced tells that something runs outside of the sandbox, or refuses to run foreign sources there.
func (p *Pool) unfenced(what, who string, inside error) error {
	if err := p.refuse(fmt.Sprintf("%s does not work in the sandbox (%v)", what, inside)); err != nil {
		return err
	}
	p.cfg.progress(fmt.Sprintf("%s does not work in the sandbox, %s run outside of it (%v)", what, who, inside))
	return nil
}
