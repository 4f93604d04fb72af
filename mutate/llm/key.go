package llm

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// The environment's names. The key of OpenAI is sent to OpenAI, or to where OPENAI_BASE_URL points, and
// nowhere else.
const (
	EnvKey       = "DARWARP_LLM_KEY"
	EnvOpenAIKey = "OPENAI_API_KEY"
	EnvBaseURL   = "OPENAI_BASE_URL"
)

const maxKey = 4 << 10 // bytes of a key file

// BaseURL is the server to ask: the one that is named, the environment's, or OpenAI's.
func BaseURL(named string, getenv func(string) string) string {
	for _, u := range []string{named, getenv(EnvBaseURL), OpenAI} {
		if u != "" {
			return strings.TrimSuffix(u, "/")
		}
	}
	return OpenAI
}

// Key finds the key for a server: in a file where one is named, else in the environment. An empty key
// is none: local servers need none.
func Key(file, base string, getenv func(string) string) (string, error) {
	if file != "" {
		return readKey(file)
	}
	if key := strings.TrimSpace(getenv(EnvKey)); key != "" {
		return key, checkKey(EnvKey, key)
	}
	if base != OpenAI && base != strings.TrimSuffix(getenv(EnvBaseURL), "/") {
		return "", nil
	}
	key := strings.TrimSpace(getenv(EnvOpenAIKey))
	return key, checkKey(EnvOpenAIKey, key)
}

func readKey(file string) (string, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe is not waited for
	if known := new(os.PathError); errors.As(err, &known) {
		err = known.Err
	}
	if err != nil {
		return "", fmt.Errorf("key file %s: %w", file, err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", fmt.Errorf("key file: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxKey:
		return "", fmt.Errorf("key file %s: expected a file that contains only the key", file)
	case info.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("key file %s can be read by others: chmod 600 %s", file, file)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxKey))
	if err != nil {
		return "", fmt.Errorf("key file: %w", err)
	}
	key := strings.TrimSpace(string(data))
	if key == "" {
		return "", fmt.Errorf("key file %s is empty", file)
	}
	return key, checkKey(file, key)
}

// checkKey refuses what cannot stand in a header, before it fails with the key in a message.
func checkKey(where, key string) error {
	for _, r := range key {
		if r <= ' ' || r > '~' {
			return fmt.Errorf("%s: the key has a blank or a character that no key has", where)
		}
	}
	return nil
}
