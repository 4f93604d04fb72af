package models

import (
	"errors"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/mutate/llm"
	"darwarp/store"
)

func (f *Options) where() string {
	if f.Replay != "" {
		return "of the run " + f.Replay
	}
	return "at " + f.URL
}

// chat is whom to ask: a server, or an earlier run.
func (f *Options) chat() (llm.Chat, func(), error) {
	if f.Replay != "" {
		r, err := recordedChat(f.Replay)
		if err == nil && len(f.Models) == 0 {
			f.Models = r.Models()
		}
		return r, func() {}, err
	}
	if len(f.Models) == 0 {
		return nil, nil, exit.Usagef("--llm %s: name a model with --llm-model", f.Config)
	}
	f.URL = llm.BaseURL(f.URL, f.Getenv)
	e, err := f.Endpoint()
	if err != nil {
		return nil, nil, err
	}
	return e, e.Close, nil
}

// Endpoint is the server to ask; nothing is sent yet.
func (f *Options) Endpoint() (*llm.Endpoint, error) {
	key, err := llm.Key(f.KeyFile, f.URL, f.Getenv)
	if err != nil {
		return nil, exit.Usagef("%v", err)
	}
	e, err := llm.NewEndpoint(f.URL, key, f.Timeout)
	if err != nil {
		return nil, exit.Usagef("--llm-url %v", err)
	}
	return e, nil
}

func recordedChat(path string) (r *llm.Recorded, err error) {
	path = record.Locate(path)
	if err := record.CheckFile(path); err != nil {
		return nil, err
	}
	run, err := store.View(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	all, err := run.Exchanges()
	if err == nil && len(all) == 0 {
		err = exit.Usagef("--llm-replay %s: the run has no exchange with a language model", path)
	}
	return llm.NewRecorded(all), err
}
