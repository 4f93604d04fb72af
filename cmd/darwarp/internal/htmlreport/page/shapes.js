// What the champion does at each shape, and what became of all candidates.

function shapes(c, box, run) {
  var rows = run.shapes, roof = rows.some(function (s) { return s.bars.some(function (b) { return b.roofline > 0; }); });
  var names = [], looks = {}, baselines = 0;
  rows.forEach(function (s) {
    s.bars.forEach(function (b) {
      if (names.indexOf(b.name) >= 0) return;
      names.push(b.name);
      // several baselines have one colour, each lighter than the one before
      looks[b.name] = { color: c[b.kind], opacity: b.kind === 'baseline' ? Math.max(0.3, 1 - 0.3 * baselines++) : 1 };
    });
  });
  var labels = rows.map(function (s) { return s.workload + (s.cache ? ', ' + s.cache : ''); });
  var flat = box.clientWidth < 560 || rows.length > 8;
  box.style.height = flat ? Math.max(300, 110 + rows.length * (14 * names.length + 16)) + 'px' : '';
  var o = base(c, roof ? 'share of the roofline' : 'speedup over the slowest', 'Times of each workload: champion and baselines.');
  o.legend = legend(c, 24);
  var value = axis(c, { type: 'value', max: roof ? function (e) { return Math.max(1, e.max); } : undefined });
  value.axisLabel.formatter = roof ? function (v) { return Math.round(100 * v) + '%'; } : function (v) { return number(v) + 'x'; };
  var kind = axis(c, { type: 'category', data: labels, inverse: flat });
  kind.axisLabel.formatter = function (s) { return clip(s, flat ? 16 : 24); };
  o.xAxis = flat ? value : kind;
  o.yAxis = flat ? kind : value;
  o.series = names.map(function (name) {
    return { name: name, type: 'bar', barMaxWidth: 34, itemStyle: looks[name], data: rows.map(function (s) {
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
    o.series[0].markLine = { symbol: 'none', silent: true, data: [at], lineStyle: { color: c.roofline, type: 'dashed', width: 1.8 },
      label: { formatter: function () { return 'roofline'; }, position: 'insideEndTop', color: c.text } };
  }
  return o;
}

function outcomes(c, box, run) {
  var rows = run.outcomes.slice().reverse();
  box.style.height = Math.max(180, 90 + rows.length * 34) + 'px';
  var o = base(c, 'what became of the candidates', rows.slice().reverse().map(function (r) { return r.outcome + ' ' + r.count; }).join(', ') + '.');
  o.grid.top = 34; o.grid.right = 70;
  o.xAxis = axis(c, { type: 'value', minInterval: 1 });
  o.xAxis.axisLabel.formatter = number;
  o.yAxis = axis(c, { type: 'category', data: rows.map(function (r) { return r.outcome; }) });
  o.yAxis.axisLabel.interval = 0;
  o.series = [{ type: 'bar', barMaxWidth: 20, data: rows.map(function (r) { return { value: r.count, itemStyle: { color: c[r.kind] } }; }),
    label: { show: true, position: 'right', color: c.text, formatter: function (p) { return number(p.value); } },
    tooltip: { formatter: function (p) { return rows[p.dataIndex].outcome + ': ' + number(p.value) + ', ' + rows[p.dataIndex].share; } } }];
  return o;
}

function cost(c, box, run) {
  var rows = run.outcomes.slice().reverse();
  var most = Math.max.apply(null, rows.map(function (r) { return r.compile + r.gate + r.time + r.wait; })), unit = clock(most);
  box.style.height = Math.max(180, 90 + rows.length * 34) + 'px';
  var parts = [['compile', c.part[0]], ['gate', c.part[1]], ['time', c.part[2]], ['wait', c.part[3]]];
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

