package compile

import (
	"slices"
	"strings"

	"darwarp/eval/internal/nvrtc"
	"darwarp/kernels"
)

// explain prepares the compiler's messages for people and prompts: the errors among them, at most 20 lines.
func (s *server) explain(log string) string {
	const most = 20
	var kept []string
	// A message is a paragraph: position and text, the line of the source, a caret.
	for message := range strings.SplitSeq(s.clean(log), "\n\n") {
		if isError(message) {
			kept = append(kept, strings.Split(strings.Trim(message, "\n"), "\n")...)
		}
	}
	if len(kept) == 0 {
		kept = append(tooMuchShared(log), spoken(s.clean(log))...)
	}
	if len(kept) == 0 {
		kept = []string{silent}
	}
	return kernels.CleanDetail(strings.Join(kept[:min(len(kept), most)], "\n"))
}

// silent replaces the message that NVRTC leaves out if a program has too much constant memory.
const silent = "error: the assembler refuses it and gives no reason: are there more than 65536 bytes of __constant__ " +
	"variables?"

// spoken is a log without the assembler's figures.
func spoken(log string) []string {
	return slices.DeleteFunc(strings.Split(strings.TrimSpace(log), "\n"), func(line string) bool {
		return line == "" || strings.HasPrefix(line, "ptxas info") || strings.HasPrefix(line, "ptxas         .")
	})
}

// tooMuchShared is the message that NVRTC leaves out if it refuses a kernel because of its static shared memory.
func tooMuchShared(log string) (lines []string) {
	for _, k := range nvrtc.ParsePtxas(log) {
		if k.SharedBytes > mostStaticShared {
			lines = append(lines, tooMuchStatic(k.Entry, k.SharedBytes))
		}
	}
	return lines
}

func isError(message string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return strings.Contains(first, "error") || strings.Contains(first, "fatal")
}

func (s *server) clean(log string) string {
	return cleanLog(log, append([]string{includeDir(s.folder), s.folder}, s.IncludeDirs...))
}

// cleanLog limits the length of a compiler's text, and removes our folders and terminal control characters from it.
func cleanLog(log string, dirs []string) string {
	log = log[:min(len(log), maxLog)]
	for _, dir := range dirs {
		log = strings.ReplaceAll(log, strings.TrimSuffix(dir, "/")+"/", "")
	}
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (r < ' ' || r == 0x7f) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(log, "?"))
}
