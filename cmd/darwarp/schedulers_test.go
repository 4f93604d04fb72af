//go:build !nofleet

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"darwarp/cmd/darwarp/internal/remote"
)

// blocks are the indented blocks of the manual's page on fleets that contain a word.
func blocks(t *testing.T, word string) (found []string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/manual/fleet.md")
	if err != nil {
		t.Fatal(err)
	}
	var block strings.Builder
	for line := range strings.Lines(string(page) + "\nend\n") {
		if rest, ok := strings.CutPrefix(line, "    "); ok || line == "\n" {
			block.WriteString(rest)
			if !ok {
				block.WriteString("\n")
			}
			continue
		}
		if text := strings.TrimSpace(block.String()); strings.Contains(text, word) {
			found = append(found, text+"\n")
		}
		block.Reset()
	}
	return found
}

// joins checks the arguments of a worker, as a scheduler would start it: the command line takes them, with a URL that a
// search prints.
func joins(t *testing.T, args []string) {
	t.Helper()
	line := strings.ReplaceAll(strings.Join(args, " "), "FINGERPRINT", strings.Repeat("0", 64))
	c, rest, err := (&app{}).rootCmd().Find(strings.Fields(line))
	if err != nil || c.Name() != "join" {
		t.Errorf("%s: %v, %v", line, c.Name(), err)
		return
	}
	if err := c.ParseFlags(rest); err != nil || c.Flags().NArg() != 1 {
		t.Errorf("%s: %v, %d arguments", line, err, c.Flags().NArg())
		return
	}
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if at := c.Flag("token-file").Value.String(); filepath.Base(at) != "token" {
		t.Errorf("%s: the token is in %q", line, at)
	}
	if err := (remote.Access{TokenFile: token}).CheckJoin(c.Flags().Arg(0)); err != nil {
		t.Errorf("%s: %v", line, err)
	}
}

// TestStartingWorkers runs the manual's lines for this machine, ssh, Slurm and docker with stand-ins for these:
// they write down what they would start, which is a worker each.
func TestStartingWorkers(t *testing.T) {
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	for name, script := range map[string]string{
		"darwarp": `echo "$@" >> started`,
		"ssh":     `shift; eval "$@"`,
		"scp":     `test -e "$1"`,
		"srun":    `while case $1 in -*) true;; *) false;; esac; do shift; done; "$@"`,
		"sbatch":  `for a; do case $a in --*) ;; *) test "$was" = --wrap && eval "$a";; esac; was=$a; done`,
		"docker": `case $1 in
			build) test "$*" = "build -f cmd/darwarp/python/Containerfile -t darwarp ." && test -f ROOT/$3;;
			run) shift; while [ $# -gt 0 ] && [ "$1" != darwarp ]; do shift; done; "$@";;
			esac`,
	} {
		root, err := filepath.Abs("../..")
		if err != nil {
			t.Fatal(err)
		}
		script = "#!/usr/bin/env bash\nset -e\n" + strings.ReplaceAll(script, "ROOT", root) + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "night.db.fleet"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"address": "nats://host:4222/FINGERPRINT\n", "token": "token\n"} {
		if err := os.WriteFile(filepath.Join(dir, "night.db.fleet", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lines := blocks(t, "srun ")
	if len(lines) != 1 {
		t.Fatalf("%d blocks", len(lines))
	}
	cmd := exec.Command("bash", "-euc", lines[0])
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(started)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.TrimSpace(string(data)), "\n")
	for _, args := range all {
		joins(t, strings.Fields(args))
	}
	if want := 5; len(all) != want { // this machine, ssh, srun, sbatch, docker
		t.Errorf("%d workers, want %d: %q", len(all), want, all)
	}
}

// manifest is what of a Kubernetes object has to fit together.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		Selector struct{ MatchLabels map[string]string }
		Template struct {
			Metadata struct{ Labels map[string]string }
			Spec     struct {
				RestartPolicy string
				Containers    []struct {
					Args         []string
					VolumeMounts []struct{ Name, MountPath string }
				}
				Volumes []struct {
					Name   string
					Secret struct{ SecretName string }
				}
			}
		}
	}
}

// yamlKey is a key of a manifest.
var yamlKey = regexp.MustCompile(`(?:^|[\s{,])([a-z][A-Za-z]*):`)

// TestManifests has kubectl read the manual's manifests, without a cluster: it knows each of their keys, the parts of
// each fit together, and the container starts a worker.
func TestManifests(t *testing.T) {
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("no kubectl here")
	}
	var kinds []string
	for _, text := range blocks(t, "apiVersion: ") {
		data, err := decoded(text)
		if err != nil {
			t.Fatal(err)
		}
		var m manifest
		if err := json.Unmarshal(data, &m); err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, m.Kind)
		for _, key := range unknownKeys(text, data) {
			t.Errorf("%s: kubectl knows no %q", m.Kind, key)
		}
		pod := m.Spec.Template.Spec
		if m.Kind == "Job" && pod.RestartPolicy != "OnFailure" {
			t.Errorf("restartPolicy: %q: a worker that fails would stay so, or end the Job", pod.RestartPolicy)
		}
		for label, value := range m.Spec.Selector.MatchLabels {
			if m.Spec.Template.Metadata.Labels[label] != value {
				t.Errorf("%s: no pod has the label %s: %s", m.Kind, label, value)
			}
		}
		if m.Metadata.Name == "" || len(pod.Containers) != 1 || len(pod.Volumes) != 1 ||
			len(pod.Containers[0].VolumeMounts) != 1 || pod.Containers[0].VolumeMounts[0].Name != pod.Volumes[0].Name {
			t.Fatalf("%+v", m)
		}
		args, mounted := pod.Containers[0].Args, pod.Containers[0].VolumeMounts[0].MountPath
		if joins(t, args); !slices.Contains(args, mounted+"/token") || pod.Volumes[0].Secret.SecretName != "fleet" {
			t.Errorf("%s: no token: %v, %+v", m.Kind, args, pod.Volumes)
		}
	}
	if fmt.Sprint(kinds) != "[Deployment Job]" {
		t.Errorf("%v", kinds)
	}
	data, err := decoded("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {container: 3, containers: [{name: b}]}\n")
	if bad := unknownKeys("spec: {container: 3", data); err != nil || fmt.Sprint(bad) != "[container]" {
		t.Errorf("a key that there is not: %v, %v", bad, err)
	}
}

// decoded is a manifest as kubectl has read it, as JSON. Keys that it does not know are gone.
func decoded(text string) ([]byte, error) {
	cmd := exec.Command("kubectl", "set", "env", "--local", "-f", "-", "-o", "json", "X=Y")
	cmd.Stdin = strings.NewReader(text)
	data, err := cmd.Output()
	if failed, ok := err.(*exec.ExitError); ok {
		err = fmt.Errorf("%w: %s", err, failed.Stderr)
	}
	return data, err
}

func unknownKeys(text string, data []byte) (keys []string) {
	for _, m := range yamlKey.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(string(data), `"`+m[1]+`":`) {
			keys = append(keys, m[1])
		}
	}
	return keys
}
