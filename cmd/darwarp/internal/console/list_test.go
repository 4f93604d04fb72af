package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
)

// TestList: an array looks the same whether it is written at once or value by value.
func TestList(t *testing.T) {
	type value struct {
		Text string         `json:"text"`
		Map  map[string]any `json:"map"`
	}
	for _, all := range [][]any{
		{},
		{1},
		{"<a>\x1b[2J\n", value{"\u009b", map[string]any{"x": []int{1, 2}}}, nil, []int{}},
	} {
		var want, got bytes.Buffer
		if err := New(nil, &want, nil).PrintJSON(all); err != nil {
			t.Fatal(err)
		}
		if err := New(nil, &got, nil).PrintList(func(add func(any) error) error {
			for _, v := range all {
				if err := add(v); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("%s\nwant %s", got.String(), want.String())
		}
	}
}

// TestBrokenList: an array that ends with an error is no array.
func TestBrokenList(t *testing.T) {
	var got bytes.Buffer
	broken := errors.New("damaged")
	err := New(nil, &got, nil).PrintList(func(add func(any) error) error { return errors.Join(add(1), broken) })
	if !errors.Is(err, broken) || json.Valid(got.Bytes()) {
		t.Errorf("%v: %s", err, got.String())
	}
}
