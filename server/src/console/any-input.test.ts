/** Fuzz test of the console API: numbers beyond exact range, texts no database accepts and wrong types, in every field of every endpoint on every engine, cause no server error. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { API, FEATURE_NAMES } from "../../../contract/src/api.ts";
import type { Endpoint } from "../../../contract/src/endpoint.ts";
import type { RelayTools } from "./relay-tools.ts";
import { type Caller, type TestConsole, openTestConsole } from "../../../tests/support/systems/console.ts";
import { IS_LONG } from "../../../tests/support/soak/short-or-long.ts";
import type { Engine } from "../db/database.ts";
import { engines } from "../../../tests/support/databases/databases.ts";

const VALUES: readonly unknown[] = [
  -1,
  1.5,
  1e300,
  Number.MAX_SAFE_INTEGER,
  "9007199254740993",
  "\0",
  "\uD800",
  "💥".repeat(300),
  [],
  [1e300],
];

/** How many values apart those of a field are, its neighbour gets the next ones: all in the long form; what a schema refuses, it refuses before any engine is asked. */
const stepOn = (engine: Engine): number => (IS_LONG ? 1 : engine === "sqlite" ? 3 : 5);
const valuesFor = (place: number, step: number): readonly unknown[] =>
  VALUES.filter((_, index) => index % step === place % step);

/** Sessions and set-up would end the caller's own session; streams and callbacks have no envelope. */
const ENDPOINTS: readonly Endpoint[] = FEATURE_NAMES.filter((feature) => feature !== "sessions" && feature !== "setup")
  .flatMap((feature) => Object.values(API[feature]))
  .filter(({ answerKind }) => answerKind !== "stream" && answerKind !== "callback");

/** What a body is sent beside the field in question, so that it gets past the schema. */
const BODY = { id: 1, ids: [1], name: "any", type: 1, key: "k", models: "m", group: "default", tag: "t", status: 1 };

const fieldsOf = (schema: z.ZodType | undefined): string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];

const textOf = (value: unknown): string => (typeof value === "string" ? value.toWellFormed() : JSON.stringify(value));

/** A call goes nowhere: no relay is behind this console. */
const nowhere: RelayTools["explainRoute"] = ({ model, groupName, inputTokens }) => ({
  model,
  group: groupName,
  groups: [groupName],
  input_tokens: inputTokens,
  user: null,
  token: null,
  refusal: null,
  choice: "weight",
  explored_share: 0,
  has_affinity: false,
  max_tries: 1,
  steps: [],
  out: [],
  out_total: 0,
});

describe.each(await engines())("every endpoint on %s", { timeout: 120_000 }, (engine) => {
  const step = stepOn(engine);
  let site: TestConsole;
  let root: Caller;

  beforeAll(async () => {
    const upstream = { fetchUpstreamModels: () => Promise.resolve(["m"]), explainRoute: nowhere };
    site = await openTestConsole(engine, upstream);
    root = await site.person(100, { quota: 1_000_000 });
    await root.data("POST", "/api/channel", { ...BODY, id: undefined });
    await root.data("POST", "/api/token", { name: "t", remain_quota: 1000, expired_time: -1 });
  });
  afterAll(() => site.close());

  const faults: string[] = [];
  const ask = async (method: string, path: string, body?: unknown): Promise<void> => {
    const { status } = await root.call(method, path, body);
    if (status >= 500) faults.push(`${status} ${method} ${path.slice(0, 100)} ${JSON.stringify(body)?.slice(0, 200)}`);
  };

  it("answers whatever is sent", async () => {
    for (const [place, { method, path, query, body }] of ENDPOINTS.entries()) {
      const plain = path.replaceAll(/\{\w+\}/g, "1");
      const sent = body === undefined ? undefined : BODY;
      const inPath = (value: unknown) => path.replaceAll(/\{\w+\}/g, encodeURIComponent(textOf(value)));
      if (plain !== path) for (const value of valuesFor(place, step)) await ask(method, inPath(value), sent);
      for (const [index, field] of fieldsOf(query).entries())
        for (const value of valuesFor(place + index, step))
          await ask(method, `${plain}?${field}=${encodeURIComponent(textOf(value))}`, sent);
      for (const [index, field] of fieldsOf(body).entries())
        for (const value of valuesFor(place + index, step)) await ask(method, plain, { ...BODY, [field]: value });
    }
    expect(faults).toEqual([]);
  });

  it("still lists what is there after that", async () => {
    await site.context.snapshot.refresh();
    for (const path of [
      "/api/token?p=1",
      "/api/channel?p=1",
      "/api/user",
      "/api/log",
      "/api/data/overview",
      "/api/option",
    ])
      expect([path, (await root.call("GET", path)).body.success]).toEqual([path, true]);
  });
});
