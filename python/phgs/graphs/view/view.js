"use strict";
// The viewer of a graph: one page, no library, nothing loaded and nothing sent. Names are text everywhere.
(async () => {
const $ = (id) => document.getElementById(id);
function inflated(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")));
}
const embedded = JSON.parse($("data").textContent);
const D = embedded.packed ? { ...(await inflated(embedded.packed).json()), absent: embedded.absent } : embedded;
const root = document.documentElement, canvas = $("picture"), ctx = canvas.getContext("2d");
const names = D.names, n = names.length, E = D.edges, m = E.a.length;
const groupOf = D.groups ? D.groups.of : null, groupNames = D.groups ? D.groups.labels : [], G = groupNames.length;
const short = names.map((s) => (s.length > 26 ? s.slice(0, 25) + "…" : s));
const still = matchMedia("(prefers-reduced-motion: reduce)"), dark = matchMedia("(prefers-color-scheme: dark)");
const count = (k, one, many) => k.toLocaleString("en") + " " + (k === 1 ? one : many || one + "s");
const clamp = (x, low, high) => Math.max(low, Math.min(high, x));

// Elements; text is never read as markup.
function h(tag, options, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(options || {})) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (key in e && key !== "list") e[key] = value;
    else e.setAttribute(key, value);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}
const button = (text, onclick, className = "") => h("button", { type: "button", onclick, className }, text);
const on = (id, type, act) => $(id).addEventListener(type, act);
const say = (text) => { $("status").textContent = text; };

// Numbers as Python writes them with .3g.
function g3(x) {
  if (x === 0) return "0";
  const e = Math.floor(Math.log10(Math.abs(Number(x.toPrecision(3)))));
  if (e >= -4 && e < 3) return String(Number(x.toPrecision(3)));
  const [mantissa, power] = x.toExponential(2).split("e");
  return Number(mantissa) + "e" + power[0] + power.slice(1).padStart(2, "0");
}
const pText = (p) => (p === null ? "above the significance level" : typeof p === "string" ? p : g3(p));
const pLog = (p) => (typeof p === "string" ? Math.max(-1e6, parseFloat(p.slice(3)) || -1e6) : Math.log10(Math.max(p, 1e-320)));
const given = (set) => (set.length ? " given " + set.map((i) => names[i]).join(", ") : " marginally");

// What is adjacent to what.
const near = Array.from({ length: n }, () => []);
const edgeOf = new Map(), key = (a, b) => Math.min(a, b) * n + Math.max(a, b);
for (let e = 0; e < m; e++) {
  if (!E.extra?.[e]) edgeOf.set(key(E.a[e], E.b[e]), e);
  near[E.a[e]].push(e);
  near[E.b[e]].push(e);
}
const other = (e, x) => (E.a[e] === x ? E.b[e] : E.a[e]);
const isExtra = (e) => !!E.extra?.[e];
const isMissing = (e) => E.status?.[e] === 2;
const ofGraph = (e) => !isExtra(e) && !isMissing(e);
const blanket = (x) => {
  const found = new Set();
  for (const e of near[x]) {
    if (!ofGraph(e)) continue;
    found.add(other(e, x));
    // In a CPDAG both arcs into a common child are directed.
    if (E.d[e] && E.a[e] === x) for (const f of near[E.b[e]]) if (ofGraph(f) && E.d[f] && E.b[f] === E.b[e]) found.add(E.a[f]);
  }
  found.delete(x);
  return [...found].sort((a, b) => a - b);
};

// State.
const X = new Float64Array(n + G), Y = new Float64Array(n + G), folded = new Set();
let layout = D.start, bends = {}, alone = null, links = [], nodes = [], degree = new Float64Array(n + G);
let picked = null, hover = null, measure = 0, least = 0, level = 0, coloured = !!groupOf, passing = m;
const cam = { x: 0, y: 0, k: 1 };
let W = 1, H = 1, ratio = 1;
const measures = D.measures.map((q) => {
  const value = q.key === "p" ? q.values.map((v) => (v === null ? null : -pLog(v))) : q.values;
  return { ...q, value, sorted: value.filter((v, e) => v !== null && !isExtra(e)).sort((a, b) => a - b) };
});
const passes = (e) => {
  if (level && D.path) {
    // The skeleton of this level: pairs whose largest p-value is at most the level.
    if (E.levels[e] < 0 ? isExtra(e) : E.levels[e] < level) return false;
  } else if (isExtra(e)) return false;
  if (!least) return true;
  const v = measures[measure].value[e];
  return v === null || v >= measures[measure].sorted[least];
};

const STYLES = [
  ["--edge", [], "directed"], ["--undirected", [6, 4], "undirected: both directions agree with the data"],
  ["--extra", [1.5, 3.5], "in the skeleton of this level only"],
  ["--right", [], "right"], ["--turned", [9, 3], "in another direction"], ["--missing", [1.5, 3.5], "missing"],
  ["--false", [4, 3], "false"], ["--edge", [], "edges of folded groups"],
];
const style = (e) => (isExtra(e) ? 2 : E.status ? 3 + E.status[e] : E.d[e] ? 0 : 1);
const at = (x) => (groupOf && folded.has(groupOf[x]) ? n + groupOf[x] : x);
const label = (i) => (i < n ? short[i] : `${groupNames[i - n]} (${D.groups.sizes[i - n]})`);
const group = (i) => (i < n ? (groupOf ? groupOf[i] : 0) : i - n);

function build() {
  const shown = new Set();
  for (let x = 0; x < n; x++) if (!alone || alone.has(x)) shown.add(alone ? x : at(x));
  links = [];
  passing = 0;
  degree.fill(0);
  const merged = new Map();
  for (let e = 0; e < m; e++) {
    if (!passes(e)) continue;
    passing++;
    const a = alone ? E.a[e] : at(E.a[e]), b = alone ? E.b[e] : at(E.b[e]);
    if (a === b || !shown.has(a) || !shown.has(b)) continue;
    degree[a]++; degree[b]++;
    if (a < n && b < n) links.push({ a, b, e, d: E.d[e], s: style(e), w: 1, via: alone ? null : bends[e] });
    else {
      const id = Math.min(a, b) * (n + G) + Math.max(a, b), old = merged.get(id);
      if (old) old.w++;
      else merged.set(id, { a, b, e: -1, d: 0, s: 7, w: 1, via: null });
    }
  }
  links.push(...merged.values());
  nodes = [...shown].sort((a, b) => degree[b] - degree[a] || a - b);
  if (picked && picked.node !== undefined && !shown.has(picked.node)) select(null);
  const all = least ? ` of ${count(base, "edge")}` : "";
  $("passing").textContent = `${count(passing, "edge")}${all} shown`;
  table();
  repaint();
}
let base = 0;
for (let e = 0; e < m; e++) if (!isExtra(e)) base++;

function place() {
  const L = D.layouts[layout];
  for (let i = 0; i < n; i++) { X[i] = L.x[i]; Y[i] = L.y[i]; }
  bends = {};
  // Each bend is told from the one before.
  for (const e in L.bends || {}) {
    let x = L.x[E.a[e]], y = L.y[E.a[e]];
    bends[e] = L.bends[e].map((step, j) => (j % 2 ? (y += step) : (x += step)));
  }
  for (let g = 0; g < G; g++) X[n + g] = Y[n + g] = 0;
  if (groupOf) for (let i = 0; i < n; i++) {
    X[n + groupOf[i]] += X[i] / D.groups.sizes[groupOf[i]];
    Y[n + groupOf[i]] += Y[i] / D.groups.sizes[groupOf[i]];
  }
}

// The neighbourhood alone, laid out anew with parents above.
function placeAlone() {
  const inside = [...alone].sort((a, b) => D.rank[a] - D.rank[b]), layer = new Map(inside.map((x) => [x, 0]));
  const down = (x) => near[x].filter((e) => passes(e) && alone.has(other(e, x)) && D.rank[other(e, x)] > D.rank[x]).map((e) => other(e, x));
  for (const x of inside) for (const y of down(x)) layer.set(y, Math.max(layer.get(y), layer.get(x) + 1));
  for (const x of inside.slice().reverse()) {
    const below = down(x).map((y) => layer.get(y));
    if (below.length) layer.set(x, Math.max(layer.get(x), Math.min(...below) - 1));
  }
  const rows = [];
  for (const x of inside) (rows[layer.get(x)] ||= []).push(x);
  const width = (x) => short[x].length * 7.5 + 44;
  const spread = (row, wish) => {
    row.sort((a, b) => wish.get(a) - wish.get(b) || a - b);
    let left = 0;
    for (const x of row) { X[x] = left + width(x) / 2; left += width(x); }
    const shift = row.reduce((sum, x) => sum + wish.get(x) - X[x], 0) / row.length;
    for (const x of row) X[x] += shift;
  };
  // Wide layers break into several lines.
  const lines = rows.flatMap((row) => {
    const size = Math.max(6, Math.ceil(Math.sqrt(inside.length) * 2));
    return Array.from({ length: Math.ceil(row.length / size) }, (_, i) => row.slice(i * size, (i + 1) * size));
  });
  lines.forEach((row, i) => { spread(row, new Map(row.map((x, j) => [x, j]))); row.forEach((x) => { Y[x] = i * 95; }); });
  lines.forEach((row) => { const mid = (X[row[0]] + X[row[row.length - 1]]) / 2; row.forEach((x) => { X[x] -= mid; }); });
  for (let sweep = 0; sweep < 8; sweep++) for (const row of sweep % 2 ? lines.slice().reverse() : lines) {
    spread(row, new Map(row.map((x) => {
      const around = near[x].filter((e) => alone.has(other(e, x))).map((e) => other(e, x)).filter((y) => Y[y] !== Y[x]);
      return [x, around.length ? around.reduce((sum, y) => sum + X[y], 0) / around.length : X[x]];
    })));
  }
}

// The camera.
const box = (list) => {
  const found = [Infinity, Infinity, -Infinity, -Infinity];
  for (const i of list) {
    found[0] = Math.min(found[0], X[i]); found[1] = Math.min(found[1], Y[i]);
    found[2] = Math.max(found[2], X[i]); found[3] = Math.max(found[3], Y[i]);
  }
  if (!alone) for (const l of links) if (l.via) for (let j = 0; j < l.via.length; j += 2) {
    found[0] = Math.min(found[0], l.via[j]); found[2] = Math.max(found[2], l.via[j]);
  }
  return list.length ? found : [0, 0, 0, 0];
};
function fitted(list, most) {
  const [x0, y0, x1, y1] = box(list);
  // Names at the sides keep their size on the screen.
  const wide = list.length > 300 ? 50 : Math.max(...list.map((i) => label(i).length), 1) * (W < 600 && list.length > 20 ? 5 : 7) + 30;
  const k = clamp(Math.min(Math.max(60, W - wide) / (x1 - x0 || 1), Math.max(60, H - 90) / (y1 - y0 || 1)), 0.005, most);
  return { x: (x0 + x1) / 2, y: (y0 + y1) / 2, k };
}
let flight = 0;
function go(to, at_once) {
  cancelAnimationFrame(flight);
  if (still.matches || at_once || cost > 12) { Object.assign(cam, to); return repaint(); }
  const from = { ...cam }, start = performance.now();
  const step = (now) => {
    const t = clamp((now - start) / 260, 0, 1), s = t * t * (3 - 2 * t);
    cam.k = Math.exp(Math.log(from.k) * (1 - s) + Math.log(to.k) * s);
    cam.x = from.x + (to.x - from.x) * s; cam.y = from.y + (to.y - from.y) * s;
    moved();
    if (t < 1) flight = requestAnimationFrame(step);
  };
  flight = requestAnimationFrame(step);
}
let home = {};
const fit = (at_once) => go((home = fitted(nodes, 1.6)), at_once);
function zoom(by, sx = W / 2, sy = H / 2) {
  const k = clamp(cam.k * by, 0.005, 8);
  cam.x += (sx - W / 2) * (1 / cam.k - 1 / k); cam.y += (sy - H / 2) * (1 / cam.k - 1 / k);
  cam.k = k;
  moved();
}

// Painting: the base picture goes to a canvas of its own, larger than the window when it is slow to paint, which is
// shifted while the pointer moves and painted anew when it rests.
const back = document.createElement("canvas"), backCtx = back.getContext("2d");
let shot = null, cost = 0, due = 0, timer = 0, colours = {};
function repaint() { shot = null; request(); }
function request() { if (!due) due = requestAnimationFrame(frame); }
function moved() {
  if (cost <= 12) return repaint();
  clearTimeout(timer);
  timer = setTimeout(repaint, 80);
  request();
}
function frame() {
  due = 0;
  if (!shot) {
    const margin = cost > 12 ? Math.round(Math.min(W, H) * 0.2) : 0, start = performance.now();
    const w = W + 2 * margin, t = H + 2 * margin;
    if (back.width !== Math.round(w * ratio) || back.height !== Math.round(t * ratio)) {
      back.width = Math.round(w * ratio); back.height = Math.round(t * ratio);
    }
    backCtx.setTransform(ratio, 0, 0, ratio, 0, 0);
    backCtx.clearRect(0, 0, w, t);
    paint(backCtx, w, t);
    // Most of the time goes where a script cannot see it, so that size counts too.
    cost = performance.now() - start + (links.length + nodes.length) / 250;
    shot = { ...cam, margin };
  }
  const s = cam.k / shot.k, left = W / 2 + ((-shot.margin - W / 2) / shot.k + shot.x - cam.x) * cam.k;
  const top = H / 2 + ((-shot.margin - H / 2) / shot.k + shot.y - cam.y) * cam.k;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, W, H);
  ctx.drawImage(back, left, top, (W + 2 * shot.margin) * s, (H + 2 * shot.margin) * s);
  if (hover !== null && !timerRuns()) overlay();
}
const timerRuns = () => shot && (shot.k !== cam.k || shot.x !== cam.x || shot.y !== cam.y);

