// Glue between the controls of the page and Vega-Lite: choices make a specification, Vega-Lite draws it.
"use strict";
let figures = [];
async function unpack(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (sign) => sign.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
const dark = matchMedia("(prefers-color-scheme: dark)");
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Powers of ten are counted more easily than their zeros.
const label = "datum.value == 0 ? '0' : format(datum.value, abs(datum.value) >= 1e5 || abs(datum.value) < 1e-3 ? '.3~e' : '~g')";

function rows(figure, x, y, shown, positive) {
  const found = [];
  for (const run of figure.runs) {
    const xs = run.values[x], ys = run.values[y];
    if (!xs || !ys || !shown.has(run.method)) continue;
    const factor = figure.columns[y][1];
    for (let i = 0; i < xs.length; i++) {
      const [a, b] = [xs[i], ys[i]];
      if (a === null || b === null || (positive.x && a <= 0) || (positive.y && b <= 0)) continue;
      found.push({ x: a, y: b * factor, method: figure.methods[run.method].name, seed: run.seed, run: run.name });
    }
  }
  return found;
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
    return { x: cost, y: quantile(values, 0.5), low: quantile(values, 0.25), high: quantile(values, 0.75), count: seeds.length };
  });
}

function medians(figure, x, y, shown, positive) {
  const found = [];
  for (const [place, method] of figure.methods.entries()) {
    if (!shown.has(place)) continue;
    const seeds = figure.runs.filter((run) => run.method === place)
      .map((run) => ({ settled: run.settled, at: steps(run, x, y, figure.columns[y][1]) })).filter(({ at }) => at.length);
    if (!seeds.length) continue;
    found.push(...curve(seeds).filter((point) => !positive.y || point.y > 0).map((point) => ({ ...point, method: method.name })));
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
    transform: choice.yscale === "log" ? [{ filter: "datum.low > 0" }] : [],
    encoding: { x: axis("x", choice.xscale), y: { field: "low", ...y }, y2: { field: "high" },
      color: { field: "method", type: "nominal", legend: null }, detail: { field: "method" } },
  }];
}

// What is certified of the optimum, as a line across.
function optimum(figure, choice) {
  const known = figure.optimum[choice.y];
  if (known === undefined || (choice.yscale === "log" && known <= 0)) return [];
  const value = known * figure.columns[choice.y][1], data = { values: [{ y: value }] }, y = { field: "y", type: "quantitative" };
  return [
    { data, mark: { type: "rule", color: css("--faint"), strokeDash: [6, 3] }, encoding: { y } },
    { data, mark: { type: "text", align: "left", baseline: "bottom", dx: 4, dy: -2, color: css("--faint"), text: "certified optimum" },
      encoding: { y, x: { value: 0 } } },
  ];
}

