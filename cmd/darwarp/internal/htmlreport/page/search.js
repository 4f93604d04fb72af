// How the search went: the best so far, the distribution of times, the timeline, and candidates by the value of a gene.

function bounds(points, at) {
  var b = { low: Infinity, high: 0 };
  points.forEach(function (p) { b.low = Math.min(b.low, p[at]); b.high = Math.max(b.high, p[at]); });
  return b;
}
// progress is the frame of a chart over a search, by evaluations or by time.
function progress(c, byTime, end, points, description) {
  var unit = byTime ? clock(end[1]) : { name: 'evaluations', of: 1 };
  var b = bounds(points, 2);
  var o = zoomable(base(c, 'by ' + (byTime ? 'time' : 'evaluations'), description + ' by ' + unit.name + '.'));
  o.legend = legend(c, 24);
  o.xAxis = axis(c, { type: 'value', name: unit.name, nameLocation: 'middle', nameGap: 26, min: 0, max: end[byTime ? 1 : 0] / unit.of || undefined, splitLine: { show: false } });
  o.xAxis.axisLabel.formatter = number;
  o.xAxis.axisLabel.showMaxLabel = false; // the end is no round number, and would stand on the last that is
  o.yAxis = logAxis(c, b.low, b.high, 'x');
  return { option: o, unit: unit, x: function (at) { return (byTime ? at[1] : at[0]) / unit.of; } };
}

function convergence(byTime) {
  return function (c, box, run) {
    var v = run.convergence, end = v.best[v.best.length - 1].at;
    var all = v.right.concat(v.best.map(function (b) { return b.at; }), v.lines.map(function (l) { return [0, 0, l.speedup]; }));
    var f = progress(c, byTime, end, all, 'Best speedup so far: it ends at ' + factor(end[2]) + ' over the naive start,'), x = f.x, baselines = 0;
    f.option.series = [
      { name: 'right candidates', type: 'scatter', symbolSize: 4, itemStyle: { color: c.right, opacity: 0.45 }, data: v.right.map(function (p) { return [x(p), p[2]]; }),
        tooltip: { formatter: function (p) { return factor(p.value[1]) + ' at ' + number(p.value[0]) + ' ' + f.unit.name; } } },
      { name: 'best so far', type: 'line', step: 'end', symbolSize: 6, lineStyle: { width: 2.5, color: c.best }, itemStyle: { color: c.best },
        data: v.best.map(function (b) { return { value: [x(b.at), b.at[2]], id: b.id, symbol: b.id ? 'circle' : 'none' }; }),
        tooltip: { formatter: function (p) { var b = v.best[p.dataIndex]; return factor(b.at[2]) + '  ' + b.id + '\n' + wrap(b.note, 50); } } }
    ];
    v.lines.forEach(function (l) {
      f.option.series.push({ name: l.name, type: 'line', symbol: 'none', lineStyle: { type: l.kind === 'baseline' ? dashes[1 + baselines++ % 5] : dashes[1], width: 1.8, color: c[l.kind] }, itemStyle: { color: c[l.kind] },
        data: [[0, l.speedup], [x(end), l.speedup]], tooltip: { formatter: function () { return clip(l.name, 60) + ': ' + factor(l.speedup); } } });
    });
    if (v.champion) f.option.series.push(star(c, [x(v.champion.at), v.champion.at[2]], v.champion.id, 'champion ' + v.champion.id + ': ' + factor(v.champion.at[2])));
    return f.option;
  };
}

// star is the champion in a chart of candidates.
function star(c, at, id, text) {
  return { name: 'champion', type: 'scatter', symbol: 'diamond', symbolSize: 13, z: 5, itemStyle: { color: c.champion, borderColor: c.back, borderWidth: 1 },
    data: [{ value: at, id: id }], tooltip: { formatter: function () { return text; } } };
}

