// Draws the charts from the data in the page. Texts of the run are drawn, never parsed: the tooltips are
// rich text and not HTML, and all formatters are functions.
var data = JSON.parse(document.getElementById('data').textContent);
var printing = false;

// look reads the colours from the style sheet, which has one for each meaning in light and in dark.
function look() {
  var style = getComputedStyle(document.documentElement), c = { series: [], part: [] };
  ['text', 'soft', 'line', 'back', 'card', 'low', 'champion', 'best', 'right', 'failed', 'duplicate', 'naive', 'baseline',
    'portfolio', 'roofline', 'plain'].forEach(function (name) { c[name] = style.getPropertyValue('--' + name).trim(); });
  for (var i = 0; i < 6; i++) c.series.push(style.getPropertyValue('--series-' + i).trim());
  for (i = 0; i < 4; i++) c.part.push(style.getPropertyValue('--part-' + i).trim());
  c.lost = c.duplicate;
  return c;
}
var dashes = ['solid', 'dashed', 'dotted', [10, 3, 2, 3], [4, 2], [12, 4]];

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
    tooltip: { renderMode: 'richText', confine: true, backgroundColor: c.card, borderColor: c.line, textStyle: { color: c.text, fontSize: 12 } },
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
function legend(c, top) { return { type: 'scroll', top: top, left: 0, textStyle: { color: c.text }, pageTextStyle: { color: c.text }, pageIconColor: c.right, itemWidth: 18 }; }

// The unit that keeps a span of seconds readable.
function clock(most) {
  if (most >= 7200) return { name: 'hours', of: 3600 };
  if (most >= 180) return { name: 'minutes', of: 60 };
  return { name: 'seconds', of: 1 };
}

// below is the greatest of 1, 2, 5, 10, 20 ... that is not above a positive number.
function below(v) {
  var ten = Math.pow(10, Math.floor(Math.log10(v) + 1e-9));
  return ten * (v >= 5 * ten ? 5 : v >= 2 * ten ? 2 : 1);
}

// above is the least of 1, 2, 5, 10, 20 ... that is not below a positive number.
function above(v) {
  var b = below(v), next = b * (String(b.toPrecision(1))[0] === '2' ? 2.5 : 2);
  return v > b * (1 + 1e-9) ? next : b;
}

// logAxis is an axis for positive values: logarithmic where they span a lot. unit is what stands after its numbers.
function logAxis(c, low, high, unit, more) {
  var log = low > 0 && high / low > 8;
  var a = axis(c, Object.assign({ type: log ? 'log' : 'value', scale: true, min: log ? below(low) : undefined, max: log ? above(high) : undefined }, more));
  a.axisLabel.formatter = function (n) { return number(n) + unit; };
  a.axisLabel.showMaxLabel = a.axisLabel.showMinLabel = true;
  return a;
}

// named is an axis that has names at whole numbers, and room for what stands beside them.
function named(c, names, most, more) {
  var whole = names.map(function (_, i) { return i; });
  var a = axis(c, Object.assign({ type: 'value', min: -0.5, max: names.length - 0.5, splitLine: { show: false } }, more));
  a.axisLine.onZero = false;
  a.axisTick.customValues = whole;
  a.axisLabel.customValues = whole;
  a.axisLabel.formatter = function (i) { return names[i] === undefined ? '' : clip(names[i], most); };
  return a;
}

// zoomable lets the reader drag over a range: along x, or over both axes.
function zoomable(o, both) {
  o.toolbox = { show: true, itemSize: 0, top: -40, feature: { dataZoom: { yAxisIndex: both ? 0 : 'none', icon: { zoom: 'path://', back: 'path://' } } } };
  o.zooms = true;
  return o;
}
