// Draws a chart when it comes near the window, and all of them to be printed; again where the reader's system turns dark
// or the window changes its width.
var drawn = { byEvaluation: convergence(false), byTime: convergence(true), shapes: shapes, choices: choices, importance: importance, pairs: pairs,
  parallel: parallel, tree: tree, outcomes: outcomes, cost: cost, edf: edf, pace: pace, timeline: timeline, slice: slice,
  curvesByEvaluation: curves(false), curvesByTime: curves(true), edfs: edfs };
var charts = [], searches = {};

function drawOne(box, c) {
  try { // one chart that fails takes no other with it
    var option = drawn[box.dataset.chart](c, box, data.runs[box.dataset.run]), zooms = option.zooms;
    delete option.zooms;
    var chart = echarts.init(box, null, { renderer: 'svg' });
    charts.push(chart);
    chart.setOption(option);
    if (zooms) zoom(chart);
    var asked; // a double click is no wish to look for a point
    chart.on('click', function (p) {
      clearTimeout(asked);
      asked = setTimeout(function () { find(box, p.data && p.data.id); }, 350);
    });
    chart.getZr().on('dblclick', function () { clearTimeout(asked); });
  } catch (e) {
    console.error(box.id + ': ' + e);
  }
}

var near = new IntersectionObserver(function (entries) {
  var c = look();
  entries.forEach(function (e) {
    if (!e.isIntersecting) return;
    near.unobserve(e.target);
    drawOne(e.target, c);
  });
}, { rootMargin: '500px' });

function draw() {
  near.disconnect();
  charts.forEach(function (chart) { chart.dispose(); });
  charts = [];
  document.documentElement.classList.toggle('printing', printing);
  var c = look();
  document.querySelectorAll('.series-key').forEach(function (key) { key.style.background = c.series[key.dataset.series % 6]; });
  document.querySelectorAll('.chart').forEach(function (box) {
    if (printing) drawOne(box, c); else near.observe(box);
  });
}

// zoom takes a drag over a range as a wish to see it alone, where a pointer can drag without scrolling the page.
function zoom(chart) {
  function listen() { chart.dispatchAction({ type: 'takeGlobalCursor', key: 'dataZoomSelect', dataZoomSelectActive: true }); }
  if (!window.matchMedia('(pointer: fine)').matches) return;
  listen();
  chart.getZr().on('dblclick', function () {
    chart.dispatchAction({ type: 'dataZoom', start: 0, end: 100 });
  });
}

// find shows a candidate that was clicked in the table of its run.
function find(box, id) {
  var input = searches[box.dataset.run];
  if (!id || !input) return;
  input.value = id;
  input.dispatchEvent(new Event('input'));
  input.scrollIntoView({ block: 'center' });
}

document.querySelectorAll('table.sort').forEach(sortable);
document.querySelectorAll('[data-filter]').forEach(function (box) { searches[box.dataset.filter] = searchable(box); });

var dark = window.matchMedia('(prefers-color-scheme: dark)'), width = window.innerWidth, wait;
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
