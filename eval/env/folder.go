package env

import (
	"errors"

	"darwarp/eval/internal/compile"
)

// UnusableFolder is for people what is wrong with a folder that compilers need; nil where that is not the error.
func UnusableFolder(err error) error {
	var folder *compile.FolderError
	if !errors.As(err, &folder) {
		return nil
	}
	return &Error{What: folder.What + " " + folder.Dir, Fault: "cannot be written to", Why: folder.Err.Error(),
		Do: "Make it writable, or set " + folder.Variable + " to a folder that is"}
}