const FONT = '"Inter","Segoe UI",system-ui,-apple-system,"DejaVu Sans",sans-serif';
const widths = new Map();
let hw = new Float32Array(n + G), hh = new Float32Array(n + G), named = new Uint8Array(n + G);
function textWidth(i) {
  let w = widths.get(i);
  if (w === undefined) {
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.font = `12px ${FONT}`;
    widths.set(i, (w = ctx.measureText(label(i)).width / 12));
  }
  return w;
}
const lit = () => {
  // What is bright: null is everything.
  if (!picked) return null;
  if (picked.edge !== undefined) return new Set([E.a[picked.edge], E.b[picked.edge]]);
  if (picked.pair) return new Set(picked.pair);
  const found = new Set([picked.node]);
  const steps = +$("steps").value;
  let edge = [picked.node];
  for (let s = 0; s < steps; s++) {
    const next = [];
    for (const l of links) for (const [p, q] of [[l.a, l.b], [l.b, l.a]]) if (found.has(p) && !found.has(q) && edge.includes(p)) next.push(q);
    next.forEach((x) => found.add(x));
    edge = [...new Set(next)];
  }
  return found;
};
const nodeColour = (i) => (coloured ? colours.groups[group(i) % colours.groups.length] : colours.accent);
const radius = (i) => (i >= n ? 9 + Math.sqrt(D.groups.sizes[i - n]) : clamp(5 * cam.k, 2, 6) * (1 + 0.1 * Math.sqrt(degree[i])));

