/**
 * `node tools/run.mjs --development tools/dashboard-pictures.ts [seconds]`: deploy/grafana/turnpike.json as a picture of real metrics, without Grafana. A
 * real Prometheus (Debian's package) scrapes a seeded server under mixed calls and answers each panel's queries; exits 1 if one of them fails,
 * or has no data where its metric is counted here. Writes gallery/grafana.png.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { chromium } from "playwright-core";
import { findChromium } from "./setup/capabilities.ts";
import { startThrowAway } from "./throw-away.ts";

interface Target {
  expr: string;
  legendFormat?: string;
}

interface Panel {
  type: "row" | "stat" | "bargauge" | "timeseries";
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: Target[];
  fieldConfig?: { defaults?: { unit?: string } };
}

interface Series {
  name: string;
  points: [time: number, value: number][];
}

/** What a seeded site has none of after a minute: backups, audits, a vendor's balance. */
const WITHOUT_DATA = new Set(["Last backup", "Last audit", "Balances"]);
/** In place of Grafana's variables. */
const VARIABLES: Readonly<Record<string, string>> = { $job: ".*", $__rate_interval: "15s", $quota_per_unit: "500000" };
const MODELS = ["gpt-4o-mini", "gpt-4o", "gpt-4.1-mini", "claude-sonnet-4", "no-such-model"];
const COLOURS = [
  "#3b82f6",
  "#f59e0b",
  "#10b981",
  "#ef4444",
  "#8b5cf6",
  "#06b6d4",
  "#84cc16",
  "#ec4899",
  "#64748b",
  "#f97316",
];
const COLUMN_PIXELS = 58;
const ROW_PIXELS = 30;

const seconds = Number(process.argv[2] ?? "75");
const filledIn = (expr: string): string =>
  Object.entries(VARIABLES).reduce((text, [name, value]) => text.replaceAll(name, value), expr);

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** A Prometheus that scrapes every second; the folder holds its data. */
async function startPrometheus(folder: string, metricsPort: number): Promise<{ url: string; program: ChildProcess }> {
  const port = await freePort();
  const config = join(folder, "prometheus.yml");
  const scrape = `scrape_configs: [{ job_name: turnpike, static_configs: [{ targets: ["127.0.0.1:${metricsPort}"] }] }]`;
  writeFileSync(config, `global: { scrape_interval: 1s }\n${scrape}\n`);
  const words = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const program = spawn("prometheus", words, { stdio: "ignore" });
  return { url: `http://127.0.0.1:${port}`, program };
}

/** Whole answers, streams and refusals, a few at once, until the time is over. */
async function callFor(url: string, key: string, forSeconds: number): Promise<void> {
  const endMs = Date.now() + forSeconds * 1000;
  const lane = async (index: number): Promise<void> => {
    for (let call = index; Date.now() < endMs; call += 1) {
      const body = {
        model: MODELS[call % MODELS.length],
        stream: call % 2 === 0,
        messages: [{ role: "user", content: `Call ${call}` }],
      };
      const answer = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      await answer.text();
      await delay(80);
    }
  };
  await Promise.all(Array.from({ length: 6 }, (_, index) => lane(index)));
}

type Answered = { metric: Record<string, string>; values: [number, string][] }[];

async function ask(url: string, { expr, legendFormat = "" }: Target, from: number, to: number): Promise<Series[]> {
  const query = new URLSearchParams({ query: filledIn(expr), start: String(from), end: String(to), step: "1" });
  const answer = (await (await fetch(`${url}/api/v1/query_range?${query}`)).json()) as
    | { status: "success"; data: { result: Answered } }
    | { status: "error"; error: string };
  if (answer.status === "error") throw new Error(`${expr}: ${answer.error}`);
  return answer.data.result.map(({ metric, values }) => ({
    name: legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? ""),
    points: values
      .map(([time, value]): [number, number] => [time, Number(value)])
      .filter(([, value]) => Number.isFinite(value)),
  }));
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const SCALES: readonly [least: number, divisor: number, suffix: string][] = [
  [1e9, 1e9, "G"],
  [1e6, 1e6, "M"],
  [1e3, 1e3, "k"],
];

function shown(value: number, unit = "short"): string {
  if (unit === "percentunit") return `${(value * 100).toFixed(1)} %`;
  if (unit === "s") return value < 1 ? `${(value * 1000).toFixed(1)} ms` : `${value.toFixed(1)} s`;
  const [, divisor, suffix] = SCALES.find(([least]) => Math.abs(value) >= least) ?? [0, 1, ""];
  const number = (value / divisor).toLocaleString("en", { maximumFractionDigits: 2 });
  return `${unit === "currencyUSD" ? "$" : ""}${number}${suffix}${unit === "bytes" ? "B" : ""}`;
}

