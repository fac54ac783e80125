/** Tests the metrics in documents and deploy/ against the answer of a server that has served calls: every name and label is there. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningApp, startApp } from "../server/src/app.ts";
import { createLogger } from "../server/src/observe/logger.ts";
import { SERIES_LIMITS } from "../server/src/observe/metrics.ts";
import { type FakeUpstream, startFakeUpstream } from "./fake-upstream/fake-upstream.ts";
import { metricsIn } from "./support/checks/promql.ts";
import { until } from "./support/systems/processes.ts";
import { ROOT_PASSWORD } from "./support/systems/server.ts";
import { MODELS, type Site, dataOf, loggedIn, makeSite } from "./support/systems/site.ts";

const TOKEN = "metrics-of-the-documents";

interface Family {
  type: string;
  /** Without `le`. */
  labels: Set<string>;
}

let upstreams: FakeUpstream[] = [];
let site: Site;
let app: RunningApp;
let families: Map<string, Family>;

const LINE = /^(\w+)(?:\{(.*)\})? \S+$/;
const SUFFIX = /_(?:bucket|sum|count)$/;

/** The families of an answer of /metrics, by name. */
function parse(text: string): Map<string, Family> {
  const found = new Map<string, Family>();
  for (const line of text.split("\n")) {
    const [, declared = "", type = ""] = /^# TYPE (\w+) (\w+)$/.exec(line) ?? [];
    if (declared !== "") found.set(declared, { type, labels: new Set() });
    const [, name = "", labels = ""] = LINE.exec(line) ?? [];
    const family = found.get(name) ?? found.get(name.replace(SUFFIX, ""));
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) if (label !== "le") family?.labels.add(label);
  }
  return found;
}

/** A call that goes from a channel which wishes to be left alone to the next one, and its answer in pieces. */
async function serveCall(): Promise<void> {
  const root = await loggedIn(app.url, "root", ROOT_PASSWORD);
  await dataOf(root.put("/api/option", { key: "RetryTimes", value: "1" }));
  const second = {
    type: 1,
    name: "second",
    key: "sk-upstream-0123456789abcdef",
    base_url: upstreams[1]?.url,
    priority: -1,
    models: MODELS.counted,
    groups: ["default"],
  };
  await dataOf(root.post("/api/channel", second));
  const answer = await fetch(`${app.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${site.people[0]?.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: MODELS.counted, stream: true, messages: [{ role: "user", content: "hello" }] }),
  });
  expect([answer.status, (await answer.text()).includes("[DONE]")]).toEqual([200, true]);
  await until(() => app.metrics.openCalls === 0, "the end of the call");
}

beforeAll(async () => {
  upstreams = [await startFakeUpstream(), await startFakeUpstream()];
  upstreams[0]?.plan({ status: 429, error: { message: "slow down" }, headers: { "retry-after": "120" } });
  site = await makeSite("sqlite", { upstreamUrl: upstreams[0]?.url ?? "", quotas: [10_000_000] });
  const config = { ...site.place.config, allowPrivateUpstreams: true, metricsToken: TOKEN };
  const webDirectory = join(config.dataDir, "no-web");
  app = await startApp(config, { logger: createLogger({ level: "silent" }), webDirectory });
  await serveCall();
  // As a query of the channel's balance leaves it.
  const balance = { balance_micros: 5_000_000, balance_currency: "USD", balance_updated_time: 1_700_000_000 };
  await app.foundation.database.kysely.updateTable("channels").set(balance).execute();
  const scrape = await fetch(`${app.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
  families = parse(await scrape.text());
}, 60_000);

afterAll(async () => {
  await app.close();
  await site.remove();
  for (const upstream of upstreams) await upstream.close();
});

const page = readFileSync("docs/metrics.md", "utf8");

/** The rows of the page's tables. */
const documented = new Map(
  [...page.matchAll(/^\| `(\w+)` +\| (\w+) +\| (.*?) *\| /gm)].map(([, name = "", type = "", labels = ""]) => [
    name,
    { type, labels: new Set(labels.match(/\w+/g)) },
  ]),
);

test("docs/metrics.md lists every metric of this program with its type and labels, and of the runtime none that is not there", () => {
  const own = [...families].filter(([name]) => name.startsWith("turnpike_"));
  expect(own.length).toBeGreaterThan(20);
  expect(new Map([...documented].filter(([name]) => name.startsWith("turnpike_")))).toEqual(new Map(own));
  for (const [name, { type }] of documented) expect([name, families.get(name)?.type]).toEqual([name, type]);
});

test("docs/metrics.md names the limits of series", () => {
  const [of] = /Each process keeps at most[^.]+\./.exec(page) ?? [""];
  const numbers = (of.match(/[\d,]+\d/g) ?? []).map((text) => Number(text.replace(",", "")));
  expect(numbers).toEqual([SERIES_LIMITS.calls, SERIES_LIMITS.times, SERIES_LIMITS.channels]);
});

interface Panel {
  title: string;
  targets?: { expr: string; legendFormat: string }[];
}

/** What Grafana puts in the place of its variables. */
const VARIABLES: readonly (readonly [RegExp, string])[] = [
  [/\$__rate_interval/g, "1m"],
  [/\$quota_per_unit/g, "500000"],
];
const filled = (expression: string): string =>
  VARIABLES.reduce((text, [variable, value]) => text.replace(variable, value), expression);

const dashboardText = readFileSync("deploy/grafana/turnpike.json", "utf8");
const dashboard = JSON.parse(dashboardText) as { panels: Panel[] };
const panels = dashboard.panels.filter(({ targets }) => targets !== undefined);
const shown = panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })));

