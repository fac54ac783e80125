/** What documents and deploy/ say of metrics, held to the answer of a server that has served calls: every name and label is there. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningApp, startApp } from "../server/src/app.ts";
import { createLogger } from "../server/src/observe/logger.ts";
import { SERIES_LIMITS } from "../server/src/observe/metrics.ts";
import { type FakeUpstream, startFakeUpstream } from "./fake-upstream/fake-upstream.ts";
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
