package dl

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree makes a machine's files in a temporary folder; "a -> b" is a symbolic link and "a = text" a
// file with text.
func tree(t *testing.T, entries ...string) fs.FS {
	t.Helper()
	top := t.TempDir()
	for _, e := range entries {
		name, text, _ := strings.Cut(e, " = ")
		from, to, link := strings.Cut(e, " -> ")
		file := filepath.Join(top, name)
		if link {
			file = filepath.Join(top, from)
		}
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if link {
			err = errors.Join(err, os.Symlink(relative(from, to), file))
		} else {
			err = errors.Join(err, os.WriteFile(file, []byte(text), 0o644))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return os.DirFS(top)
}

// relative rewrites an absolute link so that it stays inside the made-up machine.
func relative(from, to string) string {
	if rel, err := filepath.Rel(filepath.Dir(from), to); err == nil {
		return rel
	}
	return to
}

func finder(files fs.FS, env map[string]string) Finder {
	return Finder{FS: files, Getenv: func(k string) string { return env[k] }}
}

func needAMD64(t *testing.T) {
	t.Helper()
	if machine().target != "x86_64-linux" {
		t.Skip("the made-up trees hold x86_64 folders; this machine looks for " + machine().target)
	}
}

func TestFind(t *testing.T) {
	needAMD64(t)
	const wheel = "/lib/python3.11/site-packages/nvidia/"
	tests := []struct {
		name  string
		lib   Library
		files []string
		env   map[string]string
		want  string
	}{
		{"toolkit root", NVRTC, []string{"/sw/cuda/lib64/libnvrtc.so.13"}, map[string]string{"DARWARP_CUDA": "/sw/cuda"},
			"/sw/cuda/lib64/libnvrtc.so.13"},
		{"wheel folder", NVRTC, []string{"/e" + wheel + "cu13/lib/libnvrtc.so.13"},
			map[string]string{"DARWARP_CUDA": "/e" + wheel + "cu13"}, "/e" + wheel + "cu13/lib/libnvrtc.so.13"},
		{"wheels' parent", NVRTC, []string{"/e" + wheel + "cuda_nvrtc/lib/libnvrtc.so.12"},
			map[string]string{"DARWARP_CUDA": "/e" + wheel}, "/e" + wheel + "cuda_nvrtc/lib/libnvrtc.so.12"},
		{"own folder before the machine's", NVRTC,
			[]string{"/sw/lib64/libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.13"},
			map[string]string{"DARWARP_CUDA": "/sw"}, "/sw/lib64/libnvrtc.so.12"},
		{"folder with pattern characters", NVRTC, []string{"/a[1]*/lib64/libnvrtc.so.13"},
			map[string]string{"DARWARP_CUDA": "/a[1]*"}, "/a[1]*/lib64/libnvrtc.so.13"},
		{"CUDA_HOME", CublasLt, []string{"/h/targets/x86_64-linux/lib/libcublasLt.so.12"},
			map[string]string{"CUDA_HOME": "/h"}, "/h/targets/x86_64-linux/lib/libcublasLt.so.12"},
		{"newer soname in one folder", NVRTC, []string{"/h/lib/libnvrtc.so.12", "/h/lib/libnvrtc.so.13"},
			map[string]string{"CUDA_PATH": "/h"}, "/h/lib/libnvrtc.so.13"},
		{"LD_LIBRARY_PATH", NVRTC, []string{"/x/libnvrtc.so.13"}, map[string]string{"LD_LIBRARY_PATH": "/none:/x"},
			"/x/libnvrtc.so.13"},
		{"newest of several toolkits", NVRTC, []string{"/usr/local/cuda-12.9/lib64/libnvrtc.so.12",
			"/usr/local/cuda-12.10/lib64/libnvrtc.so.12"}, nil, "/usr/local/cuda-12.10/lib64/libnvrtc.so.12"},
		{"chosen link before newer version", NVRTC,
			[]string{"/usr/local/cuda -> cuda-12.4", "/usr/local/cuda-12.4/lib64/libnvrtc.so.12",
				"/usr/local/cuda-13.0/lib64/libnvrtc.so.13"}, nil, "/usr/local/cuda/lib64/libnvrtc.so.12"},
		{"virtual environment", CublasLt, []string{"/v" + wheel + "cublas/lib/libcublasLt.so.12"},
			map[string]string{"VIRTUAL_ENV": "/v"}, "/v" + wheel + "cublas/lib/libcublasLt.so.12"},
		{"user packages", NVRTC, []string{"/home/u/.local" + wheel + "cu13/lib/libnvrtc.so.13"},
			map[string]string{"HOME": "/home/u"}, "/home/u/.local" + wheel + "cu13/lib/libnvrtc.so.13"},
		{"application's environment in /opt", NVRTC, []string{"/opt/app/.venv" + wheel + "cu13/lib/libnvrtc.so.13"}, nil,
			"/opt/app/.venv" + wheel + "cu13/lib/libnvrtc.so.13"},
		{"distribution's Python", NVRTC, []string{"/usr/local/lib/python3.12/dist-packages/nvidia/cu13/lib/libnvrtc.so.13"},
			nil, "/usr/local/lib/python3.12/dist-packages/nvidia/cu13/lib/libnvrtc.so.13"},
		{"python3 on PATH, through links", NVRTC,
			[]string{"/shim/python3 -> /py/3.11/bin/python3.11", "/py/3.11/bin/python3.11",
				"/py/3.11" + wheel + "cu13/lib/libnvrtc.so.13"},
			map[string]string{"PATH": "/shim"}, "/py/3.11" + wheel + "cu13/lib/libnvrtc.so.13"},
		{"python3 of an environment made from another", NVRTC,
			[]string{"/v/bin/python3", "/v/pyvenv.cfg = include-system-site-packages = true\nhome = /base/bin\n",
				"/base" + wheel + "cu13/lib/libnvrtc.so.13"},
			map[string]string{"PATH": "/v/bin"}, "/base" + wheel + "cu13/lib/libnvrtc.so.13"},
		{"conda packages", NVRTC, []string{"/c/targets/x86_64-linux/lib/libnvrtc.so.12"},
			map[string]string{"CONDA_PREFIX": "/c"}, "/c/targets/x86_64-linux/lib/libnvrtc.so.12"},
		{"container driver", CUDA, []string{"/usr/local/nvidia/lib64/libcuda.so.1"}, nil,
			"/usr/local/nvidia/lib64/libcuda.so.1"},
		{"distribution driver", NVML, []string{"/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1"}, nil,
			"/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1"},
		{"never a toolkit's stub driver", CUDA, []string{"/usr/local/cuda/lib64/libcuda.so.1",
			"/usr/local/cuda/lib64/stubs/libcuda.so.1"}, map[string]string{"CUDA_HOME": "/usr/local/cuda"}, ""},
		{"a folder is no library", NVRTC, []string{"/usr/local/cuda/lib64/libnvrtc.so.13/x"}, nil, ""},
		{"python3 link loop", NVRTC, []string{"/p/python3 -> python", "/p/python -> python3"},
			map[string]string{"PATH": "/p"}, ""},
		{"nothing", NVRTC, nil, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, tried, err := finder(tree(t, tt.files...), tt.env).Find(tt.lib)
			if got != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("Find = %q, %v; want %q\ntried:\n%s", got, err, tt.want, strings.Join(tried, "\n"))
			}
			if len(tried) == 0 {
				t.Error("no place reported as tried")
			}
		})
	}
}