function paint(c, w, t) {
  const k = cam.k, sx = (i) => (X[i] - cam.x) * k + w / 2, sy = (i) => (Y[i] - cam.y) * k + t / 2, bright = lit();
  const size = clamp(13 * k, 9.5, 17), pad = size * 0.5;
  // Names where there is room: the picked first, then what has most edges; a name never hides another variable.
  const cells = new Map(), dots = new Map(), cell = 48, seen = [];
  const cellsOf = (map, x0, y0, x1, y1, visit) => {
    for (let i = Math.floor(x0 / cell); i <= Math.floor(x1 / cell); i++) for (let j = Math.floor(y0 / cell); j <= Math.floor(y1 / cell); j++) {
      const id = i * 4096 + j;
      if (visit(map.get(id), id)) return true;
    }
    return false;
  };
  for (const i of nodes) {
    named[i] = 0;
    hw[i] = hh[i] = radius(i);
    const x = sx(i), y = sy(i);
    if (x < -60 || y < -30 || x > w + 60 || y > t + 30) continue;
    seen.push(i);
    const id = Math.floor(x / cell) * 4096 + Math.floor(y / cell), list = dots.get(id);
    if (list) list.push(i); else dots.set(id, [i]);
  }
  const first = (i) => (picked.node === i || (picked.pair && picked.pair.includes(i)) ? 0 : bright.has(i) ? 1 : 2);
  const order = bright ? seen.slice().sort((a, b) => first(a) - first(b)) : seen;
  for (const i of order) {
    const main = bright && bright.has(i), x = sx(i), y = sy(i);
    const half = i < n ? (textWidth(i) * size) / 2 + pad : radius(i) + 1, tall = i < n ? size * 0.5 + pad * 0.62 : radius(i);
    const hit = (list, test) => !!list && list.some(test);
    const taken = !(main && first(i) === 0) && cellsOf(cells, x - half, y - tall, x + half, y + tall, (list) => hit(list, (j) =>
      Math.abs(sx(j) - x) < half + hw[j] + 2 && Math.abs(sy(j) - y) < tall + hh[j] + 2));
    if (taken && i < n) continue;
    if (!main && i < n && cellsOf(dots, x - half, y - tall, x + half, y + tall, (list) => hit(list, (j) =>
      j !== i && !named[j] && Math.abs(sx(j) - x) < half + 1 && Math.abs(sy(j) - y) < tall + 1))) continue;
    named[i] = 1; hw[i] = half; hh[i] = tall;
    cellsOf(cells, x - half, y - tall, x + half, y + tall, (list, id) => { if (list) list.push(i); else cells.set(id, [i]); return false; });
  }
  // Edges, those of a style in one path; the dim ones first.
  const batches = new Map();
  for (const l of links) {
    const on = !bright || (picked.edge !== undefined ? l.e === picked.edge : picked.node !== undefined && bright.has(l.a) && bright.has(l.b));
    const id = (on ? 100 : 0) + l.s * 10 + Math.min(4, Math.floor(Math.log2(l.w)));
    const batch = batches.get(id);
    if (batch) batch.push(l); else batches.set(id, [l]);
  }
  const head = clamp(3.5 + 4.5 * k, 4.5, 10), crowded = links.length > 6000 && k < 0.25;
  c.lineJoin = "round";
  for (const id of [...batches.keys()].sort((a, b) => a - b)) {
    const on = id >= 100, s = Math.floor((id % 100) / 10), [colour, dash] = STYLES[s], heads = [];
    c.globalAlpha = on ? 1 : 0.16;
    c.strokeStyle = c.fillStyle = colours[colour];
    c.lineWidth = ((on && bright ? 2 : crowded ? 0.5 : clamp(0.7 + 0.4 * k, 0.8, 1.4)) + (id % 10) * 0.9) * (s > 2 && s < 7 ? 1.5 : 1);
    c.setLineDash(batches.get(id).length > 4000 ? [] : dash);
    c.beginPath();
    for (const l of batches.get(id)) {
      const ax = sx(l.a), ay = sy(l.a), bx = sx(l.b), by = sy(l.b), via = l.via;
      if (!via && ((ax < 0 && bx < 0) || (ay < 0 && by < 0) || (ax > w && bx > w) || (ay > t && by > t))) continue;
      let px = ax, py = ay;
      c.moveTo(ax, ay);
      if (via) for (let j = 0; j < via.length; j += 2) {
        const qx = (via[j] - cam.x) * k + w / 2, qy = (via[j + 1] - cam.y) * k + t / 2;
        if (j) c.quadraticCurveTo(px, py, (px + qx) / 2, (py + qy) / 2);
        px = qx; py = qy;
      }
      // The line ends where it meets the box or the dot of its second variable.
      const dx = bx - px, dy = by - py, far = Math.hypot(dx, dy) || 1;
      const cut = named[l.b] ? Math.min(hw[l.b] / Math.abs(dx), hh[l.b] / Math.abs(dy)) : hw[l.b] / far;
      const show = l.d && far * (1 - cut) > head * 0.8 && !crowded, share = l.d ? Math.max(0, 1 - cut) : 1;
      const tx = px + dx * share, ty = py + dy * share, ux = dx / far, uy = dy / far;
      const lx = show ? tx - ux * head * 0.8 : tx, ly = show ? ty - uy * head * 0.8 : ty;
      if (via) c.quadraticCurveTo(px, py, lx, ly); else c.lineTo(lx, ly);
      if (show) heads.push(tx, ty, ux, uy);
    }
    c.stroke();
    c.setLineDash([]);
    c.beginPath();
    for (let j = 0; j < heads.length; j += 4) {
      const [tx, ty, ux, uy] = heads.slice(j, j + 4), wide = head * 0.42;
      c.moveTo(tx, ty);
      c.lineTo(tx - ux * head - uy * wide, ty - uy * head + ux * wide);
      c.lineTo(tx - ux * head + uy * wide, ty - uy * head - ux * wide);
      c.closePath();
    }
    c.fill();
  }
  // Dots by colour, then boxes with names.
  const byColour = new Map();
  for (const i of seen) {
    if (named[i] && i < n) continue;
    const id = nodeColour(i) + (bright && !bright.has(i) ? "-" : "+"), list = byColour.get(id);
    if (list) list.push(i); else byColour.set(id, [i]);
  }
  for (const [id, list] of byColour) {
    c.globalAlpha = id.endsWith("-") ? 0.22 : 1;
    c.fillStyle = id.slice(0, -1);
    c.beginPath();
    for (const i of list) { const x = sx(i), y = sy(i), r = radius(i); c.moveTo(x + r, y); c.arc(x, y, r, 0, 7); }
    c.fill();
  }
  c.textAlign = "center";
  c.textBaseline = "middle";
  for (const i of seen) if (named[i]) pill(c, i, sx(i), sy(i), size, !bright || bright.has(i));
  c.globalAlpha = 1;
}
function pill(c, i, x, y, size, on) {
  c.globalAlpha = on ? 1 : 0.3;
  const main = picked && (picked.node === i || (picked.pair && picked.pair.includes(i)));
  if (i >= n) {
    c.fillStyle = colours.ink;
    c.font = `600 ${clamp(size, 11, 14)}px ${FONT}`;
    c.fillText(label(i), x, y + radius(i) + 11);
    return;
  }
  c.fillStyle = colours.paper;
  c.strokeStyle = main ? colours.main : nodeColour(i);
  c.lineWidth = main ? 3 : 1.6;
  c.beginPath();
  c.roundRect(x - hw[i], y - hh[i], 2 * hw[i], 2 * hh[i], Math.min(7, hh[i]));
  c.fill();
  c.stroke();
  c.fillStyle = colours.ink;
  c.font = `${main ? "600 " : ""}${size}px ${FONT}`;
  c.fillText(short[i], x, y + 0.5);
}
function overlay() {
  const i = hover, k = cam.k, x = (X[i] - cam.x) * k + W / 2, y = (Y[i] - cam.y) * k + H / 2, size = clamp(13 * k, 12, 17);
  ctx.strokeStyle = colours.main;
  ctx.lineWidth = 1.8;
  ctx.globalAlpha = 0.8;
  ctx.beginPath();
  for (const l of links) if (l.a === i || l.b === i) {
    const j = l.a === i ? l.b : l.a;
    if (l.via) continue;
    ctx.moveTo(x, y);
    ctx.lineTo((X[j] - cam.x) * k + W / 2, (Y[j] - cam.y) * k + H / 2);
  }
  ctx.stroke();
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  if (i < n) { hw[i] = (textWidth(i) * size) / 2 + size * 0.6; hh[i] = size * 0.85; named[i] = 1; }
  pill(ctx, i, x, y, size, true);
  ctx.globalAlpha = 1;
}
function theme() {
  const chosen = $("theme").value;
  root.dataset.theme = chosen === "auto" ? (dark.matches ? "dark" : "light") : chosen;
  const css = getComputedStyle(root), read = (name) => css.getPropertyValue(name).trim();
  colours = { groups: read("--groups").split(/\s+/), accent: read("--accent"), ink: read("--ink"), paper: read("--paper"), main: read("--main"), page: read("--page") };
  for (const [name] of STYLES) colours[name] = read(name);
  for (const e of document.querySelectorAll("[data-group]")) e.style.background = colours.groups[e.dataset.group % colours.groups.length];
  document.querySelectorAll("canvas.key").forEach(drawKey);
  repaint();
}

