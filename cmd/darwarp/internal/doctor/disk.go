package doctor

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"darwarp/cmd/darwarp/internal/report"
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
	for {
		if _, err := os.Stat(at); err == nil || at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
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