function curves(byTime) {
  return function (c) {
    var all = [], end = [0, 0, 0];
    data.compare.curves.forEach(function (r) { all = all.concat(r.best); });
    all.forEach(function (p) { end = [Math.max(end[0], p[0]), Math.max(end[1], p[1]), Math.max(end[2], p[2])]; });
    var f = progress(c, byTime, end, all, 'Best speedup so far of each run');
    f.option.legend.itemWidth = 34;
    f.option.series = data.compare.curves.map(function (r) {
      return line(c, r, r.best.map(function (p) { return [f.x(p), p[2]]; }), function (p) { return factor(p.value[1]) + ' at ' + number(p.value[0]) + ' ' + f.unit.name; });
    });
    return f.option;
  };
}

// line is a run's in a chart of several: its colour is that of its name in the table of runs.
function line(c, r, points, text) {
  return { name: r.name, type: 'line', step: 'end', symbol: 'circle', symbolSize: 4, showSymbol: points.length < 60, itemStyle: { color: c.series[r.index % 6] },
    lineStyle: { width: 2.2, color: c.series[r.index % 6], type: dashes[Math.floor(r.index + r.index / 6) % 6] }, data: points,
    tooltip: { formatter: function (p) { return clip(r.name, 50) + '\n' + text(p); } } };
}

function distribution(c, all, description) {
  var points = [];
  all.forEach(function (e) { points = points.concat(e.points); });
  var b = bounds(points, 0);
  var o = zoomable(base(c, 'share of candidates that are at least that fast', description));
  o.xAxis = logAxis(c, b.low, b.high, '', { name: all[0].label, nameLocation: 'middle', nameGap: 26, splitLine: { show: false } });
  o.yAxis = axis(c, { type: 'value', min: 0, max: 1 });
  o.yAxis.axisLabel.formatter = function (v) { return Math.round(100 * v) + '%'; };
  return o;
}
function faster(label) { return function (p) { return percent(p.value[1]) + ' at ' + number(p.value[0]) + ' or less (' + label + ')'; }; }

function edf(c, box, run) {
  var e = run.edf, last = e.points[e.points.length - 1];
  var o = distribution(c, [e], percent(last[1]) + ' of the candidates are right; the fastest has ' + number(e.points[0][0]) + ' (' + e.label + ').');
  o.series = [{ name: 'right candidates', type: 'line', step: 'end', showSymbol: false, symbolSize: 5, lineStyle: { width: 2.2, color: c.right }, itemStyle: { color: c.right },
    data: e.points, tooltip: { formatter: faster(e.label) } }];
  o.tooltip.trigger = 'axis';
  o.tooltip.formatter = function (all) { return faster(e.label)(all[0]); };
  return o;
}

function edfs(c) {
  var all = data.compare.edfs;
  var o = distribution(c, all, 'Times of each run: ' + all.map(function (e) { return e.name + ' ends at ' + percent(e.points[e.points.length - 1][1]); }).join(', ') + '.');
  o.legend = legend(c, 24);
  o.legend.itemWidth = 34;
  o.series = all.map(function (e) { return line(c, e, e.points, faster(e.label)); });
  return o;
}

// slices draws candidates by the value of one gene. Points of a value stand beside each other, in the order of their index.
function slice(c, box, run) {
  var v = run.slices, g = +box.dataset.gene, gene = v.genes[g];
  var b = bounds(v.points.map(function (p) { return [p.time]; }), 0);
  var o = zoomable(base(c, clip(gene.gene, 28), gene.gene + ': ' + v.label + ' by value.'), true);
  o.grid.top = 34; o.grid.bottom = 14;
  o.xAxis = named(c, gene.values, 12);
  o.yAxis = logAxis(c, b.low, b.high, '');
  o.yAxis.axisLine.onZero = false;
  function at(p, i) { return [p.values[g] + ((i * 0.618034) % 1 - 0.5) * 0.6, p.time]; }
  function text(p) { return p.id + ': ' + number(p.time) + ' (' + v.label + ')\n' + clip(gene.gene, 40) + ' ' + clip(gene.values[p.values[g]], 40); }
  o.series = [{ type: 'scatter', symbolSize: 4, itemStyle: { color: c.right, opacity: 0.5 }, data: v.points.map(function (p, i) { return { value: at(p, i), id: p.id }; }),
    tooltip: { formatter: function (p) { return text(v.points[p.dataIndex]); } } }];
  v.points.forEach(function (p) { if (p.champion) o.series.push(star(c, [p.values[g], p.time], p.id, 'champion\n' + text(p))); });
  return o;
}