// What the pointer is on.
function nodeAt(sx, sy) {
  let best = null, nearest = 9;
  for (const i of nodes) {
    const dx = Math.abs((X[i] - cam.x) * cam.k + W / 2 - sx), dy = Math.abs((Y[i] - cam.y) * cam.k + H / 2 - sy);
    const d = named[i] && dx <= hw[i] && dy <= hh[i] ? Math.min(2, dx / hw[i]) : Math.hypot(dx, dy) - Math.min(hw[i], hh[i]) / 2;
    if (d < nearest) { nearest = d; best = i; }
  }
  return best;
}
function edgeAt(sx, sy) {
  let best = null, nearest = 7;
  const x = (sx - W / 2) / cam.k + cam.x, y = (sy - H / 2) / cam.k + cam.y;
  for (const l of links) {
    let px = X[l.a], py = Y[l.a];
    const line = [...(l.via || []), X[l.b], Y[l.b]];
    for (let j = 0; j < line.length; j += 2) {
      const dx = line[j] - px, dy = line[j + 1] - py, t = clamp(((x - px) * dx + (y - py) * dy) / (dx * dx + dy * dy || 1), 0, 1);
      const d = Math.hypot(px + t * dx - x, py + t * dy - y) * cam.k;
      if (d < nearest) { nearest = d; best = l; }
      px = line[j]; py = line[j + 1];
    }
  }
  return best;
}
const pointers = new Map();
let dragged = 0;
const where = (ev) => { const r = canvas.getBoundingClientRect(); return [ev.clientX - r.left, ev.clientY - r.top]; };
canvas.addEventListener("pointerdown", (ev) => {
  if (ev.isTrusted) canvas.setPointerCapture(ev.pointerId);
  pointers.set(ev.pointerId, where(ev));
  dragged = 0;
  cancelAnimationFrame(flight);
});
canvas.addEventListener("pointermove", (ev) => {
  const [x, y] = where(ev), old = pointers.get(ev.pointerId);
  if (old) {
    const others = [...pointers].filter(([id]) => id !== ev.pointerId).map(([, p]) => p);
    if (others.length) {
      const [ox, oy] = others[0], before = Math.hypot(old[0] - ox, old[1] - oy);
      zoom(Math.hypot(x - ox, y - oy) / (before || 1), (x + ox) / 2, (y + oy) / 2);
    } else { cam.x -= (x - old[0]) / cam.k; cam.y -= (y - old[1]) / cam.k; moved(); }
    dragged += Math.hypot(x - old[0], y - old[1]);
    pointers.set(ev.pointerId, [x, y]);
    return;
  }
  const found = nodeAt(x, y);
  canvas.style.cursor = found !== null ? "pointer" : "grab";
  canvas.title = found !== null && found < n && short[found] !== names[found] ? names[found] : "";
  if (found !== hover) { hover = found; request(); }
});
canvas.addEventListener("pointerleave", () => { hover = null; request(); });
canvas.addEventListener("pointercancel", (ev) => pointers.delete(ev.pointerId));
canvas.addEventListener("pointerup", (ev) => {
  pointers.delete(ev.pointerId);
  if (dragged > 5 || pointers.size) return;
  const [x, y] = where(ev), found = nodeAt(x, y);
  if (found !== null) {
    if (ev.shiftKey && picked && picked.node !== undefined && picked.node < n && found < n && found !== picked.node) pair(picked.node, found);
    else select({ node: found });
    return;
  }
  const link = edgeAt(x, y);
  select(!link ? null : link.e >= 0 ? { edge: link.e } : { node: Math.max(link.a, link.b) });
});
canvas.addEventListener("dblclick", (ev) => zoom(2, ...where(ev)));
canvas.addEventListener("wheel", (ev) => {
  ev.preventDefault();
  zoom(Math.exp(-clamp(ev.deltaY * (ev.deltaMode ? 20 : 1), -240, 240) * 0.0018), ...where(ev));
}, { passive: false });
let turn = -1;
canvas.addEventListener("keydown", (ev) => {
  const step = 60 / cam.k, move = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[ev.key];
  if (ev.ctrlKey || ev.metaKey || ev.altKey) return;
  if (move) { cam.x += move[0]; cam.y += move[1]; moved(); }
  else if (ev.key === "+" || ev.key === "=") zoom(1.25);
  else if (ev.key === "-") zoom(0.8);
  else if (ev.key === "0") fit();
  else if (ev.key === "Escape") { if (alone) whole(); else select(null); }
  else if (ev.key === "/") $("find").focus();
  else if (ev.key === "n" || ev.key === "p") {
    const at = picked && picked.node < n ? picked.node : null, list = at === null ? nodes.filter((i) => i < n) : near[at].filter(passes).map((e) => other(e, at));
    if (!list.length) return;
    turn = (turn + (ev.key === "n" ? 1 : list.length - 1)) % list.length;
    hover = list[turn];
    say(names[hover]);
    request();
  } else if (ev.key === "Enter" && hover !== null) { turn = -1; select({ node: hover }); }
  else return;
  ev.preventDefault();
});

