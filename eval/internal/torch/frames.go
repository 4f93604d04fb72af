package torch

import (
	_ "embed"
	"encoding/json"
)

// Frames is the module frames.py: a Python that serves requests like a worker.
//
//go:embed frames.py
var Frames string

// Request is a request to a Python, by name, with raw bytes.
type Request struct {
	body map[string]any
	blob []byte
}

// NewRequest asks for what, with a body that is written as JSON.
func NewRequest(what string, body any, blob []byte) *Request {
	return &Request{map[string]any{what: body}, blob}
}

// Blob holds the raw bytes.
func (r *Request) Blob() *[]byte { return &r.blob }

// MarshalJSON writes the body alone.
func (r *Request) MarshalJSON() ([]byte, error) { return json.Marshal(r.body) }
