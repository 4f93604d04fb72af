// Sorting and searching of tables. A cell is sorted by its data-v, or by its text; what has no value stands last.
var collator = new Intl.Collator('en', { numeric: true });

function keyOf(cell, numeric) {
  if (!cell) return null;
  var text = cell.hasAttribute('data-v') ? cell.getAttribute('data-v') : cell.textContent.trim();
  if (!numeric) return text === '' || text === '-' ? null : text;
  var n = parseFloat(text.replace(/[,~]/g, '')); // ~1.25x is an estimate
  return isNaN(n) ? null : n;
}
function compare(a, b) { return typeof a === 'number' ? a - b : collator.compare(a, b); }

// order sorts rows by their keys, up or down; equal rows keep their order.
function order(rows, down) {
  return rows.slice().sort(function (a, b) {
    if (a.key === null || b.key === null) return (a.key === null) - (b.key === null) || a.at - b.at;
    return (down ? compare(b.key, a.key) : compare(a.key, b.key)) || a.at - b.at;
  });
}

function sortable(table) {
  var body = table.tBodies[0], heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
  var rows = Array.prototype.map.call(body.rows, function (row, i) { return { row: row, at: i }; });
  heads.forEach(function (th, column) {
    var button = document.createElement('button'), numeric = th.classList.contains('n');
    button.type = 'button';
    button.textContent = th.textContent;
    th.textContent = '';
    th.appendChild(button);
    th.setAttribute('aria-sort', 'none');
    button.addEventListener('click', function () {
      var now = th.getAttribute('aria-sort'), first = numeric ? 'descending' : 'ascending';
      var next = now === 'none' ? first : now === 'ascending' ? 'descending' : 'ascending';
      heads.forEach(function (h) { h.setAttribute('aria-sort', 'none'); });
      th.setAttribute('aria-sort', next);
      rows.forEach(function (r) { r.key = keyOf(r.row.cells[column], numeric); });
      order(rows, next === 'descending').forEach(function (r) { body.appendChild(r.row); });
    });
  });
}

// matches reports whether a text has all words of a query.
function matches(text, query) {
  return query.toLowerCase().split(/\s+/).every(function (word) { return text.indexOf(word) >= 0; });
}

function searchable(box) {
  var rows = Array.prototype.map.call(box.querySelector('tbody').rows, function (row) { return { row: row, text: null }; });
  var label = document.createElement('label'), input = document.createElement('input'), said = document.createElement('output');
  input.type = 'search';
  input.placeholder = 'wrong, 64, surrogate ...';
  label.className = 'search';
  label.append('Show rows with ', input, ' ', said);
  box.parentNode.insertBefore(label, box);
  input.addEventListener('input', function () {
    var shown = 0;
    rows.forEach(function (r) {
      if (r.text === null) {
        r.text = Array.prototype.map.call(r.row.cells, function (cell) { return cell.textContent; }).join(' ').toLowerCase();
      }
      r.row.hidden = !matches(r.text, input.value.trim());
      if (!r.row.hidden) shown++;
    });
    said.textContent = input.value.trim() ? shown.toLocaleString('en') + ' of ' + rows.length.toLocaleString('en') : '';
  });
  return input;
}
