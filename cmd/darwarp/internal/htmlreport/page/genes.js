// What genes, choices and ancestors have to do with the champion.

// choices draws a factor with its interval for every choice, by shape.
function choices(c, box, run) {
  var v = run.choices, rows = v.rows.filter(function (r) { return r.gains.some(function (g) { return g.ratio > 0; }); }).reverse();
  var colours = c.series;
  box.style.height = 110 + rows.length * (14 + 12 * v.columns.length) + 'px';
  var low = 1, high = 1;
  rows.forEach(function (r) { r.gains.forEach(function (g) { if (g.ratio > 0) { low = Math.min(low, g.lo); high = Math.max(high, g.hi); } }); });
  var log = high / low > 8;
  var o = base(c, 'time without the choice over time with it', 'What choices gain: ' + rows.slice().reverse().map(function (r) { return r.choice + ' ' + factor(r.gains[0].ratio); }).join(', ') + '.');
  o.legend = legend(c, 24);
  o.xAxis = axis(c, { type: log ? 'log' : 'value', scale: true, min: log ? Math.pow(10, Math.floor(Math.log10(low))) : undefined, max: log ? high * 1.2 : undefined });
  o.xAxis.axisLabel.formatter = function (n) { return log && n > high ? '' : number(n) + 'x'; };
  o.yAxis = axis(c, { type: 'category', data: rows.map(function (r) { return r.choice; }) });
  o.yAxis.axisLabel.interval = 0;
  o.yAxis.axisLabel.formatter = function (s) { return clip(s, box.clientWidth < 560 ? 16 : 40); };
  // each column a little lower than the one before, so that none hides another
  function shift(api, k) { return ((k + 0.5) / v.columns.length - 0.5) * 0.7 * api.size([0, 1])[1]; }
  o.series = v.columns.map(function (name, k) {
    var points = [];
    rows.forEach(function (r, i) { var g = r.gains[k]; if (g.ratio > 0) points.push([g.ratio, i, g.lo, g.hi]); });
    return { name: name, type: 'custom', itemStyle: { color: colours[k % 6] }, data: points, encode: { x: [0, 2, 3], y: 1 },
      tooltip: { formatter: function (p) { return clip(rows[p.value[1]].choice, 60) + '\n' + name + ': ' + p.value[0].toFixed(3) + 'x [' + p.value[2].toFixed(3) + ', ' + p.value[3].toFixed(3) + ']'; } },
      renderItem: function (params, api) {
        var at = api.coord([api.value(0), api.value(1)]), y = at[1] + shift(api, k);
        var from = api.coord([api.value(2), api.value(1)])[0], to = api.coord([api.value(3), api.value(1)])[0];
        return { type: 'group', children: [
          { type: 'line', shape: { x1: from, y1: y, x2: to, y2: y }, style: { stroke: colours[k % 6], lineWidth: 2 } },
          { type: 'circle', shape: { cx: at[0], cy: y, r: 4.5 }, style: { fill: colours[k % 6] } }] };
      } };
  });
  o.series[0].markLine = { symbol: 'none', silent: true, data: [{ xAxis: 1 }], lineStyle: { color: c.soft, type: 'dashed' }, label: { show: false } };
  return o;
}

function importance(c, box, run) {
  var rows = run.importance.genes.slice(0, 16).reverse();
  box.style.height = Math.max(220, 76 + rows.length * 24) + 'px';
  var o = base(c, 'importance of genes', 'Gene importance: ' + rows.slice(-3).reverse().map(function (g) { return g.gene + ' ' + percent(g.share); }).join(', ') + '.');
  o.grid.top = 34; o.grid.right = 56;
  o.xAxis = axis(c, { type: 'value' });
  o.xAxis.axisLabel.formatter = function (v) { return Math.round(100 * v) + '%'; };
  o.yAxis = axis(c, { type: 'category', data: rows.map(function (g) { return g.gene; }) });
  o.yAxis.axisLabel.interval = 0;
  o.yAxis.axisLabel.formatter = function (s) { return clip(s, 20); };
  o.series = [{ type: 'bar', barMaxWidth: 16, itemStyle: { color: c.plain }, data: rows.map(function (g) { return g.share; }),
    label: { show: true, position: 'right', color: c.text, formatter: function (p) { return percent(p.value); } },
    tooltip: { formatter: function (p) { var g = rows[p.dataIndex]; return clip(g.gene, 40) + ': ' + percent(g.share) + '\n' + clip(g.value, 40) + ' in ' + percent(g.in_top) + ' of the best, ' + percent(g.in_all) + ' of all'; } } }];
  return o;
}

