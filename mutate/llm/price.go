package llm

import (
	_ "embed"
	"fmt"
	"strings"

	"darwarp/kernels"
)

// Price is what a model's tokens cost, in USD a million.
type Price struct {
	In     float64  `toml:"in" json:"in"`
	Cached *float64 `toml:"cached" json:"cached,omitempty"` // of prompt tokens read from the server's cache; null: as In
	Out    float64  `toml:"out" json:"out"`
}

// Prices are by model. A model that is not there has no known price, which is not 0.
type Prices map[string]Price

//go:embed prices.toml
var shippedPrices []byte

// ShippedPrices are those that come with darwarp.
func ShippedPrices() Prices {
	p, err := ParsePrices("prices.toml", shippedPrices)
	if err != nil { // embedded, and tested
		panic(err)
	}
	return p
}

// ParsePrices reads a price table: [models."NAME"] with in, cached and out.
func ParsePrices(file string, data []byte) (Prices, error) {
	var t struct {
		Models Prices `toml:"models"`
	}
	if err := kernels.DecodeTOML(file, data, &t); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, fmt.Errorf("%s: expected [models.\"NAME\"] with in, cached and out", first)
	}
	if err := t.Models.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t.Models, nil
}

// maxPrice is in USD per million tokens.
const maxPrice = 1e6

// Check refuses prices with which a limit in USD would not hold.
func (p Prices) Check() error {
	for name, price := range p {
		for _, usd := range []*float64{&price.In, price.Cached, &price.Out} {
			if usd != nil && !(*usd >= 0 && *usd <= maxPrice) {
				return fmt.Errorf("models.%q: price %g: expected 0 to %.0f USD per million tokens", name, *usd, maxPrice)
			}
		}
	}
	return nil
}

// Of is what tokens of a model cost, in USD; ok is false where its price is not known.
func (p Prices) Of(model string, t kernels.Tokens) (usd float64, ok bool) {
	price, ok := p[model]
	if !ok {
		return 0, false
	}
	cached := price.In
	if price.Cached != nil {
		cached = *price.Cached
	}
	return (float64(t.In-t.Cached)*price.In + float64(t.Cached)*cached + float64(t.Out)*price.Out) / 1e6, true
}
