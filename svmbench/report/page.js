// Glue between the controls of the page and Vega-Lite: choices make a specification, Vega-Lite draws it.
"use strict";
async function unpack(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (sign) => sign.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
// A pack is unpacked once, when the first of its parts is shown.
const packs = new Map();
function pack(id) {
  if (!packs.has(id)) packs.set(id, unpack(id).then(JSON.parse));
  return packs.get(id);
}
const dark = matchMedia("(prefers-color-scheme: dark)");
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Powers of ten are counted more easily than their zeros.
const label = "datum.value == 0 ? '0' : format(datum.value, abs(datum.value) >= 1e5 || abs(datum.value) < 1e-3 ? '.3~e' : '~g')";

// A line of points for each run.
function rows(figure, x, y, shown, positive) {
  const found = [];
  for (const run of figure.runs) {
    const xs = run.values[x], ys = run.values[y];
    if (!xs || !ys || !shown.has(run.method)) continue;
    const factor = figure.columns[y][1], line = [];
    for (let i = 0; i < xs.length; i++) {
      const [a, b] = [xs[i], ys[i]];
      if (a === null || b === null || (positive.x && a <= 0) || (positive.y && b <= 0)) continue;
      line.push({ x: a, y: b * factor, method: figure.methods[run.method].name, seed: run.seed, run: run.name, jumps: i < run.calm[y] });
    }
    found.push(line);
  }
  return found;
}

// The parts of a line before and after it no longer jumps, of which the first is pale, as in a plot. Where that is was found
// in all checkpoints (svmbench/figures/series.py), of which a page may have few.
function calmed(line) {
  const calm = line.findIndex((point) => !point.jumps);
  if (calm === 0) return line;
  const pale = (calm < 0 ? line : line.slice(0, calm + 1)).map((point) => ({ ...point, pale: true }));
  return calm < 0 ? pale : [...pale, ...line.slice(calm)];
}

// What a plot of the same runs shows (svmbench/figures/series.py): the value of a run at a cost is that of its last checkpoint
// up to it, and the median over seeds is taken where every seed is known.
const SAME_COST = 1.03, OVERSHOOT = 1.001;

// Checkpoints in increasing order of cost, without those that cost more than a later one.
function steps(run, x, y, factor) {
  const xs = run.values[x] ?? [], ys = run.values[y] ?? [], found = [];
  let least = Infinity;
  for (let i = Math.min(xs.length, ys.length) - 1; i >= 0; i--) {
    if (xs[i] === null || ys[i] === null || xs[i] <= 0 || xs[i] >= least) continue;
    least = xs[i];
    found.push([xs[i], factor * ys[i]]);
  }
  return found.reverse();
}

function quantile(sorted, part) {
  const place = part * (sorted.length - 1), low = Math.floor(place), high = Math.ceil(place);
  return sorted[low] + (place - low) * (sorted[high] - sorted[low]);
}

// The median and the quartiles of a method's seeds at the costs of their checkpoints, merged.
function curve(seeds) {
  const lasts = seeds.map(({ at }) => at[at.length - 1][0]);
  const known = Math.min(...seeds.map(({ settled }, i) => (settled ? Infinity : lasts[i])));
  const first = Math.max(...seeds.map(({ at }) => at[0][0])), last = known < Infinity ? known : Math.max(...lasts);
  const every = [...new Set(seeds.flatMap(({ at }) => at.map(([cost]) => cost)))].sort((a, b) => a - b);
  const inside = every.filter((cost) => cost >= first && cost <= last);
  return inside.filter((cost, i) => i + 1 === inside.length || inside[i + 1] > SAME_COST * cost).map((cost) => {
    const values = seeds.map(({ at }) => at.findLast(([before]) => before <= cost * OVERSHOOT)[1]).sort((a, b) => a - b);
    return { x: cost, y: quantile(values, 0.5), low: quantile(values, 0.25), high: quantile(values, 0.75), count: seeds.length,
      jumps: seeds.length === 1 && cost < seeds[0].calm };
  });
}

function medians(figure, x, y, shown, positive) {
  const found = [];
  for (const [place, method] of figure.methods.entries()) {
    if (!shown.has(place)) continue;
    const seeds = figure.runs.filter((run) => run.method === place)
      .map((run) => ({ settled: run.settled, at: steps(run, x, y, figure.columns[y][1]), calm: run.values[x]?.[run.calm[y]] }))
      .filter(({ at }) => at.length);
    if (!seeds.length) continue;
    found.push(curve(seeds).filter((point) => !positive.y || point.y > 0).map((point) => ({ ...point, method: method.name })));
  }
  return found;
}

// Where a logarithmic axis has its numbers: at powers of ten, or at 1, 2 and 5 where these are few.
function ticks(values) {
  const low = values.reduce((a, b) => Math.min(a, b), Infinity), high = values.reduce((a, b) => Math.max(a, b), 0);
  const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high)), found = [];
  for (let power = first; power <= last; power++) {
    for (const step of last - first > 2 ? [1] : [1, 2, 5]) found.push(Number(`${step}e${power}`));
  }
  const inside = found.filter((value) => value >= low && value <= high);
  return inside.length > 1 ? inside : null;
}