// What is told of what is picked.
const link = (i) => button(names[i], () => { select({ node: i }); show(i); }, "link");
const edgeText = (e) => `${names[E.a[e]]} ${E.d[e] ? "→" : "−"} ${names[E.b[e]]}`;
const rows = (list) => h("dl", {}, ...list.filter((r) => r && r[1] !== null && r[1] !== undefined).flatMap(([a, b]) => [h("dt", {}, a), h("dd", {}, ...[b].flat())]));
const list = (items) => (items.length ? items.flatMap((i, j) => (j + 1 < items.length ? [h("span", { className: "item" }, link(i), ","), " "] : [link(i)])) : "none");
const setOf = (set) => (set === null || set === undefined ? null : set.length ? list(set) : "the empty set");
function show(i) {
  const x = (X[i] - cam.x) * cam.k + W / 2, y = (Y[i] - cam.y) * cam.k + H / 2;
  if (cam.k > 0.45 && x > 80 && y > 40 && x < W - 80 && y < H - 40) return;
  go({ x: X[i], y: Y[i], k: Math.max(cam.k, 0.8) });
}
function select(what) {
  picked = what;
  const part = $("details");
  part.replaceChildren();
  if (!what) { part.append(h("p", { className: "hint" }, "Click a variable or an edge. Shift-click a second variable to ask about a pair.")); say(""); return repaint(); }
  if (what.edge !== undefined) edge(part, what.edge);
  else if (what.pair) why(part, ...what.pair);
  else if (what.node >= n) folder(part, what.node - n);
  else variable(part, what.node);
  // On a narrow page it is below the picture, which must not go away.
  if (innerWidth > 800) part.scrollIntoView({ block: "nearest" });
  repaint();
}
function variable(part, x) {
  const of = near[x].filter(ofGraph), sorted = (l) => l.sort((a, b) => a - b);
  const parents = sorted(of.filter((e) => E.d[e] && E.b[e] === x).map((e) => E.a[e]));
  const children = sorted(of.filter((e) => E.d[e] && E.a[e] === x).map((e) => E.b[e]));
  const neighbours = sorted(of.filter((e) => !E.d[e]).map((e) => other(e, x)));
  const second = h("input", { type: "search", id: "second", list: "names", autocomplete: "off", "aria-label": "Another variable" });
  const ask = () => {
    const y = names.indexOf(second.value);
    if (y < 0 || y === x) return say(y === x ? "Choose another variable." : "There is no variable of this name.");
    pair(x, y);
  };
  second.addEventListener("change", ask);
  second.addEventListener("focus", () => { if (!$("names").firstChild) $("names").append(...names.map((s) => h("option", { value: s }))); });
  part.append(
    h("h2", {}, names[x]), groupOf ? h("p", {}, groupNames[groupOf[x]]) : "", facts(x),
    rows([["Parents", list(parents)], ["Children", list(children)], ["Neighbours", list(neighbours)], ["Markov blanket", list(blanket(x))],
      E.status ? ["Missing edges to", list(near[x].filter(isMissing).map((e) => other(e, x)))] : null]),
    h("p", { className: "acts" }, button("Show its neighbourhood alone", () => only(x)),
      groupOf && G > 1 ? button("Fold its group", () => fold(groupOf[x])) : ""),
    h("label", { htmlFor: "second" }, "Is there an edge to"), h("div", { className: "row" }, second, button("Ask", ask)),
  );
  say(`${names[x]}: ${count(parents.length, "parent")}, ${count(children.length, "child", "children")}, ${count(neighbours.length, "neighbour")}`);
}
function facts(x) {
  const C = D.columns;
  if (!C || x >= C.of.length) return "";
  const states = C.sets[C.of[x]], counts = C.counts[x], gone = C.missing[x] || 0, most = Math.max(...counts, 1), total = C.rows - gone;
  return h("div", {}, rows([C.text[x] ? ["Values", C.text[x]] : C.n[x] ? ["States", C.n[x].toLocaleString("en")] : null, ["Missing", gone ? share(gone, C.rows) : "none"]]),
    h("table", { className: "states" }, h("tbody", {}, ...states.map((s, i) => {
      const bar = h("span", { className: "bar" });
      bar.style.width = `${(60 * (counts[i] || 0)) / most}px`;
      return h("tr", {}, h("th", { scope: "row" }, s), h("td", {}, counts.length ? ((100 * counts[i]) / total).toFixed(1) + " %" : ""), h("td", {}, bar));
    }))), C.n[x] > states.length && states.length ? h("p", { className: "hint" }, `and ${count(C.n[x] - states.length, "more state")}`) : "");
}
const share = (k, of) => `${k.toLocaleString("en")} (${((100 * k) / of).toFixed(1)} %)`;
const STATUS = ["right", "in another direction", "missing: an edge of the true graph", "false: no edge of the true graph"];
function edge(part, e) {
  const at = (q) => { const found = D.measures.find((m) => m.key === q); return found ? found.values[e] : null; }, p = at("p"), gain = at("gain");
  part.append(h("h2", {}, edgeText(e)), rows([
    E.status ? ["Against the truth", STATUS[E.status[e]] + (E.note?.[e] ? ` (${E.note[e]})` : "")] : null,
    isExtra(e) ? ["Skeleton only", "The learned graph lacks this edge; it is in the skeleton at higher levels of PATH."] : null,
    isMissing(e) || E.d[e] || isExtra(e) || D.kind !== "result" ? null : ["Direction", "Both directions occur among the DAGs that agree with the data."],
    p === null || p === undefined ? null : ["Largest p-value", pText(p)], E.given ? ["given by the set", setOf(E.given[e])] : null,
    gain === null || gain === undefined ? null : ["Adds to the score", gain.toLocaleString("en", { maximumFractionDigits: 2 })],
    E.shares?.[e] ? ["Share of replicates", `${g3(E.shares[e].reduce((a, b) => a + b, 0))} (→ ${g3(E.shares[e][0])}, ← ${g3(E.shares[e][1])}, − ${g3(E.shares[e][2])})`] : null,
  ]), h("p", {}, link(E.a[e]), " ", link(E.b[e])));
  if (isMissing(e) && D.explain) why(part, E.a[e], E.b[e], true);
  say(edgeText(e));
}
function folder(part, g) {
  const members = [];
  for (let i = 0; i < n; i++) if (groupOf[i] === g) members.push(i);
  part.append(h("h2", {}, `${groupNames[g]}: ${count(members.length, "variable")}`),
    h("p", {}, button(folded.has(g) ? "Unfold" : "Fold", () => fold(g))), h("p", {}, ...list(members.slice(0, 200))));
  say(`${groupNames[g]}, ${count(members.length, "variable")}`);
}
// Two variables: their edge, or what explains that there is none.
function pair(x, y) {
  const e = edgeOf.get(key(x, y));
  select(e !== undefined && !isMissing(e) ? { edge: e } : { pair: [x, y] });
}
let absent = null;
// Numbers, of which all highest bytes come first.
async function column(text, many) {
  const bytes = new Uint8Array(await inflated(text).arrayBuffer()), size = many ?? bytes.length;
  return Array.from({ length: size }, (_, i) => { let v = 0; for (let j = i; j < bytes.length; j += size) v = v * 256 + bytes[j]; return v; });
}
async function unpack() {
  if (absent || !D.absent) return;
  const { columns, pairs, variables } = D.absent, all = await Promise.all([variables, pairs, pairs, pairs, pairs].map((size, i) => column(columns[i], size)));
  const [perRow, gaps, digits, powers, sizes] = all, found = new Map();
  const places = await column(columns[5], sizes.reduce((sum, size) => sum + size, 0));
  // Likely members of a set, as in `separations.py`.
  const likely = near.map((list, x) => list.filter(ofGraph).map((e) => other(e, x)).sort((a, b) => a - b));
  let i = 0, from = 0;
  for (let x = 0; x < variables; x++) for (let k = 0, y = x; k < perRow[x]; k++, i++) {
    y += gaps[i] + 1;
    const [a, b] = [likely[x], likely[y]], both = new Set();
    for (let j = 0; j < Math.max(a.length, b.length); j++) { if (j < a.length) both.add(a[j]); if (j < b.length) both.add(b[j]); }
    const order = [...both], set = [];
    for (let code = -1, j = 0; j < sizes[i]; j++) { code += places[from++] + 1; set.push(code < order.length ? order[code] : code - order.length); }
    set.sort((s, t) => s - t);
    for (const end of [x, y]) likely[end] = [...set, ...likely[end].filter((z) => !set.includes(z))];
    found.set(key(x, y), { p: digits[i] ? +`${digits[i]}e${-powers[i] - 2}` : `10^-${powers[i]}`, given: set });
  }
  absent = found;
}
// What is at most so many edges away.
function around(x, steps, counts) {
  const found = new Set([x]);
  let edge = [x];
  for (let s = 0; s < steps && edge.length; s++) edge = edge.flatMap((i) => near[i].filter(counts).map((e) => other(e, i)).filter((z) => !found.has(z) && found.add(z)));
  return found;
}
async function why(part, x, y, inner) {
  const text = h("p", { className: "why" });
  if (!inner) part.append(h("h2", {}, `${names[x]}, ${names[y]}`));
  part.append(text);
  if (!inner) part.append(h("p", {}, link(x), " ", link(y)));
  let lines = [`${names[x]} and ${names[y]} are not adjacent.`];
  const q = D.explain;
  if (q) {
    try { await unpack(); } catch { lines.push("This browser cannot unpack the separating sets."); }
    const record = absent && absent.get(key(x, y));
    const apart = q.isolated[x] || q.isolated[y] || (q.forbidden.some(([a, b]) => key(a, b) === key(x, y)) ? "background knowledge forbids their edge" : null);
    if (apart) lines.push(`No test was made: ${apart}.`);
    else {
      if (!q.complete) lines.push("The time limit cut the method short: there may have been no test of them.");
      if (!D.absent) lines.push(q.none);
      else if (q.steps && !around(x, q.steps, ofGraph).has(y)) lines.push(`They are more than ${q.steps} edges apart. This page has the tests of nearer pairs; Result.explain tells the others.`);
      else if (!record || record.p === null) lines.push(`They are independent marginally, at the level ${q.alpha}.`);
      else {
        const p = pText(record.p) + given(record.given), log = pLog(record.p);
        if (q.alpha !== null && log <= Math.log10(+q.alpha)) lines.push(`No test separated them at the level ${q.alpha}: the largest p-value is ${p}.`, "Their edge went later: PATH chose a lower level, or the search found no use for it.");
        else lines.push(`They are independent: p = ${p} (level ${q.alpha}).`);
      }
    }
  }
  text.textContent = lines.join("\n");
  say(lines.join(" "));
}
// A part alone, and groups that fold.
function only(x) {
  alone = around(x, +$("steps").value, passes);
  if (alone.size <= 400) placeAlone();
  $("whole").hidden = false;
  build();
  fit();
  select({ node: x });
}
function whole() { alone = null; $("whole").hidden = true; place(); build(); fit(); }
function fold(g, quiet) {
  if (folded.has(g)) folded.delete(g); else folded.add(g);
  const tick = document.querySelector(`[data-fold="${g}"]`);
  if (tick) tick.checked = folded.has(g);
  if (alone) { alone = null; $("whole").hidden = true; place(); }
  if (quiet) return;
  picked = null;
  build();
  select({ node: folded.has(g) ? n + g : nodes.find((i) => group(i) === g) });
}

