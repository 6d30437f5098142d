package main

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

// page has everything in itself: no file or network is needed to show it.
var page = template.Must(template.New("").Funcs(template.FuncMap{"curve": curve, "shade": shade, "percent": percent}).Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Handwritten digits</title>
<style>
body { font: 15px sans-serif; margin: 2em; }
section { display: inline-block; vertical-align: top; margin-right: 3em; }
td, th { width: 2em; height: 2em; text-align: center; }
polyline { fill: none; stroke-width: 1.5; }
.loss { stroke: #b33; } .held { stroke: #33b; } .axes { stroke: #888; }
figcaption { color: #444; max-width: 320px; }
</style>
<h1>Handwritten digits</h1>
{{range .}}<section><h2>{{.Name}}: {{percent .}}</h2>
<figure><svg width="320" height="200" viewBox="-5 -5 330 210" role="img">
<polyline class="axes" points="0,0 0,200 320,200"/>
<polyline class="loss" points="{{curve . "loss"}}"/><polyline class="held" points="{{curve . "held"}}"/></svg>
<figcaption>The loss of each epoch, from 0.001 (below) to 1, in powers of 10:
<span style="color:#b33">training</span>, <span style="color:#33b">digits not seen</span></figcaption></figure>
<table><caption>Rows: the digit. Columns: what it was taken for.</caption>
<tr><th>{{range $digit, $_ := .Confused}}<th>{{$digit}}{{end}}
{{range $digit, $row := .Confused}}<tr><th>{{$digit}}{{range $row}}<td style="background:{{shade .}}">{{if .}}{{.}}{{end}}{{end}}
{{end}}</table></section>
{{end}}</html>
`))

// html returns the page of some results.
func html(results []*result) string {
	var b strings.Builder
	if err := page.Execute(&b, results); err != nil {
		return template.HTMLEscapeString(err.Error())
	}
	return b.String()
}

// curve returns the points of the losses of the epochs, on a logarithmic axis.
func curve(r *result, which string) string {
	var points []string
	for i, e := range r.Epochs {
		loss := e.Loss
		if which == "held" {
			loss = e.Validation["loss"]
		}
		x := 320 * float64(i) / float64(max(len(r.Epochs)-1, 1))
		y := -200 * math.Log10(min(max(loss, 1e-3), 1)) / 3
		points = append(points, fmt.Sprintf("%.1f,%.1f", x, y))
	}
	return strings.Join(points, " ")
}

// shade returns the color of a cell: darker for more digits.
func shade(n int) template.CSS {
	return template.CSS(fmt.Sprintf("rgb(60 90 200 / %.2f)", min(float64(n)/40, 1)))
}

func percent(r *result) string {
	right, all := r.Right()
	return fmt.Sprintf("%.2f %% of %d", 100*float64(right)/float64(all), all)
}