function spec(figure, choice) {
  const points = (choice.medians ? medians : rows)(figure, choice.x, choice.y, choice.shown,
    { x: choice.xscale === "log", y: choice.yscale === "log" });
  const names = figure.methods.map((method) => method.name);
  const colours = figure.methods.map((m) => (dark.matches && m.colour === "#000000" ? "#ffffff" : m.colour));
  const dashes = figure.methods.map((method) => (method.dash.length ? method.dash : [1, 0]));
  const axis = (key, scale) => ({
    field: key === "x" ? "x" : "y", type: "quantitative",
    title: figure.columns[choice[key]][0],
    scale: { type: scale, nice: false, ...(scale === "linear" && { zero: false }) },
    axis: { labelOverlap: true, tickCount: 6, labelExpr: label, values: scale === "log" && points.length ? ticks(points.map((p) => p[key])) : null },
  });
  const tip = (field, title, format) => ({ field, title, type: format ? "quantitative" : "nominal", ...(format && { format }) });
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    description: `${figure.columns[choice.y][0]} against ${figure.columns[choice.x][0]}: ${figure.title}`,
    width: "container", height: 360, background: null,
    data: { values: points },
    layer: [...band(choice, axis), {
    mark: { type: "line", interpolate: "step-after", strokeWidth: 1.6, point: { size: 22, filled: true } },
    encoding: {
      x: axis("x", choice.xscale), y: axis("y", choice.yscale), detail: { field: choice.medians ? "method" : "run" },
      color: { field: "method", type: "nominal", scale: { domain: names, range: colours }, legend: null },
      strokeDash: { field: "method", type: "nominal", scale: { domain: names, range: dashes }, legend: null },
      tooltip: [tip("method", "method"), ...(choice.medians ? [tip("count", "seeds", "d")] : [tip("seed", "seed")]),
        tip("x", figure.columns[choice.x][0], ",.5~g"), tip("y", figure.columns[choice.y][0], ".5~g"),
        ...(choice.medians ? [tip("low", "lower quartile", ".5~g"), tip("high", "upper quartile", ".5~g")] : [tip("run", "run")])],
    } }, ...optimum(figure, choice)],
    config: {
      view: { stroke: css("--line") }, font: "system-ui, sans-serif",
      axis: { labelColor: css("--ink"), titleColor: css("--ink"), gridColor: css("--line"), gridOpacity: 0.5,
        domainColor: css("--line"), tickColor: css("--line"), labelFontSize: 12, titleFontSize: 12, titleLimit: 340 },
    },
  };
}

async function draw(section, figure) {
  const value = (name) => section.querySelector(`[name=${name}]`).value;
  const boxes = [...section.querySelectorAll("fieldset input[type=checkbox]")];
  const shown = new Set(boxes.filter((box) => box.checked).map((box) => Number(box.value)));
  const choice = { x: value("x"), y: value("y"), xscale: value("xscale"), yscale: value("yscale"), shown,
    medians: section.querySelector("[name=medians]")?.checked ?? false };
  const chart = section.querySelector(".chart");
  const turn = (chart.turn = (chart.turn || 0) + 1);
  const made = await vegaEmbed(chart, spec(figure, choice), { renderer: "svg", actions: false });
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

const sections = () => [...document.querySelectorAll(".figure")];
// One after the other, so that the page answers while many are drawn.
async function all() {
  const turn = (all.turn = (all.turn || 0) + 1);
  for (const [number, section] of sections().entries()) {
    await draw(section, figures[number]);
    document.documentElement.dataset.ready = "true";
    await new Promise((next) => setTimeout(next));
    if (turn !== all.turn) return;
  }
  document.documentElement.dataset.ready = document.documentElement.dataset.drawn = "true";
}

// Show what has all words of the filter: figures, their links, and rows of the runs.
function filter(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (found) => words.every((word) => found.includes(word));
  for (const part of document.querySelectorAll("[data-search]")) part.hidden = !fits(part.dataset.search);
  const rows = [...document.getElementById("runs").nextElementSibling.querySelectorAll("tbody tr")];
  for (const row of rows) row.hidden = !fits(row.textContent.toLowerCase());
  const [figures, left] = [document.querySelectorAll("section.figure:not([hidden])").length, rows.filter((row) => !row.hidden).length];
  document.getElementById("shown").textContent = words.length ? `${figures} figures, ${left} runs` : "";
}

function listen() {
  const box = document.querySelector("[name=filter]");
  box.addEventListener("input", () => filter(box.value));
  sections().forEach((section, number) => {
    section.addEventListener("change", () => draw(section, figures[number]));
    section.querySelector(".download").addEventListener("click", () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([csv(figures[number])], { type: "text/csv" }));
      link.download = `figure-${number + 1}.csv`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  });
  document.querySelectorAll("th button").forEach((button) => button.addEventListener("click", () => sort(button)));
  dark.addEventListener("change", all); // the colours of a chart are set when it is drawn
}

Promise.all(["content", "figures", "library"].map(unpack)).then(([content, data, library]) => {
  document.getElementById("main").innerHTML = content; // every name in it was escaped when the page was made
  figures = JSON.parse(data);
  listen();
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  const script = document.createElement("script");
  script.textContent = library;
  document.head.append(script);
  return all();
});