// The table beside the picture.
let sorting = null, rowsShown = 100;
function table() {
  if (!$("table").open) return;
  const text = $("filter").value.toLowerCase(), body = $("rows");
  let found = [];
  for (let e = 0; e < m; e++) if (passes(e) && (!text || names[E.a[e]].toLowerCase().includes(text) || names[E.b[e]].toLowerCase().includes(text))) found.push(e);
  if (sorting) {
    const v = sorting.name === "edge" ? null : measures.find((q) => q.key === sorting.name).value;
    found.sort((a, b) => sorting.way * (v ? (v[a] ?? -Infinity) - (v[b] ?? -Infinity) : edgeText(a) < edgeText(b) ? -1 : 1) || a - b);
  }
  body.replaceChildren(...found.slice(0, rowsShown).map((e) => h("tr", {},
    h("td", {}, button(edgeText(e), () => { select({ edge: e }); show(E.a[e]); }, "link")),
    E.status ? h("td", {}, STATUS[E.status[e]].split(":")[0]) : null,
    ...D.measures.map((q) => h("td", { className: "number" }, q.values[e] === null ? "" : q.key === "p" ? pText(q.values[e]) : g3(q.values[e]))),
    E.given ? h("td", {}, E.given[e] ? "{" + E.given[e].map((i) => names[i]).join(", ") + "}" : "") : null)));
  $("more").hidden = found.length <= rowsShown;
  $("counted").textContent = count(found.length, "edge");
}
on("table", "toggle", () => { table(); resize(); });
on("filter", "input", table);
on("more", "click", () => { rowsShown += 200; table(); });
$("head").append(...[["edge", "edge"], ...(E.status ? [[null, "against the truth"]] : []), ...D.measures.map((q) => [q.key, q.name]), ...(E.given ? [[null, "given"]] : [])].map(([id, text]) => {
  const cell = h("th", { scope: "col" }, id ? button(text, () => {
    sorting = { name: id, way: sorting && sorting.name === id ? -sorting.way : id === "edge" ? 1 : -1 };
    for (const c of $("head").children) c.removeAttribute("aria-sort");
    cell.setAttribute("aria-sort", sorting.way > 0 ? "ascending" : "descending");
    table();
  }, "link") : text);
  return cell;
}));