function pairs(c, box, run) {
  var im = run.importance, genes = [];
  im.genes.forEach(function (g) { if (im.pairs.some(function (p) { return p.a === g.gene || p.b === g.gene; })) genes.push(g.gene); });
  box.style.height = Math.max(220, 150 + genes.length * 24) + 'px';
  var cells = [], most = 0;
  im.pairs.forEach(function (p) {
    var i = genes.indexOf(p.a), j = genes.indexOf(p.b);
    most = Math.max(most, p.share);
    cells.push([i, j, p.share]);
  });
  var o = base(c, 'interactions, beyond what each tells alone', most > 0 ? 'Strongest interaction: ' + im.pairs[0].a + ' with ' + im.pairs[0].b + '.' : 'No interaction is seen.');
  o.grid.top = 34; o.grid.bottom = 46;
  o.xAxis = axis(c, { type: 'category', data: genes.slice(0, -1), splitLine: { show: false } });
  o.xAxis.axisLabel = { color: c.soft, rotate: 45, interval: 0, formatter: function (s) { return clip(s, 14); } };
  o.yAxis = axis(c, { type: 'category', data: genes, inverse: true, min: 1, splitLine: { show: false } });
  o.yAxis.axisLabel = { color: c.soft, interval: 0, formatter: function (s) { return clip(s, 20); } };
  o.visualMap = { min: 0, max: most || 1, calculable: false, orient: 'horizontal', left: 'center', bottom: 0, itemHeight: 110, itemWidth: 12,
    inRange: { color: [c.low, c.plain] }, textStyle: { color: c.soft }, text: [percent(most), '0'], formatter: function (v) { return percent(v); } };
  o.series = [{ type: 'heatmap', data: cells, itemStyle: { borderColor: c.back, borderWidth: 1 },
    tooltip: { formatter: function (p) { return clip(genes[p.value[0]], 30) + ' with ' + clip(genes[p.value[1]], 30) + ': ' + percent(p.value[2]); } } }];
  return o;
}

function parallel(c, box, run) {
  var v = run.parallel, fast = v.lines[0].speedup, slow = v.lines[v.lines.length - 1].speedup;
  box.style.width = Math.max(box.parentNode.clientWidth, printing ? 0 : (v.axes.length + 1) * 84) + 'px';
  var o = base(c, 'the best and the champion, by gene', 'The best candidates by their genes. The best has ' + v.axes.map(function (a, i) { return a.gene + ' ' + a.values[v.lines[0].values[i]]; }).join(', ') + '.');
  o.parallel = { left: 54, right: 60, top: 70, bottom: 24, parallelAxisDefault: { axisLine: { lineStyle: { color: c.soft } }, axisTick: { lineStyle: { color: c.soft } },
    axisLabel: { color: c.text, textBorderColor: c.back, textBorderWidth: 3, hideOverlap: true }, nameTextStyle: { color: c.text }, nameGap: 16, areaSelectStyle: { color: c.plain, borderColor: c.plain, opacity: 0.25 } } };
  o.parallelAxis = v.axes.map(function (a, i) {
    return { dim: i, name: clip(a.gene, 13), type: 'category', data: a.values.map(function (s) { return clip(s, 12); }), nameRotate: 0 };
  });
  o.parallelAxis.push({ dim: v.axes.length, name: 'speedup', type: 'value', scale: true, min: slow, max: fast === slow ? slow + 1 : fast, axisLabel: { color: c.text, textBorderColor: c.back, textBorderWidth: 3, showMaxLabel: true, formatter: factor } });
  function shade(l) { return fast === slow ? 1 : (l.speedup - slow) / (fast - slow); }
  o.series = [{ type: 'parallel', smooth: 0.15, inactiveOpacity: 0.04, activeOpacity: 1, progressive: 0, lineStyle: { width: 1.3 },
    data: v.lines.map(function (l, i) {
      return { value: l.values.concat(l.speedup), name: l.id, lineStyle: l.champion ? { color: c.champion, width: 3, opacity: 1 } : { color: c.right, width: 1.2, opacity: 0.15 + 0.5 * shade(l) } };
    }).sort(function (a, b) { return a.lineStyle.width - b.lineStyle.width; }),
    tooltip: { formatter: function (p) { return p.name + ': ' + factor(p.value[v.axes.length]); } } }];
  return o;
}

function tree(c, box, run) {
  var leaves = 0, depth = 0;
  function node(n, level) {
    depth = Math.max(depth, level);
    if (!n.children) leaves++;
    return {
      name: n.id, note: n, symbolSize: n.main ? 11 : 7, itemStyle: { color: n.main ? c.champion : c.right, borderColor: n.main ? c.champion : c.right },
      lineStyle: { color: n.main ? c.champion : c.line, width: n.main ? 2.5 : 1.2 },
      children: (n.children || []).map(function (x) { return node(x, level + 1); })
    };
  }
  var root = node(run.tree, 0);
  box.style.height = Math.max(134, leaves * 34 + 74) + 'px';
  box.style.width = Math.max(box.parentNode.clientWidth, printing ? 0 : depth * 96 + 120) + 'px';
  var o = base(c, 'speedups of the ancestors', 'Ancestors of the champion: ' + run.tree.id + ', ' + run.tree.speedup + ' over the naive start.');
  o.series = [{ type: 'tree', data: [root], orient: 'RL', left: 56, right: 56, top: 54, bottom: 14, symbol: 'circle', initialTreeDepth: -1, expandAndCollapse: false, roam: false,
    label: { position: 'top', color: c.text, fontSize: 11, formatter: function (p) { return p.data.note.speedup; } },
    tooltip: { formatter: function (p) { var n = p.data.note; return n.id + ': ' + n.speedup + '\n' + wrap(n.origin, 50); } } }];
  return o;
}

