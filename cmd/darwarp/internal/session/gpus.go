package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/eval"
	"darwarp/eval/env"
	"darwarp/evolve"
)

// What Target.GPUs may be beside a list of indices: IdleGPUs are all that are idle and of one model, AllGPUs all that
// CUDA shows. Empty is the first alone.
const (
	IdleGPUs = "idle"
	AllGPUs  = "all"
)

// parseGPUs reads the indices that --gpus lists; none where it names them otherwise.
func parseGPUs(flag string) (list []int, err error) {
	if flag == "" || flag == IdleGPUs || flag == AllGPUs {
		return nil, nil
	}
	for _, s := range strings.Split(flag, ",") {
		i, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || i < 0 || slices.Contains(list, i) {
			return nil, exit.Usagef("--gpus %q: expected idle, all, or a list of GPUs as in 0,2, each once", flag)
		}
		list = append(list, i)
	}
	return list, nil
}

// checkGPUs refuses GPUs where there is none to choose.
func (t Target) checkGPUs() error {
	if t.GPUs != "" && t.GPUs != IdleGPUs && (t.Device == "cpu" || t.Device == "replay" || t.Races) {
		return exit.Usagef("--gpus %s: --device %s has no GPUs", t.GPUs, t.Device)
	}
	_, err := parseGPUs(t.GPUs)
	return err
}

// chooseGPUs are the indices of the GPUs that the target asks for. Where there was a choice, people hear of it.
func (t Target) chooseGPUs(ctx context.Context, problem string, say func(string, ...any)) ([]int, error) {
	list, err := parseGPUs(t.GPUs)
	if err != nil {
		return nil, err
	}
	if t.GPUs == "" || len(list) == 0 && env.VisibleGPUs() == 1 {
		return []int{0}, nil
	}
	if len(list) == 1 {
		return list, nil
	}
	seen, err := env.LookAll(ctx, env.Locate())
	if err != nil {
		return nil, err
	}
	chosen, err := pick(seen, t.GPUs, list, problem)
	if err != nil {
		return nil, err
	}
	var names []int
	for _, g := range chosen.GPUs {
		names = append(names, g.Index)
		if why := g.Busy(); why != "" {
			say("GPU %d is used although it is %s", g.Index, why)
		}
	}
	for _, line := range chosen.Left {
		say("%s", line)
	}
	if len(seen) > 1 {
		say("%s of %d (%s)", gpuList(names), len(seen), chosen.GPUs[0].Device.Name)
	}
	return names, nil
}

// pick chooses among the GPUs that were seen. A search is refused GPUs of several models.
func pick(seen []env.SeenGPU, flag string, list []int, problem string) (c env.Chosen, err error) {
	if flag == IdleGPUs {
		return env.Idle(seen), nil
	}
	for i, g := range seen {
		named := slices.Contains(list, i)
		switch {
		case named && g.Err != nil:
			return c, g.Err
		case g.Err != nil:
			c.Left = append(c.Left, fmt.Sprintf("GPU %d is left out: %v", i, g.Err))
		case named || flag == AllGPUs:
			c.GPUs = append(c.GPUs, g)
		}
	}
	if at := slices.IndexFunc(list, func(i int) bool { return i >= len(seen) }); at >= 0 {
		return c, exit.Usagef("--gpus %s: there is no GPU %d, this machine has %s", flag, list[at],
			report.Quantity(len(seen), "GPU"))
	}
	return c, unlike(env.Models(c.GPUs), problem)
}

// unlike refuses GPUs of several models, with a command for each.
func unlike(models [][]env.SeenGPU, problem string) error {
	if len(models) < 2 {
		return nil
	}
	var have, commands []string
	for _, of := range models {
		var names []int
		for _, g := range of {
			names = append(names, g.Index)
		}
		have = append(have, fmt.Sprintf("%s: %s", gpuList(names), of[0].Device.Name))
		commands = append(commands, fmt.Sprintf("darwarp search %s --gpus %s", problem, joined(names)))
	}
	return exit.Usagef("these GPUs are of several models (%s), and times of two models cannot be compared. Start a "+
		"search on each:\n  %s", strings.Join(have, "; "), strings.Join(commands, "\n  "))
}

func joined(names []int) string {
	var s []string
	for _, n := range names {
		s = append(s, strconv.Itoa(n))
	}
	return strings.Join(s, ",")
}

// gpuList names GPUs for people.
func gpuList(names []int) string {
	if len(names) == 1 {
		return fmt.Sprintf("GPU %d", names[0])
	}
	return "GPUs " + strings.ReplaceAll(joined(names), ",", ", ")
}

// Opened is an evaluator of this machine, or of others.
type Opened interface {
	evolve.Evaluator
	Close() error
}

// openDevice opens the processor, one GPU or several.
func openDevice(ctx context.Context, cfg eval.Config, gpus []int) (Opened, error) {
	if len(gpus) > 1 {
		return eval.OpenHost(ctx, cfg, gpus)
	}
	if len(gpus) == 1 {
		cfg.GPU = gpus[0]
	}
	return eval.Open(ctx, cfg)
}

// refused makes what a user can change a mistake of usage.
func refused(err error) error {
	if errors.Is(err, eval.ErrTooLarge) || errors.Is(err, eval.ErrUnfit) {
		return exit.Usagef("%w", err)
	}
	return err
}
