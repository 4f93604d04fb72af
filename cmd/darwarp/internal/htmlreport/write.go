package htmlreport

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"

	"darwarp/cmd/darwarp/internal/printable"
	"darwarp/cmd/darwarp/internal/report"
)

//go:embed echarts.min.js.gz
var echarts []byte // Apache ECharts: see NOTICE

//go:embed page
var page embed.FS

// scripts are the parts of the page's own script, which are one function together: the last one begins it.
var scripts = []string{"base", "search", "genes", "shapes", "tables", "draw"}

// Percent is the bar's share of the roofline, for the table.
func (b Bar) Percent() string { return report.Percent(b.Roofline) }

// SharePercent is the gene's importance, for the table.
func (g GeneRow) SharePercent() string { return report.Percent(g.Share) }

// TopPercent is how many of the best have the value.
func (g GeneRow) TopPercent() string { return report.Percent(g.InTop) }

// AllPercent is how many of all have the value.
func (g GeneRow) AllPercent() string { return report.Percent(g.InAll) }

// parsed escapes by context, as html/template does: what a run says is text, wherever it stands.
var parsed = template.Must(template.New("page").
	Funcs(template.FuncMap{"count": report.Count}).ParseFS(page, "page/*.tmpl"))

// Write writes the report as one HTML file that loads nothing. Its policy lets no script run but the
// two that are known here, by their hashes: a run may come from anywhere. Runes that turn text around or hide in it are
// written out.
func Write(w io.Writer, p Page) error {
	library, err := unzip(echarts)
	if err != nil {
		return err
	}
	script := ownScript()
	printable.Values(&p)
	var b bytes.Buffer
	err = parsed.ExecuteTemplate(&b, "page.html.tmpl", struct {
		Page
		Data            any
		Policy          string
		Library, Script template.JS
		Style           template.CSS
	}{p, p.data(), "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src " + hash(library) + " " +
		hash(script), template.JS(library), template.JS(script), template.CSS(part("page.css"))})
	if err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// ownScript is one function, so that none of its names is the page's.
func ownScript() string {
	var b strings.Builder
	b.WriteString("(function () {\n'use strict';\n")
	for _, name := range scripts {
		b.WriteString(part(name + ".js"))
	}
	b.WriteString("})();\n")
	return b.String()
}

// part is a file of the page.
func part(name string) string {
	text, err := page.ReadFile("page/" + name)
	if err != nil { // they are part of the program
		panic(err)
	}
	return string(text)
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
