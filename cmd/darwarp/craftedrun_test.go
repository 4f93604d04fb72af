package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"sync"

	bolt "go.etcd.io/bbolt"

	"darwarp/kernels"
	"darwarp/store"
)

// baseRun is the bytes of a run with every kind of record, as JSON without compression, by bucket and key.
var baseRun = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "darwarp-hostile-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.Setenv("TESTDATA", "testdata"); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "run.db")
	if err := errors.Join(makeRun(path, false), addRecords(path), plainRecords(path)); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// addRecords stores one record of every kind that makeRun leaves out.
func addRecords(path string) error {
	r, err := store.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	best, err := r.Find("best")
	if err != nil {
		return err
	}
	short, proof := best.ID.Short(), best.Result.Provenance
	gain := kernels.Gain{Ratio: 1.2, Lo: 1.1, Hi: 1.3}
	round := kernels.DuelRound{Workload: "small", Cache: "hot", Pairs: 10, Champion: 2000, Challenger: 1400,
		Ratio: 0.7, Lo: 0.6, Hi: 0.8}
	return errors.Join(
		r.PutDuel(kernels.Duel{Champion: "default", ChampionKind: kernels.BaselineName, Challenger: short, Provenance: proof,
			Rounds: []kernels.DuelRound{round}, Ratio: 0.7, Lo: 0.6, Hi: 0.8, Verdict: kernels.Faster}),
		r.PutBaseline(kernels.BaselineResult{Name: "torch", Kind: kernels.BaselineName, About: "torch 2", Provenance: proof,
			Times: []kernels.Timing{{Workload: "small", Median: 1900, Lo: 1800, Hi: 2000, Cache: "hot", Tier: "final"}}}),
		r.PutInsight(kernels.Insight{Candidate: best.ID,
			Genes:   []kernels.GeneChange{{Gene: "threads", From: "64", To: "256"}},
			Outcome: kernels.OK, Gain: gain, Shapes: []kernels.Gain{{Workload: "small", Ratio: 1.2, Lo: 1.1, Hi: 1.3}},
			Waves: []float64{1, 2}, Cache: "hot", Provenance: proof,
			Counters: []kernels.Counters{{Workload: "small", Values: map[string]float64{"dram__bytes.sum": 1e6}}}}),
		r.PutPortfolio(kernels.Portfolio{K: 1, Kernels: []kernels.ID{best.ID}, Single: best.ID, Gain: gain, Cache: "hot",
			Choices:    []kernels.Choice{{Workload: "small", Time: 1400, Single: 1500, Gain: gain}},
			Provenance: proof}),
		r.PutExchange(kernels.Exchange{At: best.At, Arm: "llm:m:improve", Asked: []kernels.Message{{Role: "user", Text: "q"}},
			Reply: "a", Proposed: []kernels.ID{best.ID}, Tokens: kernels.Tokens{In: 10, Out: 5}, USD: 0.1, Attempts: 1}),
		r.PutTrial(kernels.Trial{ID: best.ID, Provenance: proof, At: best.At, Parts: []kernels.Doubt{
			{Part: kernels.TrialClasses, Verdict: kernels.Passed, Detail: "all", Seconds: 1}}}),
	)
}

// records are the buckets whose values are records, with what gives their JSON.
var records = []string{"meta", "candidates", "provenance", "duels", "champions", "baselines", "insights", "portfolios",
	"exchanges", "trials"}

// plainRecords stores every record without compression, so that it can be changed.
func plainRecords(path string) error {
	r, err := store.View(path)
	if err != nil {
		return err
	}
	texts := map[string][]any{"meta": {r.Meta()}}
	var errs [9]error
	fill := func(name string, i int, all any, err error) {
		errs[i] = err
		data, _ := json.Marshal(all)
		var list []any
		errs[i] = errors.Join(err, json.Unmarshal(data, &list))
		texts[name] = list
	}
	var candidates []kernels.Candidate
	err = r.Each(func(c kernels.Candidate) error { candidates = append(candidates, c); return nil })
	fill("candidates", 0, candidates, err)
	proof, err := r.Provenance(candidates[0].Result.Provenance)
	fill("provenance", 1, []kernels.Provenance{proof}, err)
	duels, err := r.Duels()
	fill("duels", 2, duels, err)
	champions, err := r.Champions()
	fill("champions", 3, champions, err)
	baselines, err := r.Baselines()
	fill("baselines", 4, baselines, err)
	insights, err := r.Insights()
	fill("insights", 5, insights, err)
	portfolios, err := r.Portfolios()
	fill("portfolios", 6, portfolios, err)
	exchanges, err := r.Exchanges()
	fill("exchanges", 7, exchanges, err)
	trials, err := r.Trials()
	fill("trials", 8, trials, err)
	if err := errors.Join(append(errs[:], r.Close())...); err != nil {
		return err
	}
	return changeRun(path, func(root *bolt.Bucket) error {
		for name, all := range texts {
			if err := replaceAll(root.Bucket([]byte(name)), all); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	})
}

// replaceAll gives the keys of a bucket, in order, these values.
func replaceAll(b *bolt.Bucket, all []any) error {
	var keys [][]byte
	if err := b.ForEach(func(k, _ []byte) error { keys = append(keys, bytes.Clone(k)); return nil }); err != nil {
		return err
	}
	if len(keys) != len(all) {
		return fmt.Errorf("%d keys of %d records", len(keys), len(all))
	}
	for i, k := range keys {
		text, err := json.Marshal(all[i])
		if err != nil {
			return err
		}
		if err := b.Put(k, sealed(text)); err != nil {
			return err
		}
	}
	return nil
}

// sealed is a record of the file's format with the right checksum.
func sealed(text []byte) []byte {
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(crc32.Checksum([]byte{'p'}, table), table, text)
	return append(binary.BigEndian.AppendUint32([]byte{'p'}, sum), text...)
}

// changeRun changes the tree of a run behind darwarp's back.
func changeRun(path string, change func(root *bolt.Bucket) error) error {
	db, err := bolt.Open(path, 0o600, &bolt.Options{NoSync: true})
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bolt.Tx) error { return change(tx.Bucket([]byte("darwarp"))) })
	return errors.Join(err, db.Close())
}

// changeRecord changes the JSON of the i-th record of a bucket.
func changeRecord(root *bolt.Bucket, bucket string, i int, change func(record any) any) error {
	b := root.Bucket([]byte(bucket))
	n, c := 0, b.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if n++; n-1 != i {
			continue
		}
		var record any
		d := json.NewDecoder(bytes.NewReader(v[5:]))
		d.UseNumber()
		if err := d.Decode(&record); err != nil {
			return err
		}
		text, err := json.Marshal(change(record))
		if err != nil {
			return err
		}
		return b.Put(bytes.Clone(k), sealed(text))
	}
	return nil
}

// putAt sets the value at a path of keys and indices.
func putAt(v any, path ...any) func(any) any {
	return func(record any) any { return setAt(record, v, path) }
}

func setAt(record, v any, path []any) any {
	if len(path) == 0 {
		return v
	}
	switch key := path[0].(type) {
	case string:
		if m, ok := record.(map[string]any); ok {
			m[key] = setAt(m[key], v, path[1:])
		}
	case int:
		if l, ok := record.([]any); ok && key < len(l) {
			l[key] = setAt(l[key], v, path[1:])
		}
	}
	return record
}
