// Draws the charts from the data in the page. Texts of the run are drawn, never parsed: the tooltips are
// rich text and not HTML, and all formatters are functions.
(function () {
  'use strict';
  var data = JSON.parse(document.getElementById('data').textContent);
  var dark = window.matchMedia('(prefers-color-scheme: dark)');
  var printing = false;
  var charts = [];

  // The palette of Okabe and Ito, told apart with any colour vision; the first is lighter on dark.
  function look() {
    var night = dark.matches && !printing;
    return {
      text: night ? '#e8eaed' : '#1b1f24', soft: night ? '#a4adb8' : '#57606a', line: night ? '#39404a' : '#d5dae0',
      back: night ? '#1d2127' : '#ffffff', low: night ? '#242a32' : '#f0f3f6',
      blue: night ? '#56b4e9' : '#0072b2', orange: night ? '#e69f00' : '#b86e00', green: night ? '#2bc08f' : '#00805c',
      red: night ? '#ff8a4c' : '#c04a00', pink: night ? '#dd8fbb' : '#a34f80', grey: night ? '#7d8793' : '#9aa4af'
    };
  }

  function number(v) {
    if (v === 0) return '0';
    var a = Math.abs(v);
    if (a >= 1000) return Math.round(v).toLocaleString('en');
    return String(Number(v.toPrecision(3)));
  }
  function factor(v) { return (v >= 100 ? v.toFixed(0) : v.toFixed(2)) + 'x'; }
  function percent(v) { return (100 * v).toFixed(1) + '%'; }
  function clip(s, n) { return s.length > n ? s.slice(0, n - 2) + '..' : s; }
  // wrap breaks a text into lines: a rich-text tooltip does not do so itself.
  function wrap(s, n) {
    var out = [], line = '';
    s.split(/\s+/).forEach(function (word) {
      if (line && line.length + word.length + 1 > n) { out.push(line); line = ''; }
      line += (line ? ' ' : '') + clip(word, n);
    });
    return out.concat(line).join('\n');
  }

  function base(c, title, description) {
    return {
      animation: false,
      textStyle: { color: c.text, fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif' },
      title: title ? { text: title, left: 0, top: 0, textStyle: { color: c.text, fontSize: 14, fontWeight: 600 } } : undefined,
      aria: { enabled: true, label: { description: description } },
      tooltip: { renderMode: 'richText', confine: true, backgroundColor: c.back, borderColor: c.line, textStyle: { color: c.text, fontSize: 12 } },
      grid: { left: 12, right: 18, top: 64, bottom: 34, containLabel: true }
    };
  }
  function axis(c, more) {
    return Object.assign({
      axisLine: { lineStyle: { color: c.soft } }, axisTick: { lineStyle: { color: c.soft } },
      axisLabel: { color: c.soft, hideOverlap: true }, splitLine: { lineStyle: { color: c.line } },
      nameTextStyle: { color: c.soft }
    }, more);
  }
  function legend(c, top) { return { type: 'scroll', top: top, left: 0, textStyle: { color: c.text }, pageTextStyle: { color: c.text }, pageIconColor: c.blue, itemWidth: 18 }; }

  // The unit that keeps a span of seconds readable.
  function clock(most) {
    if (most >= 7200) return { name: 'hours', of: 3600 };
    if (most >= 180) return { name: 'minutes', of: 60 };
    return { name: 'seconds', of: 1 };
  }

  function convergence(byTime) {
    return function (c) {
      var v = data.convergence, end = v.best[v.best.length - 1].at;
      var unit = byTime ? clock(end[1]) : { name: 'evaluations', of: 1 };
      function x(at) { return (byTime ? at[1] : at[0]) / unit.of; }
      var low = Infinity, high = 0;
      v.right.concat(v.best.map(function (b) { return b.at; })).forEach(function (p) { low = Math.min(low, p[2]); high = Math.max(high, p[2]); });
      v.lines.forEach(function (l) { high = Math.max(high, l.speedup); low = Math.min(low, l.speedup); });
      var log = high / low > 8;
      var colours = [c.orange, c.green, c.pink, c.red], dashes = ['dashed', 'dotted', [10, 3, 2, 3], [4, 2]];
      var o = base(c, 'by ' + (byTime ? 'time' : 'evaluations'), 'Best speedup so far by ' + unit.name + '. It ends at ' + factor(end[2]) + ' over the naive start.');
      o.legend = legend(c, 24);
      o.tooltip.trigger = 'item';
      o.xAxis = axis(c, { type: 'value', name: unit.name, nameLocation: 'middle', nameGap: 26, min: 0, max: x(end) || undefined, splitLine: { show: false } });
      o.xAxis.axisLabel.formatter = number;
      o.xAxis.axisLabel.showMaxLabel = false; // the end is no round number, and would stand on the last that is
      o.yAxis = axis(c, { type: log ? 'log' : 'value', scale: true });
      if (log) { o.yAxis.min = Math.pow(10, Math.floor(Math.log10(low))); o.yAxis.max = high * 1.25; }
      o.yAxis.axisLabel.formatter = function (n) { return log && Math.abs(Math.log10(n) % 1) > 1e-9 && n > high ? '' : number(n) + 'x'; };
      o.series = [
        { name: 'candidates', type: 'scatter', symbolSize: 4, itemStyle: { color: c.grey, opacity: 0.6 }, data: v.right.map(function (p) { return [x(p), p[2]]; }),
          tooltip: { formatter: function (p) { return factor(p.value[1]) + ' at ' + number(p.value[0]) + ' ' + unit.name; } } },
        { name: 'best so far', type: 'line', step: 'end', symbolSize: 6, lineStyle: { width: 2.5, color: c.blue }, itemStyle: { color: c.blue },
          data: v.best.map(function (b) { return { value: [x(b.at), b.at[2]], symbol: b.id ? 'circle' : 'none' }; }),
          tooltip: { formatter: function (p) { var b = v.best[p.dataIndex]; return factor(b.at[2]) + '  ' + b.id + '\n' + wrap(b.note, 50); } } }
      ];
      v.lines.forEach(function (l, i) {
        o.series.push({ name: l.name, type: 'line', symbol: 'none', lineStyle: { type: dashes[i % 4], width: 1.8, color: colours[i % 4] }, itemStyle: { color: colours[i % 4] },
          data: [[0, l.speedup], [x(end), l.speedup]], tooltip: { formatter: function () { return clip(l.name, 60) + ': ' + factor(l.speedup); } } });
      });
      return o;
    };
  }

  function shapes(c, box) {
    var rows = data.shapes, roof = rows.some(function (s) { return s.bars.some(function (b) { return b.roofline > 0; }); });
    var names = [];
    rows.forEach(function (s) { s.bars.forEach(function (b) { if (names.indexOf(b.name) < 0) names.push(b.name); }); });
    var labels = rows.map(function (s) { return s.workload + (s.cache ? ', ' + s.cache : ''); });
    var flat = box.clientWidth < 560 || rows.length > 8;
    box.style.height = flat ? Math.max(300, 110 + rows.length * (14 * names.length + 16)) + 'px' : '';
    var colours = [c.blue, c.orange, c.green, c.pink, c.red, c.grey];
    var o = base(c, roof ? 'share of the roofline' : 'speedup over the slowest', 'Times of each workload: champion and baselines.');
    o.legend = legend(c, 24);
    var value = axis(c, { type: 'value', max: roof ? function (e) { return Math.max(1, e.max); } : undefined });
    value.axisLabel.formatter = roof ? function (v) { return Math.round(100 * v) + '%'; } : function (v) { return number(v) + 'x'; };
    var kind = axis(c, { type: 'category', data: labels, inverse: flat });
    kind.axisLabel.formatter = function (s) { return clip(s, flat ? 16 : 24); };
    o.xAxis = flat ? value : kind;
    o.yAxis = flat ? kind : value;
    o.series = names.map(function (name, i) {
      return { name: name, type: 'bar', barMaxWidth: 34, itemStyle: { color: colours[i % 6] }, data: rows.map(function (s) {
        var b = s.bars.filter(function (b) { return b.name === name; })[0];
        if (!b || !b.ns) return null;
        return roof ? b.roofline : Math.max.apply(null, s.bars.map(function (b) { return b.ns; })) / b.ns;
      }), tooltip: { formatter: function (p) {
        var b = rows[p.dataIndex].bars.filter(function (b) { return b.name === name; })[0];
        return clip(labels[p.dataIndex], 50) + '\n' + clip(name, 50) + ': ' + b.time + '\n' + b.rate + (b.roofline ? ', ' + percent(b.roofline) + ' of the roofline' : '');
      } } };
    });
    if (roof) {
      var at = {}; at[flat ? 'xAxis' : 'yAxis'] = 1;
      o.series[0].markLine = { symbol: 'none', silent: true, data: [at], lineStyle: { color: c.red, type: 'dashed', width: 1.8 },
        label: { formatter: function () { return 'roofline'; }, position: 'insideEndTop', color: c.text } };
    }
    return o;
  }

  // choices draws a factor with its interval for every choice, by shape.
  function choices(c, box) {
    var v = data.choices, rows = v.rows.filter(function (r) { return r.gains.some(function (g) { return g.ratio > 0; }); }).reverse();
    var colours = [c.blue, c.orange, c.green, c.pink, c.red, c.grey];
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

  function importance(c, box) {
    var rows = data.importance.genes.slice(0, 16).reverse();
    box.style.height = Math.max(220, 76 + rows.length * 24) + 'px';
    var o = base(c, 'importance of genes', 'Gene importance: ' + rows.slice(-3).reverse().map(function (g) { return g.gene + ' ' + percent(g.share); }).join(', ') + '.');
    o.grid.top = 34; o.grid.right = 56;
    o.xAxis = axis(c, { type: 'value' });
    o.xAxis.axisLabel.formatter = function (v) { return Math.round(100 * v) + '%'; };
    o.yAxis = axis(c, { type: 'category', data: rows.map(function (g) { return g.gene; }) });
    o.yAxis.axisLabel.interval = 0;
    o.yAxis.axisLabel.formatter = function (s) { return clip(s, 20); };
    o.series = [{ type: 'bar', barMaxWidth: 16, itemStyle: { color: c.blue }, data: rows.map(function (g) { return g.share; }),
      label: { show: true, position: 'right', color: c.text, formatter: function (p) { return percent(p.value); } },
      tooltip: { formatter: function (p) { var g = rows[p.dataIndex]; return clip(g.gene, 40) + ': ' + percent(g.share) + '\n' + clip(g.value, 40) + ' in ' + percent(g.in_top) + ' of the best, ' + percent(g.in_all) + ' of all'; } } }];
    return o;
  }

  function pairs(c, box) {
    var im = data.importance, genes = [];
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
      inRange: { color: [c.low, c.blue] }, textStyle: { color: c.soft }, text: [percent(most), '0'], formatter: function (v) { return percent(v); } };
    o.series = [{ type: 'heatmap', data: cells, itemStyle: { borderColor: c.back, borderWidth: 1 },
      tooltip: { formatter: function (p) { return clip(genes[p.value[0]], 30) + ' with ' + clip(genes[p.value[1]], 30) + ': ' + percent(p.value[2]); } } }];
    return o;
  }

  function parallel(c, box) {
    var v = data.parallel, fast = v.lines[0].speedup, slow = v.lines[v.lines.length - 1].speedup;
    box.style.width = Math.max(box.parentNode.clientWidth, printing ? 0 : (v.axes.length + 1) * 84) + 'px';
    var o = base(c, '', 'The best candidates by their genes. The best has ' + v.axes.map(function (a, i) { return a.gene + ' ' + a.values[v.lines[0].values[i]]; }).join(', ') + '.');
    o.parallel = { left: 54, right: 60, top: 46, bottom: 24, parallelAxisDefault: { axisLine: { lineStyle: { color: c.soft } }, axisTick: { lineStyle: { color: c.soft } },
      axisLabel: { color: c.text, textBorderColor: c.back, textBorderWidth: 3, hideOverlap: true }, nameTextStyle: { color: c.text }, nameGap: 16, areaSelectStyle: { color: c.blue, borderColor: c.blue, opacity: 0.25 } } };
    o.parallelAxis = v.axes.map(function (a, i) {
      return { dim: i, name: clip(a.gene, 13), type: 'category', data: a.values.map(function (s) { return clip(s, 12); }), nameRotate: 0 };
    });
    o.parallelAxis.push({ dim: v.axes.length, name: 'speedup', type: 'value', scale: true, min: slow, max: fast === slow ? slow + 1 : fast, axisLabel: { color: c.text, textBorderColor: c.back, textBorderWidth: 3, showMaxLabel: true, formatter: factor } });
    function shade(l) { return fast === slow ? 1 : (l.speedup - slow) / (fast - slow); }
    o.series = [{ type: 'parallel', smooth: 0.15, inactiveOpacity: 0.04, activeOpacity: 1, progressive: 0, lineStyle: { width: 1.3 },
      data: v.lines.map(function (l, i) {
        return { value: l.values.concat(l.speedup), name: l.id, lineStyle: { color: i ? c.blue : c.orange, width: i ? 1.2 : 3, opacity: i ? 0.15 + 0.5 * shade(l) : 1 } };
      }).reverse(),
      tooltip: { formatter: function (p) { return p.name + ': ' + factor(p.value[v.axes.length]); } } }];
    return o;
  }

  function tree(c, box) {
    var leaves = 0, depth = 0;
    function node(n, level) {
      depth = Math.max(depth, level);
      if (!n.children) leaves++;
      return {
        name: n.id, note: n, symbolSize: n.main ? 11 : 7, itemStyle: { color: n.main ? c.orange : c.grey, borderColor: n.main ? c.orange : c.grey },
        lineStyle: { color: n.main ? c.orange : c.line, width: n.main ? 2.5 : 1.2 },
        children: (n.children || []).map(function (x) { return node(x, level + 1); })
      };
    }
    var root = node(data.tree, 0);
    box.style.height = Math.max(110, leaves * 34 + 50) + 'px';
    box.style.width = Math.max(box.parentNode.clientWidth, printing ? 0 : depth * 96 + 120) + 'px';
    var o = base(c, '', 'Ancestors of the champion: ' + data.tree.id + ', ' + data.tree.speedup + ' over the naive start.');
    o.series = [{ type: 'tree', data: [root], orient: 'RL', left: 56, right: 56, top: 30, bottom: 14, symbol: 'circle', initialTreeDepth: -1, expandAndCollapse: false, roam: false,
      label: { position: 'top', color: c.text, fontSize: 11, formatter: function (p) { return p.data.note.speedup; } },
      tooltip: { formatter: function (p) { var n = p.data.note; return n.id + ': ' + n.speedup + '\n' + wrap(n.origin, 50); } } }];
    return o;
  }

  function outcomes(c, box) {
    var rows = data.outcomes.slice().reverse();
    box.style.height = Math.max(180, 90 + rows.length * 34) + 'px';
    var o = base(c, 'what became of the candidates', rows.slice().reverse().map(function (r) { return r.outcome + ' ' + r.count; }).join(', ') + '.');
    o.grid.top = 34; o.grid.right = 70;
    o.xAxis = axis(c, { type: 'value', minInterval: 1 });
    o.xAxis.axisLabel.formatter = number;
    o.yAxis = axis(c, { type: 'category', data: rows.map(function (r) { return r.outcome; }) });
    o.yAxis.axisLabel.interval = 0;
    o.series = [{ type: 'bar', barMaxWidth: 20, data: rows.map(function (r) { return { value: r.count, itemStyle: { color: r.outcome === 'ok' ? c.green : r.outcome === 'duplicate' ? c.grey : c.red } }; }),
      label: { show: true, position: 'right', color: c.text, formatter: function (p) { return number(p.value); } },
      tooltip: { formatter: function (p) { return rows[p.dataIndex].outcome + ': ' + number(p.value) + ', ' + rows[p.dataIndex].share; } } }];
    return o;
  }

  function cost(c, box) {
    var rows = data.outcomes.slice().reverse();
    var most = Math.max.apply(null, rows.map(function (r) { return r.compile + r.gate + r.time + r.wait; })), unit = clock(most);
    box.style.height = Math.max(180, 90 + rows.length * 34) + 'px';
    var parts = [['compile', c.blue], ['gate', c.orange], ['time', c.green], ['wait', c.grey]];
    var o = base(c, 'what they took, in ' + unit.name, 'Cost by outcome in ' + unit.name + ': compiling, gate, timing, waiting.');
    o.legend = legend(c, 22);
    o.grid.top = 52;
    o.xAxis = axis(c, { type: 'value' });
    o.xAxis.axisLabel.formatter = number;
    o.yAxis = axis(c, { type: 'category', data: rows.map(function (r) { return r.outcome; }) });
    o.yAxis.axisLabel.interval = 0;
    o.series = parts.map(function (part) {
      return { name: part[0], type: 'bar', stack: 'cost', barMaxWidth: 20, itemStyle: { color: part[1], borderColor: c.back, borderWidth: 1 }, data: rows.map(function (r) { return r[part[0]] / unit.of; }),
        tooltip: { formatter: function (p) { return rows[p.dataIndex].outcome + ', ' + part[0] + ': ' + number(p.value) + ' ' + unit.name; } } };
    });
    return o;
  }

  var drawn = { 'by-evaluation': convergence(false), 'by-time': convergence(true), shapes: shapes, choices: choices, importance: importance, pairs: pairs, parallel: parallel, tree: tree, outcomes: outcomes, cost: cost };

  function draw() {
    charts.forEach(function (chart) { chart.dispose(); });
    charts = [];
    var c = look();
    Object.keys(drawn).forEach(function (id) {
      var box = document.getElementById(id);
      if (!box) return;
      try { // one chart that fails takes no other with it
        var option = drawn[id](c, box);
        var chart = echarts.init(box, null, { renderer: 'svg' });
        charts.push(chart);
        chart.setOption(option);
      } catch (e) {
        console.error(id + ': ' + e);
      }
    });
  }

  var width = window.innerWidth, wait;
  draw();
  dark.addEventListener('change', draw);
  window.addEventListener('beforeprint', function () { printing = true; draw(); });
  window.addEventListener('afterprint', function () { printing = false; draw(); });
  window.addEventListener('resize', function () {
    if (window.innerWidth === width || printing) return; // a phone's bars come and go
    width = window.innerWidth;
    clearTimeout(wait);
    wait = setTimeout(draw, 150);
  });
})();