// Search.
const lower = names.map((s) => s.toLowerCase());
on("find", "input", () => {
  const text = $("find").value.toLowerCase(), out = $("found");
  if (!text) { out.replaceChildren(); return say(""); }
  const hits = [];
  for (let i = 0; i < n; i++) if (lower[i].includes(text)) hits.push(i);
  hits.sort((a, b) => (lower[b] === text) - (lower[a] === text) || lower[b].startsWith(text) - lower[a].startsWith(text) || near[b].length - near[a].length || a - b);
  out.replaceChildren(...hits.slice(0, 12).map((i) => h("li", {}, button(names[i], () => find(i)))));
  say(count(hits.length, "variable") + " found");
});
on("find", "keydown", (ev) => {
  const first = $("found").querySelector("button");
  if (ev.key === "Enter" && first) first.click();
  if (ev.key === "Escape") { $("find").value = ""; $("found").replaceChildren(); canvas.focus(); }
});
function find(i) {
  $("found").replaceChildren();
  if (alone && !alone.has(i)) whole();
  if (at(i) !== i) fold(groupOf[i]);
  select({ node: i });
  go({ x: X[i], y: Y[i], k: Math.max(cam.k, 0.9) });
}

// Controls.
const options = (id, texts, chosen) => { $(id).append(...texts.map((text, i) => h("option", { value: i, selected: i === chosen }, text))); };
options("layout", D.layouts.map((l) => l.name), layout);
$("layout-part").hidden = D.layouts.length < 2;
on("layout", "change", () => { layout = +$("layout").value; whole(); });
on("steps", "change", () => { if (alone && picked && picked.node < n) only(picked.node); else repaint(); });
options("measure", measures.map((q) => q.name), 0);
$("strength").hidden = !measures.some((q) => q.sorted.length > 1);
function strength() {
  const q = measures[measure];
  $("least").max = Math.max(0, q.sorted.length - 1);
  least = +$("least").value;
  const edgeValue = q.sorted[least], text = q.key === "p" ? `p ≤ ${edgeValue > 307 ? "10^" + Math.round(-edgeValue) : g3(10 ** -edgeValue)}` : `at least ${g3(edgeValue ?? 0)}`;
  $("limit").textContent = least ? text : "all";
  $("least").setAttribute("aria-valuetext", least ? text : "all");
}
on("least", "input", () => { strength(); build(); });
on("measure", "change", () => { measure = +$("measure").value; $("least").value = 0; strength(); build(); });
if (measures.length) { if (D.first) { measure = D.first.measure; $("measure").value = measure; $("least").max = measures[measure].sorted.length; $("least").value = D.first.least; } strength(); }
if (D.path && D.path.length > 1) {
  $("levels").hidden = false;
  $("level").max = D.path.length;
  on("level", "input", () => {
    level = +$("level").value;
    const point = D.path[level - 1];
    const text = level ? `level ${g3(point.alpha)}: skeleton of ${count(point.edges, "edge")}${point.score === null ? "" : `, score ${point.score.toLocaleString("en", { maximumFractionDigits: 1 })}`}${point.selected ? ", chosen" : ""}` : "the learned graph";
    $("at-level").textContent = text;
    $("level").setAttribute("aria-valuetext", text);
    build();
  });
}
if (groupOf && G > 1) {
  $("groups").hidden = false;
  $("groups-name").textContent = `${D.groups.name} (${G})`;
  $("group-list").append(...groupNames.slice(0, 300).map((name, g) => {
    const swatch = h("span", { className: "swatch", "data-group": g });
    const tick = h("input", { type: "checkbox", "data-fold": g, onchange: () => fold(g) });
    return h("li", {}, h("label", {}, tick, swatch, ` ${name} (${D.groups.sizes[g]})`));
  }));
  const all = (to) => { for (let g = 0; g < G; g++) if (folded.has(g) !== to && D.groups.sizes[g] > 1) fold(g, true); select(null); build(); fit(); };
  on("fold-all", "click", () => all(true));
  on("unfold-all", "click", () => all(false));
  on("coloured", "change", () => { coloured = $("coloured").checked; repaint(); });
}
on("whole", "click", whole);
on("fit", "click", () => fit());
on("zoom-in", "click", () => zoom(1.4));
on("zoom-out", "click", () => zoom(1 / 1.4));
on("theme", "change", theme);
dark.addEventListener("change", theme);

