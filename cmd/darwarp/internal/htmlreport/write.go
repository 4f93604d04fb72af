package htmlreport

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"

	"darwarp/cmd/darwarp/internal/printable"
	"darwarp/cmd/darwarp/internal/report"
)

var (
	//go:embed echarts.min.js.gz
	echarts []byte // Apache ECharts: see NOTICE
	//go:embed page.js
	script string
	//go:embed page.css
	style string
	//go:embed page.html.tmpl
	page string
)

// Percent is the bar's share of the roofline, for the table.
func (b Bar) Percent() string { return report.Percent(b.Roofline) }

// SharePercent is the gene's importance, for the table.
func (g GeneRow) SharePercent() string { return report.Percent(g.Share) }

// TopPercent is how many of the best have the value.
func (g GeneRow) TopPercent() string { return report.Percent(g.InTop) }

// AllPercent is how many of all have the value.
func (g GeneRow) AllPercent() string { return report.Percent(g.InAll) }

// parsed escapes by context, as html/template does: what a run says is text, wherever it stands.
var parsed = template.Must(template.New("page").Parse(page))

// Write writes the report as one HTML file that loads nothing. Its policy lets no script run but the
// two that are known here, by their hashes: a run may come from anywhere. Runes that turn text around or hide in it are
// written out.
func Write(w io.Writer, r Report) error {
	library, err := unzip(echarts)
	if err != nil {
		return err
	}
	printable.Values(&r)
	var b bytes.Buffer
	err = parsed.Execute(&b, struct {
		Report
		Policy          string
		Library, Script template.JS
		Style           template.CSS
	}{r, "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src " + hash(library) + " " + hash(script),
		template.JS(library), template.JS(script), template.CSS(style)})
	if err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

func hash(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func unzip(packed []byte) (string, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(z)
	return string(text), err
}
