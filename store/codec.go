package store

import (
	"bytes"
	"compress/flate" // reads what any compressor of the format has written
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"reflect"
	"sync"

	deflate "github.com/klauspost/compress/flate"
	bolt "go.etcd.io/bbolt"
)

// A record is codec (1 byte), CRC-32C of codec and payload (4 bytes, big-endian), payload. bbolt
// checks only its two meta pages; the sum is what tells a flipped bit from a figure.
//
// Compression is worth its time: 1.9 KB of JSON for a typical candidate become 0.5 KB with the dictionary, at
// 25 µs to write and 10 µs to read. Without the dictionary it is 1 KB.
const (
	codecPlain = 'p'
	codecFlate = 'f' // flate with the dictionary below
	headerSize = 5
	maxRecord  = 1 << 28 // bytes of a payload: bounds what a hostile file can make us allocate
	maxSmall   = 1 << 24 // of one of the kinds of which there are many
)

// dictionary primes the compressor with what candidates look like. It is part of the file format:
// a better one needs a codec of its own.
const dictionary = `"block_k":"block_m":"block_n":"stages":"warps_m":"warps_n":"swizzle":true,"loader":"tma",` +
	`"cp_async"` +
	`{"champion":"challenger":"rounds":"ratio":"verdict":"device":"protocol":"version":"wrong","compile","crash",` +
	`"timeout","duplicate"` +
	`{"id":"","seq":1,"variant":{"family":"wgmma","genes":{"block_k":64,"block_m":128,"block_n":128,` +
	`"schedule":"persistent","split_k":1,"stages":4}},` +
	`"origin":{"operator":"default","random","mutate","crossover","parents":["",""],"generation":1,"note":"stages 3 ` +
	`-\u003e 4"},` +
	`"result":{"outcome":"ok","detail":"","resources":[{"entry":"gemm","registers":168,"spill_stores":0,` +
	`"spill_loads":0,"stack":0,` +
	`"static_smem":0,"dynamic_smem":196608,"blocks_per_sm":1,"occupancy":0.1875}],"code":"",` +
	`"gate":{"checks":24,"elements":1000,"worst":0.1,"where":"m=512,n=512,k=64 normal","frobenius":0.0001},` +
	`"times":[{"workload":"m=4096,n=4096,k=4096","median":100000.5,"lo":100000.25,"hi":100000.75,"samples":31,` +
	`"cache":"hot","tier":"screen","clock":1755},` +
	`{"workload":"","median":1,"lo":1,"hi":1,"samples":31,"cache":"hot","tier":"fitness","clock":1755,` +
	`"tags":["power-cap"]}],` +
	`"cost":{"compile":0.5,"gate":0.1,"time":0.2,"wait":0.1},"proof":""},"score":0.5,"at":"2026-01-01T00:00:00Z"}`

// level is the one whose tables are small enough to be cleared for each record: records come out as with compress/flate
// at its default, in half of the time.
const level = 5

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	deflaters  = sync.Pool{New: func() any {
		w, err := deflate.NewWriterDict(io.Discard, level, []byte(dictionary))
		if err != nil { // the level is a constant
			panic(err)
		}
		return w
	}}
	inflaters = sync.Pool{New: func() any { return flate.NewReader(nil) }}
)

// pack makes a record, compressed where that makes it smaller.
func pack(payload []byte) ([]byte, error) {
	if len(payload) > maxRecord {
		return nil, fmt.Errorf("a record of %d bytes: expected at most %d", len(payload), maxRecord)
	}
	var buf bytes.Buffer
	buf.Write([]byte{codecFlate, 0, 0, 0, 0})
	w := deflaters.Get().(*deflate.Writer)
	defer deflaters.Put(w)
	w.Reset(&buf)
	if _, err := w.Write(payload); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	record := buf.Bytes()
	if len(record)-headerSize >= len(payload) {
		record = append([]byte{codecPlain, 0, 0, 0, 0}, payload...)
	}
	binary.BigEndian.PutUint32(record[1:], sum(record))
	return record, nil
}

// limit is how many bytes a record of v may have: there are one description and one checkpoint.
func limit(v any) int {
	if _, one := v.(*Meta); one {
		return maxRecord
	}
	return maxSmall
}

// unpack gives back a copy of what pack was given, of at most so many bytes: bolt's bytes die with their transaction.
func unpack(record []byte, most int) ([]byte, error) {
	switch {
	case len(record) < headerSize:
		return nil, damaged("a record of %d bytes", len(record))
	case binary.BigEndian.Uint32(record[1:]) != sum(record):
		return nil, damaged("a record's checksum does not match")
	case record[0] == codecPlain:
		return bytes.Clone(record[headerSize:]), nil
	case record[0] != codecFlate:
		return nil, damaged("a record of codec %q", record[0])
	}
	r := inflaters.Get().(io.ReadCloser)
	defer inflaters.Put(r)
	if err := r.(flate.Resetter).Reset(bytes.NewReader(record[headerSize:]), []byte(dictionary)); err != nil {
		return nil, err
	}
	payload, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err != nil || len(payload) > most {
		return nil, damaged("a record does not decompress")
	}
	return payload, nil
}

func sum(record []byte) uint32 {
	return crc32.Update(crc32.Checksum(record[:1], castagnoli), castagnoli, record[headerSize:])
}

// admitter is a record that knows what its readers take for granted: see kernels.Candidate.Admit.
type admitter interface{ Admit() error }

// encode makes a record of v as JSON. What no reader would take is not written.
func encode(v any) ([]byte, error) {
	v = pointed(v)
	if a, ok := v.(admitter); ok {
		if err := a.Admit(); err != nil {
			return nil, fmt.Errorf("store: %w", err)
		}
	}
	b, err := json.Marshal(v)
	if err == nil && len(b) > limit(v) {
		err = fmt.Errorf("store: a record of %d bytes: expected at most %d", len(b), limit(v))
	}
	if err != nil {
		return nil, err
	}
	return pack(b)
}

// pointed is a record that was handed over by value as a pointer to a copy: only that is an admitter.
func pointed(v any) any {
	if t := reflect.TypeOf(v); t.Kind() == reflect.Struct {
		p := reflect.New(t)
		p.Elem().Set(reflect.ValueOf(v))
		return p.Interface()
	}
	return v
}

// decode reads what encode made. A right checksum says that a record is as it was written, and not who wrote it:
// this is the one place where records are admitted.
func decode(record []byte, v any) error {
	b, err := unpack(record, limit(v))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return damaged("a record does not parse: %w", err)
	}
	if a, ok := v.(admitter); ok {
		if err := a.Admit(); err != nil {
			return damaged("%w", err)
		}
	}
	return nil
}

func putRecord(b *bolt.Bucket, key []byte, v any) error {
	record, err := encode(v)
	if err != nil {
		return err
	}
	return b.Put(key, record)
}