// The quartiles over seeds, as a band in the colour of the method.
function band(choice, axis) {
  if (!choice.medians) return [];
  const { field, ...y } = axis("y", choice.yscale);
  return [{
    mark: { type: "area", interpolate: "step-after", opacity: 0.18 },
    transform: [{ filter: choice.yscale === "log" ? "!datum.pale && datum.low > 0" : "!datum.pale" }],
    encoding: { x: axis("x", choice.xscale), y: { field: "low", ...y }, y2: { field: "high" },
      color: { field: "method", type: "nominal", legend: null }, detail: { field: "method" } },
  }];
}

// What is certified of the optimum: broad pale dashes below the curves, none of which they hide, and its name below them, where
// curves seldom are.
function optimum(figure, choice) {
  const known = figure.optimum[choice.y];
  if (known === undefined || (choice.yscale === "log" && known <= 0)) return [];
  const data = { values: [{ y: known * figure.columns[choice.y][1] }] }, encoding = { y: { field: "y", type: "quantitative" } };
  // Only objectives are never below it.
  const text = choice.y === "primal_objective" ? "certified optimum" : `${figure.columns[choice.y][0].replace(" (%)", "")} of the optimum`;
  const name = { type: "text", align: "left", baseline: "top", dx: 4, dy: 3, text };
  const named = (look) => ({ data, mark: { ...name, ...look }, encoding: { ...encoding, x: { value: 0 } } });
  return [
    { data, mark: { type: "rule", color: css("--ink"), opacity: 0.3, strokeWidth: 5, strokeDash: [12, 5] }, encoding },
    named({ color: css("--paper"), stroke: css("--paper"), strokeWidth: 4 }), named({ color: css("--ink") }),
  ];
}

function spec(figure, choice) {
  const lines = (choice.medians ? medians : rows)(figure, choice.x, choice.y, choice.shown,
    { x: choice.xscale === "log", y: choice.yscale === "log" });
  const points = lines.length > 1 ? lines.flatMap(calmed) : lines.flat();
  const names = figure.methods.map((method) => method.name);
  const colours = figure.methods.map((method) => css(`--line-${method.colour}`));
  const dashes = figure.methods.map((method) => (method.dash.length ? method.dash : [1, 0]));
  const axis = (key, scale) => ({
    field: key === "x" ? "x" : "y", type: "quantitative",
    title: figure.columns[choice[key]][0],
    scale: { type: scale, nice: false, padding: key === "x" ? 6 : 18, ...(scale === "linear" && { zero: false }) },
    axis: { labelOverlap: true, tickCount: 6, labelExpr: label, values: scale === "log" && points.length ? ticks(points.map((p) => p[key])) : null },
  });
  const tip = (field, title, format) => ({ field, title, type: format ? "quantitative" : "nominal", ...(format && { format }) });
  const [x, y, detail] = [axis("x", choice.xscale), axis("y", choice.yscale), { field: choice.medians ? "method" : "run" }];
  const color = { field: "method", type: "nominal", scale: { domain: names, range: colours }, legend: null };
  const pale = points.some((point) => point.pale) ? [{
    mark: { type: "line", interpolate: "step-after", strokeWidth: 0.7, opacity: 0.35 },
    transform: [{ filter: "datum.pale" }], encoding: { x, y, detail, color },
  }] : [];
  const [rule, ...name] = optimum(figure, choice);
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    description: `${figure.columns[choice.y][0]} against ${figure.columns[choice.x][0]}: ${figure.title}`,
    width: "container", height: 360, background: null,
    data: { values: points },
    layer: [...band(choice, axis), ...(rule ? [rule] : []), ...pale, {
      mark: { type: "line", interpolate: "step-after", strokeWidth: 1.6, point: { size: names.length > 12 ? 10 : 22, filled: true } },
      transform: [{ filter: "!datum.pale" }],
      encoding: { x, y, detail, color,
        strokeDash: { field: "method", type: "nominal", scale: { domain: names, range: dashes }, legend: null },
        tooltip: [tip("method", "method"), ...(choice.medians ? [tip("count", "seeds", "d")] : [tip("seed", "seed")]),
          tip("x", figure.columns[choice.x][0], ",.5~g"), tip("y", figure.columns[choice.y][0], ".5~g"),
          ...(choice.medians ? [tip("low", "lower quartile", ".5~g"), tip("high", "upper quartile", ".5~g")] : [tip("run", "run")])],
      } }, ...name],
    config: {
      view: { stroke: css("--line") }, font: "system-ui, sans-serif",
      axis: { labelColor: css("--ink"), titleColor: css("--ink"), gridColor: css("--line"), gridOpacity: 0.5,
        domainColor: css("--line"), tickColor: css("--line"), labelFontSize: 12, titleFontSize: 12, titleLimit: 340 },
    },
  };
}

