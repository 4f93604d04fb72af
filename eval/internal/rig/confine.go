package rig

import (
	"fmt"

	"darwarp/eval/env"
	"darwarp/eval/internal/sandbox"
)

// fence is the mode, empty for off.
func (c *Config) fence() sandbox.Mode {
	if c.Sandbox == sandbox.Off {
		return ""
	}
	return c.Sandbox
}

// CheckFence refuses what a mode lacks here, and foreign sources where nothing keeps them from the files of this user.
// What else is missing is told, in one line.
func (c *Config) CheckFence() error {
	mode := c.fence()
	if mode == "" {
		return nil
	}
	if err := sandbox.Check(mode); err != nil {
		return &env.Error{What: "the sandbox that --sandbox strict asks for", Why: err.Error(),
			Do: "Use --sandbox best, or --sandbox off for sources that you trust"}
	}
	here := layersHere()
	if missing := here.Missing(); missing != "" {
		c.Say(fmt.Sprintf("the sandbox lacks layers here (%s; darwarp doctor explains them)", missing))
	}
	if !here.Files() {
		return c.refuse("this kernel has no Landlock")
	}
	return nil
}

// layersHere are the kernel's; tests take some away.
var layersHere = sandbox.Here

// refuse is the error for foreign sources that nothing keeps from files, nil for ours.
func (c *Config) refuse(why string) error {
	if !c.Foreign {
		return nil
	}
	return &env.Error{What: "a sandbox for sources that are not darwarp's own", Why: why +
		", so they could read and write every file of this user",
		Do: "Use a kernel with Landlock (Linux 5.13 or later), or --sandbox off if you trust whoever wrote them"}
}

// unfenced tells that something runs outside of the sandbox, or refuses to run foreign sources there.
func (c *Config) unfenced(what, who string, inside error) error {
	if err := c.refuse(fmt.Sprintf("%s does not work in the sandbox (%v)", what, inside)); err != nil {
		return err
	}
	c.Say(fmt.Sprintf("%s does not work in the sandbox, %s run outside of it (%v)", what, who, inside))
	return nil
}