// The legend draws its keys with the styles of the picture.
function drawKey(c) {
  const k = c.getContext("2d"), s = +c.dataset.style, [colour, dash] = STYLES[s];
  c.width = 68; c.height = 24;
  k.scale(2, 2);
  k.strokeStyle = k.fillStyle = colours[colour];
  k.lineWidth = s > 2 ? 2 : 1.4;
  k.setLineDash(dash);
  k.beginPath(); k.moveTo(1, 6); k.lineTo(s === 0 ? 27 : 33, 6); k.stroke();
  if (s === 0) { k.beginPath(); k.moveTo(34, 6); k.lineTo(26, 2.5); k.lineTo(26, 9.5); k.fill(); }
}
const used = new Set();
for (let e = 0; e < m; e++) used.add(style(e));
$("legend").append(...[...used].sort().map((s) => {
  const c = h("canvas", { className: "key", "aria-hidden": "true" }), status = s - 3;
  c.dataset.style = s;
  return h("li", {}, c, STYLES[s][2] + (E.status && status >= 0 ? `: ${D.statusCounts[status].toLocaleString("en")}` : ""));
}), E.status ? h("li", { className: "hint" }, "Undirected edges have no arrowhead.") : "");

// What is seen, as a file: the same drawing, on a canvas or on a recorder that writes SVG.
function recorder() {
  const out = [], esc = (s) => s.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`), r = (x) => Math.round(x * 10) / 10;
  let d = "", dash = [];
  const put = (paint) => { if (d) out.push(`<path d="${d}" ${paint}/>`); };
  const c = {
    globalAlpha: 1, out, setLineDash: (list) => { dash = list; }, beginPath: () => { d = ""; },
    moveTo: (x, y) => { d += `M${r(x)} ${r(y)}`; }, lineTo: (x, y) => { d += `L${r(x)} ${r(y)}`; },
    quadraticCurveTo: (a, b, x, y) => { d += `Q${r(a)} ${r(b)} ${r(x)} ${r(y)}`; }, closePath: () => { d += "Z"; },
    arc: (x, y, s) => { d += `M${r(x - s)} ${r(y)}a${r(s)} ${r(s)} 0 1 0 ${r(2 * s)} 0a${r(s)} ${r(s)} 0 1 0 ${r(-2 * s)} 0`; },
    roundRect: (x, y, w, t, s) => { d += `M${r(x + s)} ${r(y)}h${r(w - 2 * s)}q${r(s)} 0 ${r(s)} ${r(s)}v${r(t - 2 * s)}q0 ${r(s)} ${r(-s)} ${r(s)}h${r(2 * s - w)}q${r(-s)} 0 ${r(-s)} ${r(-s)}v${r(2 * s - t)}q0 ${r(-s)} ${r(s)} ${r(-s)}Z`; },
    stroke: () => put(`fill="none" stroke="${c.strokeStyle}" stroke-width="${r(c.lineWidth)}" opacity="${c.globalAlpha}"${dash.length ? ` stroke-dasharray="${dash}"` : ""}`),
    fill: () => put(`fill="${c.fillStyle}" opacity="${c.globalAlpha}"`),
    fillText: (s, x, y) => { const bold = c.font.startsWith("600"), size = /([\d.]+)px/.exec(c.font)[1]; out.push(`<text x="${r(x)}" y="${r(y)}" font-size="${size}"${bold ? ' font-weight="600"' : ""} text-anchor="middle" dominant-baseline="central" fill="${c.fillStyle}" opacity="${c.globalAlpha}">${esc(s)}</text>`); },
  };
  return c;
}
function save(blob, ending) {
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: `${D.file}.${ending}` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
  say(`Saved ${D.file}.${ending}`);
}
on("svg", "click", () => {
  const c = recorder();
  paint(c, W, H);
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${W}" height="${H}" viewBox="0 0 ${W} ${H}" font-family="sans-serif"><rect width="100%" height="100%" fill="${colours.page}"/>${c.out.join("")}</svg>`;
  save(new Blob([text], { type: "image/svg+xml" }), "svg");
});
on("png", "click", () => {
  const c = h("canvas", { width: W * 2, height: H * 2 }), p = c.getContext("2d");
  p.scale(2, 2);
  p.fillStyle = colours.page;
  p.fillRect(0, 0, W, H);
  paint(p, W, H);
  c.toBlob((blob) => save(blob, "png"));
});

// Begin.
function resize() {
  const r = canvas.parentElement.getBoundingClientRect();
  // What showed the whole graph still does.
  const first = W === 1 || (cam.x === home.x && cam.y === home.y && cam.k === home.k);
  [W, H, ratio] = [Math.max(50, Math.round(r.width)), Math.max(50, Math.round(r.height)), devicePixelRatio || 1];
  canvas.width = Math.round(W * ratio); canvas.height = Math.round(H * ratio);
  canvas.style.width = `${W}px`; canvas.style.height = `${H}px`;
  if (first) fit(true); else repaint();
}
place();
build();
select(null);
theme();
resize();
new ResizeObserver(resize).observe(canvas.parentElement);
frame();
root.dataset.ready = Math.round(performance.now());
})();