var kinds = [['right', 'right'], ['failed', 'failed'], ['duplicate', 'duplicate'], ['lost', 'lost']];

// pace counts verdicts by time: all of them.
function pace(c, box, run) {
  var t = run.timeline, n = t.lanes[0].bins.length, unit = clock(t.width * n);
  var o = zoomable(base(c, 'candidates judged', 'Candidates judged over time: ' + t.lanes.map(function (l) { return l.count + ' ' + l.outcome; }).join(', ') + '.'));
  o.legend = legend(c, 24);
  o.xAxis = axis(c, { type: 'value', name: unit.name, nameLocation: 'middle', nameGap: 26, min: 0, max: t.width * n / unit.of, splitLine: { show: false } });
  o.xAxis.axisLabel = { color: c.soft, formatter: number, showMaxLabel: false };
  o.yAxis = axis(c, { type: 'value', minInterval: 1 });
  o.series = kinds.map(function (kind) {
    var bins = [];
    t.lanes.forEach(function (l) { if (l.kind === kind[0]) l.bins.forEach(function (k, i) { bins[i] = (bins[i] || 0) + k; }); });
    return { name: kind[1], type: 'bar', stack: 'all', barWidth: '99%', itemStyle: { color: c[kind[0]], opacity: kind[0] === 'lost' ? 0.5 : 1 },
      data: bins.map(function (k, i) { return [(i + 0.5) * t.width / unit.of, k]; }),
      tooltip: { formatter: function (p) { return number(p.value[1]) + ' ' + kind[1] + ' about ' + number(p.value[0]) + ' ' + unit.name; } } };
  }).filter(function (s) { return s.data.length; });
  return o;
}

// timeline draws single verdicts, a lane for each.
function timeline(c, box, run) {
  var t = run.timeline, lanes = t.lanes, n = lanes[0].bins.length, unit = clock(t.width * n);
  box.style.height = 90 + lanes.length * 34 + 'px';
  var o = zoomable(base(c, 'verdicts', 'Single verdicts over time, by outcome.'));
  o.grid.top = 30;
  o.xAxis = axis(c, { type: 'value', name: unit.name, nameLocation: 'middle', nameGap: 26, min: 0, max: t.width * n / unit.of, splitLine: { show: false } });
  o.xAxis.axisLabel = { color: c.soft, formatter: number, showMaxLabel: false };
  o.xAxis.axisLine.onZero = false;
  o.yAxis = named(c, lanes.map(function (l) { return l.outcome; }), 20, { inverse: true });
  function text(j) { return 'evaluation ' + j.n + ': ' + j.id + '\n' + clip(j.by, 50); }
  o.series = [];
  lanes.forEach(function (l, y) {
    o.series.push({ type: 'scatter', symbol: l.kind === 'failed' ? 'triangle' : 'circle', symbolSize: 6, itemStyle: { color: c[l.kind], opacity: 0.6 },
      data: l.points.map(function (j, i) { return { value: [j.at / unit.of, y + ((i * 0.618034) % 1 - 0.5) * 0.5], id: j.id }; }),
      tooltip: { formatter: function (p) { return text(l.points[p.dataIndex]); } } });
    l.points.forEach(function (j) { if (j.champion) o.series.push(star(c, [j.at / unit.of, y], j.id, 'champion\n' + text(j))); });
  });
  return o;
}