let library;
async function draw(section) {
  library ??= unpack("library").then((text) => {
    const script = document.createElement("script");
    script.textContent = text;
    document.head.append(script);
  });
  await library;
  const value = (name) => section.querySelector(`[name=${name}]`).value;
  const boxes = [...section.querySelectorAll("fieldset input[type=checkbox]")];
  const shown = new Set(boxes.filter((box) => box.checked).map((box) => Number(box.value)));
  const choice = { x: value("x"), y: value("y"), xscale: value("xscale"), yscale: value("yscale"), shown,
    medians: section.querySelector("[name=medians]")?.checked ?? false };
  const chart = section.querySelector(".chart");
  const turn = (chart.turn = (chart.turn || 0) + 1);
  const made = await vegaEmbed(chart, spec(section.figure, choice), { renderer: "svg", actions: false });
  if (turn === chart.turn) chart.dataset.points = made.view.data("source_0")?.length ?? 0;
}

function csv(figure) {
  const columns = Object.keys(figure.columns);
  // An apostrophe in front keeps a spreadsheet from taking a text for a formula, as in the CSV of the commands.
  const quote = (text) => `"${/^[=+@\t\r-]/.test(text) ? "'" : ""}${String(text).replaceAll('"', '""')}"`;
  const lines = [["run", "method", "seed", ...columns].join(",")];
  for (const run of figure.runs) {
    const length = Math.max(...Object.values(run.values).map((values) => values.length));
    for (let i = 0; i < length; i++) {
      const cells = columns.map((name) => run.values[name]?.[i] ?? "");
      lines.push([quote(run.name), quote(figure.methods[run.method].name), run.seed, ...cells].join(","));
    }
  }
  return lines.join("\n") + "\n";
}

function sort(button) {
  const head = button.closest("th"), body = button.closest("table").tBodies[0];
  const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1, place = head.cellIndex;
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
  const key = (row) => row.cells[place].dataset.value ?? row.cells[place].textContent;
  const order = (a, b) => {
    if (a === "" || b === "") return (a === "") - (b === ""); // unknown last, either way
    const [p, q] = [Number(a), Number(b)];
    return sign * (Number.isNaN(p) || Number.isNaN(q) ? a.localeCompare(b) : p - q);
  };
  body.append(...[...body.rows].sort((a, b) => order(key(a), key(b))));
}

// Fill an element with what its pack has for it; a figure is drawn.
async function show(part) {
  near.unobserve(part);
  const place = Number(part.dataset.place), { html, data } = await pack(part.dataset.pack);
  if (!part.classList.replace("later", "shown")) return;
  part.insertAdjacentHTML("beforeend", html[place]); // every name in it was escaped when the page was made
  if (!data[place]) return;
  part.figure = data[place];
  await draw(part);
}
const near = new IntersectionObserver((seen) => {
  const come = seen.filter((entry) => entry.isIntersecting).map((entry) => show(entry.target));
  Promise.all(come).then(() => { document.documentElement.dataset.ready = "true"; });
}, { rootMargin: "500px" });

// Most of a long table of contents is out of sight, and laying it out takes longer than all else at the start.
function unfold() {
  document.querySelectorAll("nav template").forEach((rest) => rest.replaceWith(rest.content));
}

// Show what has all words of the filter: figures, their links, and rows of the runs.
async function filter(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean), table = document.getElementById("runs").nextElementSibling;
  const fits = (found) => words.every((word) => found.includes(word));
  const [search] = await Promise.all([pack("search"), show(table)]);
  unfold();
  const links = document.querySelectorAll("nav ol li"), figures = document.querySelectorAll(".figure");
  search.forEach((found, i) => { links[i].hidden = figures[i].hidden = !fits(found); });
  for (const group of document.querySelectorAll(".far")) {
    const left = group.querySelectorAll(":scope > :not([hidden])").length;
    group.hidden = left === 0;
    group.style.setProperty("--parts", left);
  }
  const rows = [...table.querySelectorAll("tbody tr")];
  for (const row of rows) row.hidden = !fits(row.textContent.toLowerCase());
  const count = (all) => [...all].filter((one) => !one.hidden).length;
  document.getElementById("shown").textContent = words.length ? `${count(figures)} figures, ${count(rows)} runs` : "";
}

function save(section) {
  const link = document.createElement("a"), number = section.querySelector("h3").id;
  link.href = URL.createObjectURL(new Blob([csv(section.figure)], { type: "text/csv" }));
  link.download = `${number}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

addEventListener("load", () => setTimeout(unfold));
document.querySelectorAll(".later").forEach((part) => near.observe(part));
document.querySelector("[name=filter]").addEventListener("input", (event) => filter(event.target.value));
document.addEventListener("change", (event) => {
  const section = event.target.closest(".figure");
  if (section) draw(section);
});
document.addEventListener("click", (event) => {
  if (event.target.matches(".download")) save(event.target.closest(".figure"));
  if (event.target.matches("th button")) sort(event.target);
});
// The colours of a chart are set when it is drawn.
dark.addEventListener("change", () => document.querySelectorAll(".figure.shown").forEach((section) => draw(section)));
