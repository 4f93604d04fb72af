package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/mutate/llm"
	"darwarp/store"
)

// maxPrices bounds a price table in bytes.
const maxPrices = 1 << 20

// priceTable is the shipped one, that of the resumed run, and the user's, each over the one before.
func (f *Options) priceTable(old *store.LLM) (llm.Prices, error) {
	prices := llm.ShippedPrices()
	if old != nil && len(old.Prices) > 0 {
		if err := errors.Join(json.Unmarshal(old.Prices, &prices), prices.Check()); err != nil {
			return nil, fmt.Errorf("the run's price table: %w", err)
		}
	}
	if f.Prices == "" {
		return prices, nil
	}
	data, err := files.Read(f.Prices, maxPrices)
	if err != nil {
		return nil, exit.Usagef("--llm-prices: %v", err)
	}
	own, err := llm.ParsePrices(f.Prices, data)
	if err != nil {
		return nil, exit.Usagef("--llm-prices: %v", err)
	}
	for model, p := range own {
		prices[model] = p
	}
	return prices, nil
}

func defaultLimits(models []string, prices llm.Prices) llm.Limits {
	l := llm.Limits{Calls: defaultCalls}
	known := func(m string) bool { _, ok := prices[m]; return ok }
	if !slices.ContainsFunc(models, func(m string) bool { return !known(m) }) {
		l.USD = defaultUSD
	}
	return l
}