func TestFindReportsPlaces(t *testing.T) {
	_, tried, err := finder(tree(t), map[string]string{"DARWARP_CUDA": "/sw"}).Find(NVRTC)
	if err == nil || !strings.Contains(err.Error(), "DARWARP_CUDA") {
		t.Errorf("error does not name the remedy: %v", err)
	}
	for _, want := range []string{"/sw/lib64", "/usr/local/cuda*/lib64", "/usr/local/nvidia/lib64"} {
		if !slices.Contains(tried, want) {
			t.Errorf("%s is not among the places tried", want)
		}
	}
	if tried[0] != "/sw/lib64" {
		t.Errorf("first place is %s, want the user's", tried[0])
	}
}

func TestIncludeDirs(t *testing.T) {
	needAMD64(t)
	tests := []struct {
		name       string
		nvrtc      string
		files      []string
		root, dirs string
	}{
		{"toolkit 13", "/usr/local/cuda/lib64/libnvrtc.so.13",
			[]string{"/usr/local/cuda/include/cuda_fp16.h", "/usr/local/cuda/include/cccl/cuda/std/array"}, "/usr/local/cuda",
			"/usr/local/cuda/include /usr/local/cuda/include/cccl"},
		{"targets folder", "/c/targets/x86_64-linux/lib/libnvrtc.so.12",
			[]string{"/c/targets/x86_64-linux/include/cuda_fp16.h"}, "/c", "/c/targets/x86_64-linux/include"},
		{"wheels of CUDA 12", "/s/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", []string{"/s/nvidia/cuda_nvrtc/include/nvrtc.h",
			"/s/nvidia/cuda_runtime/include/cuda_fp16.h"}, "/s/nvidia/cuda_runtime", "/s/nvidia/cuda_runtime/include"},
		{"headers of the library found, not of another toolkit", "/b/lib/libnvrtc.so.12",
			[]string{"/b/include/cuda_fp16.h", "/usr/local/cuda/include/cuda_fp16.h"}, "/b", "/b/include"},
		{"library without headers", "/usr/lib/x86_64-linux-gnu/libnvrtc.so.12",
			[]string{"/usr/local/cuda-12.8/include/cuda_fp16.h"}, "/usr/local/cuda-12.8", "/usr/local/cuda-12.8/include"},
		{"crt alone is not enough", "/b/lib/libnvrtc.so.13", []string{"/b/include/crt/mma.h"}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, err := finder(tree(t, tt.files...), nil).IncludeDirs(tt.nvrtc)
			if h.Root != tt.root || strings.Join(h.Dirs, " ") != tt.dirs || (err == nil) != (tt.root != "") {
				t.Errorf("IncludeDirs = %q %q, %v; want %q %q", h.Root, h.Dirs, err, tt.root, tt.dirs)
			}
		})
	}
}