/** Lines from 0 up to the highest value, which is written above them. */
function chart(series: readonly Series[], [from, to]: [number, number], unit: string | undefined): string {
  const highest = Math.max(...series.flatMap(({ points }) => points.map(([, value]) => value)), 1e-9);
  const lines = series.map(({ points }, index) => {
    const path = points.map(
      ([time, value]) =>
        `${(((time - from) / (to - from)) * 400).toFixed(1)},${(100 - (value / highest) * 96).toFixed(1)}`,
    );
    return `<polyline fill="none" stroke="${COLOURS[index % COLOURS.length]}" vector-effect="non-scaling-stroke" points="${path.join(" ")}"/>`;
  });
  const names = series.map(
    ({ name }, index) => `<i style="color:${COLOURS[index % COLOURS.length]}">${escaped(name)}</i>`,
  );
  return `<small>${shown(highest, unit)}</small><svg viewBox="0 0 400 100" preserveAspectRatio="none">${lines.join("")}</svg><p>${names.join(" ")}</p>`;
}

const last = (series: readonly Series[], unit: string | undefined): string =>
  series
    .map(
      ({ name, points }) =>
        `<b>${points.length === 0 ? "" : shown(points.at(-1)?.[1] ?? 0, unit)} <i>${escaped(name)}</i></b>`,
    )
    .join("");

function drawn(
  { type, title, gridPos, fieldConfig }: Panel,
  series: readonly Series[],
  range: [number, number],
): string {
  const unit = fieldConfig?.defaults?.unit;
  const { x, y, w, h } = gridPos;
  const place = `left:${x * COLUMN_PIXELS}px;top:${y * ROW_PIXELS}px;width:${w * COLUMN_PIXELS - 8}px;height:${h * ROW_PIXELS - 8}px`;
  if (type === "row") return `<h2 style="${place}">${escaped(title)}</h2>`;
  const empty = series.every(({ points }) => points.length === 0) ? "<em>No data</em>" : undefined;
  return `<section style="${place}"><h3>${escaped(title)}</h3>${empty ?? (type === "timeseries" ? chart(series, range, unit) : last(series, unit))}</section>`;
}

const STYLE = `body{margin:12px;font:12px sans-serif;background:#111217;color:#ccd;position:relative}section,h2{position:absolute;box-sizing:border-box;overflow:hidden}
section{background:#181b1f;border:1px solid #2a2d33;padding:6px;display:flex;flex-direction:column}h2{font-size:14px;margin:0}h3{font-size:12px;margin:0}
svg{flex:1;min-height:0;width:100%}p{margin:2px 0 0}i{font-style:normal;margin-right:8px}b{font-size:20px}b i{font-size:12px;font-weight:400}em{color:#889}`;

const executablePath = findChromium();
if (executablePath === undefined) throw new Error("no Chromium on the path");
if (spawnSync("prometheus", ["--version"]).status !== 0) throw new Error("no prometheus on the path");
const folder = mkdtempSync(join(tmpdir(), "turnpike-dashboard-"));
const metricsPort = await freePort();
const site = await startThrowAway("broken-upstream", { METRICS_PORT: String(metricsPort) });
const { url, program } = await startPrometheus(folder, metricsPort);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  // Two of its three channels never answer.
  await site.filled.client.call("PUT", "/api/option", { key: "RetryTimes", value: "3" });
  const from = Math.floor(Date.now() / 1000);
  await callFor(site.app.url, site.filled.key ?? "", seconds);
  const to = Math.floor(Date.now() / 1000);
  const { panels } = JSON.parse(readFileSync("deploy/grafana/turnpike.json", "utf8")) as { panels: Panel[] };
  const parts: string[] = [];
  const empty: string[] = [];
  for (const panel of panels) {
    const series = (await Promise.all((panel.targets ?? []).map((target) => ask(url, target, from, to)))).flat();
    if (panel.type !== "row" && series.every(({ points }) => points.length === 0)) empty.push(panel.title);
    parts.push(drawn(panel, series, [from, to]));
  }
  mkdirSync("gallery", { recursive: true });
  const height = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h)) * ROW_PIXELS + 30;
  const page = await browser.newPage({ viewport: { width: 24 * COLUMN_PIXELS + 24, height } });
  await page.setContent(`<style>${STYLE}</style>${parts.join("")}`);
  await page.screenshot({ path: join("gallery", "grafana.png") });
  const missing = empty.filter((title) => !WITHOUT_DATA.has(title));
  console.log(`${panels.length} panels in gallery/grafana.png; without data: ${empty.join(", ") || "none"}`);
  process.exitCode = missing.length === 0 ? 0 : 1;
} finally {
  await browser.close();
  program.kill();
  await site.close();
  rmSync(folder, { recursive: true, force: true });
}