const RULES = "deploy/prometheus/alerts.yml";
/** Each rule in a text of its own. */
const alerts = readFileSync(RULES, "utf8")
  .split(/^ +- alert: /m)
  .slice(1)
  .map((text) => ({ name: text.split("\n")[0] ?? "", text, expr: /^ +expr: (.*)$/m.exec(text)?.[1] ?? "" }));

/** Labels that Prometheus itself puts on what it scrapes. */
const OF_PROMETHEUS = ["job", "instance"];
/** Its own metric of each target. */
const UP: Family = { type: "gauge", labels: new Set() };

function familyOf(name: string): Family | undefined {
  if (name === "up") return UP;
  const family = families.get(name);
  // A histogram has no value of its own name.
  if (family !== undefined) return family.type === "histogram" ? undefined : family;
  const of = families.get(name.replace(SUFFIX, ""));
  return of?.type === "histogram" ? of : undefined;
}

/** Parts of an expression that no scrape has. */
function missingIn(expression: string): string[] {
  return metricsIn(filled(expression)).flatMap(({ name, labels }) => {
    const family = familyOf(name);
    if (family === undefined) return [name];
    const known = new Set([...family.labels, ...OF_PROMETHEUS, ...(name.endsWith("_bucket") ? ["le"] : [])]);
    return [...labels].filter((label) => !known.has(label)).map((label) => `${name}{${label}}`);
  });
}

const labelsIn = (expression: string): Set<string> =>
  new Set(metricsIn(filled(expression)).flatMap(({ labels }) => [...labels]));

describe("the dashboard", () => {
  test("reads metrics and labels that a server has, in expressions that are PromQL", () => {
    expect(shown.length).toBeGreaterThan(30);
    for (const { title, expr } of shown) expect([title, missingIn(expr)]).toEqual([title, []]);
  });

  test("names series by labels that they have", () => {
    for (const { title, expr, legendFormat } of shown)
      for (const [, label = ""] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        expect([title, [...labelsIn(expr)]]).toEqual([title, expect.arrayContaining([label])]);
  });

  test("uses the variables that it declares, and no data source of somebody's own", () => {
    const declared = [...dashboardText.matchAll(/"name": "(\w+)",\s+"label"/g)].map(([, name = ""]) => name);
    const used = new Set([...dashboardText.matchAll(/\$\{?([a-z_]+)/g)].map(([, name = ""]) => name));
    used.delete("__rate_interval");
    used.delete("__all");
    expect(new Set(declared)).toEqual(used);
    for (const [, uid = ""] of dashboardText.matchAll(/"uid": "(.*?)"/g))
      expect(uid).toMatch(/^(?:turnpike|\$\{datasource\})$/);
  });
});

/** Beside the tests here, where Prometheus' own tool is there: the syntax of the whole file, and when the rules fire. */
const PROMTOOL_CHECKS: readonly [name: string, parts: string[]][] =
  spawnSync("promtool", ["--version"]).status === 0
    ? [
        ["their form", ["check", "rules", RULES]],
        ["their cases", ["test", "rules", "deploy/prometheus/alerts.test.yml"]],
      ]
    : [];

describe("the alert rules", () => {
  test("read metrics and labels that a server has, in expressions that are PromQL", () => {
    expect(alerts.length).toBeGreaterThan(15);
    for (const { name, expr } of alerts) expect([name, expr === "", missingIn(expr)]).toEqual([name, false, []]);
  });

  test("say how severe they are, and what is wrong by labels that they have", () => {
    for (const { name, text, expr } of alerts) {
      expect([name, text]).toEqual([name, expect.stringMatching(/severity: (?:critical|warning|info) \}/)]);
      const summary = /summary: "(.*)"/.exec(text)?.[1] ?? "";
      expect([name, summary]).toEqual([name, expect.stringMatching(/\.$/)]);
      const known = expr.startsWith("up{") ? new Set(OF_PROMETHEUS) : labelsIn(expr);
      for (const [, label = ""] of summary.matchAll(/\$labels\.(\w+)/g))
        expect([name, known.has(label)]).toEqual([name, true]);
    }
  });

  test.each(PROMTOOL_CHECKS)("are taken by promtool: %s", (_name, parts) => {
    const { status, stdout, stderr } = spawnSync("promtool", parts, { encoding: "utf8" });
    expect([status, status === 0 ? "" : `${stdout}${stderr}`]).toEqual([0, ""]);
  });
});

test("every metric of this program is in the dashboard or in an alert", () => {
  const read = new Set(
    [...shown, ...alerts].flatMap(({ expr }) => metricsIn(filled(expr)).map(({ name }) => name.replace(SUFFIX, ""))),
  );
  expect([...families.keys()].filter((name) => name.startsWith("turnpike_") && !read.has(name))).toEqual([]);
});

test("an expression that is none, or reads what is not there, is found", () => {
  expect(() => missingIn("sum by (channel) (rate(turnpike_calls_total[1m])")).toThrow("not PromQL");
  expect(missingIn('rate(turnpike_calls_totals{status="200"}[1m])')).toEqual(["turnpike_calls_totals"]);
  expect(missingIn('sum by (user) (turnpike_open_calls{job="a"})')).toEqual(["turnpike_open_calls{user}"]);
  expect(missingIn("turnpike_overhead_seconds > 1")).toEqual(["turnpike_overhead_seconds"]);
});