// makeCache builds an ld.so.cache as ldconfig does: magic, counts, entries, strings.
func makeCache(paths ...string) []byte {
	head := append([]byte(cacheMagic), make([]byte, cacheHeader-len(cacheMagic))...)
	binary.LittleEndian.PutUint32(head[20:], uint32(len(paths)))
	var entries, text []byte
	base := cacheHeader + cacheEntry*len(paths)
	for _, p := range paths {
		e := make([]byte, cacheEntry)
		binary.LittleEndian.PutUint32(e[8:], uint32(base+len(text)))
		entries, text = append(entries, e...), append(text, p+"\x00"...)
	}
	return slices.Concat(head, entries, text)
}

func TestLoaderCache(t *testing.T) {
	cache := "old-style table\x00" + string(makeCache("/odd/libc.so.6", "/odd/place/libcuda.so.1"))
	files := tree(t, "/odd/place/libcuda.so.1", "/odd/libc.so.6", "/etc/ld.so.cache = "+cache)
	got, _, err := finder(files, nil).Find(CUDA)
	if err != nil || got != "/odd/place/libcuda.so.1" {
		t.Errorf("Find = %q, %v", got, err)
	}
}

func FuzzCachedPaths(f *testing.F) {
	f.Add(makeCache("/a/b.so"))
	f.Add(makeCache("/a/b.so")[:60])
	f.Add([]byte(cacheMagic))
	f.Fuzz(func(t *testing.T, cache []byte) {
		for _, p := range cachedPaths(cache) {
			if strings.ContainsRune(p, 0) {
				t.Errorf("path %q holds a NUL", p)
			}
		}
	})
}

func TestNewestFirst(t *testing.T) {
	list := []string{"/a/cuda-12.9", "/a/cuda-13.0", "/a/cuda-12.10", "/a/cuda-9.2", "/a/cuda/lib"}
	slices.SortFunc(list, newestFirst)
	want := "/a/cuda/lib /a/cuda-13.0 /a/cuda-12.10 /a/cuda-12.9 /a/cuda-9.2"
	if got := strings.Join(list, " "); got != want {
		t.Errorf("sorted = %s, want %s", got, want)
	}
}
