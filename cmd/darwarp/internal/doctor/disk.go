package doctor

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/eval"
)

// lowDisk is the free space below which the doctor warns, in bytes: a night's run takes less.
const lowDisk = 1 << 30

// fileSystems names the usual ones, by the numbers of statfs(2).
var fileSystems = map[int64]string{
	0xEF53: "ext4", 0x58465342: "xfs", 0x9123683E: "btrfs", 0x01021994: "tmpfs", 0x794C7630: "overlayfs",
	0x2FC12FC1: "zfs",
	0x6969:     "nfs", 0xFF534D42: "cifs", 0xFE534D42: "smb2", 0x65735546: "fuse", 0x0BD00BD0: "lustre", 0x01021997: "9p",
}

// folder reports free space and file system of a folder, or of what exists above it.
func folder(name, dir, why string) finding {
	at := dir
	info, err := os.Stat(at)
	for err != nil && at != filepath.Dir(at) {
		at = filepath.Dir(at)
		info, err = os.Stat(at)
	}
	if err == nil && !info.IsDir() {
		return finding{Name: name, Detail: fmt.Sprintf("%s: %s is a file", dir, at), Do: why + ": it needs to be a folder"}
	}
	var s unix.Statfs_t
	if err := unix.Statfs(at, &s); err != nil {
		return finding{Name: name, Detail: err.Error(), Do: why}
	}
	kind, ok := fileSystems[int64(s.Type)]
	if !ok {
		kind = fmt.Sprintf("file system %#x", s.Type)
	}
	free := int(s.Bavail) * int(s.Bsize)
	f := finding{Name: name, OK: free >= lowDisk && unix.Access(at, unix.W_OK) == nil,
		Detail: fmt.Sprintf("%s, %s, %s free", dir, kind, report.Bytes(free))}
	if !f.OK {
		f.Do = why + ": it needs to be writable with 1 GiB free"
	}
	return f
}

// cacheFolder reports what the cache of compiled candidates has, or why there is none.
func cacheFolder() finding {
	const name = "cache folder"
	dir, err := session.CacheDir()
	switch {
	case err != nil:
		return finding{Name: name, Detail: err.Error(),
			Do: "Compiled candidates are kept where XDG_CACHE_HOME says, or below HOME"}
	case dir == "":
		return finding{Name: name, OK: true, Detail: "none, as " + session.CacheSwitch + " says"}
	}
	f := folder(name, dir, "Compiled candidates are kept here, or where XDG_CACHE_HOME says")
	files, bytes, err := eval.CacheUse(dir)
	if err != nil && f.OK {
		f.OK, f.Detail, f.Do = false, err.Error(), "Nothing is kept there: set XDG_CACHE_HOME to a folder of your own"
	} else if err == nil {
		f.Detail += fmt.Sprintf(", %s in %s, %s at most", report.Bytes(int(bytes)), report.Quantity(files, "file"),
			report.Bytes(eval.CacheSize))
	}
	return f
}
