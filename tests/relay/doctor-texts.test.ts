/**
 * What the doctor prints for each program, right and with each planted fault, is what tests/fixtures/doctor has for people to review. After a change:
 * `UPDATE_DOCTOR=1` and this test.
 */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PROGRAMS } from "../../contract/src/connect/programs.ts";
import type { Program } from "../../contract/src/connect/program.ts";
import { baseOf } from "../../contract/src/doctor/steps.ts";
import { report } from "../../tools/doctor/report.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { newChannel, newToken, startTestRelay, TEST_KEY, type TestRelay } from "../support/relay/harness.ts";
import { type ProxyFault, startFaultyProxy } from "../support/systems/faulty-proxy.ts";

interface Case {
  title: string;
  key?: string;
  /** Chosen by the doctor where absent. */
  model?: string;
  proxy?: ProxyFault;
  /** Changes the relay before the calls. */
  plant?(relay: TestRelay): void;
}

const STREAM_MS = 600;
const WORDS = 12;
const AT_ONCE = 6;
/** Nothing listens there. */
const NOWHERE = "http://127.0.0.1:9";

const CASES: readonly Case[] = [
  { title: "Nothing is wrong" },
  { title: "A wrong key", key: "sk-unknown" },
  { title: "A proxy that gathers streams", proxy: "buffers" },
  { title: "A proxy that takes small bodies only", proxy: "small_bodies" },
  {
    title: "A model that the token may not call",
    model: "gpt-4o",
    plant: ({ world }) => void world.tokens.set(TEST_KEY, newToken({ modelLimits: new Set(["gpt-4o-mini"]) })),
  },
  {
    title: "An upstream that is down",
    plant: ({ world }) => void (world.channels = [newChannel({ id: 2, baseUrl: NOWHERE })]),
  },
  {
    title: "A model without a channel",
    model: "gpt-4o",
    plant: ({ world }) => void (world.channels = [newChannel({ id: 3, models: new Set(["gpt-4o-mini"]) })]),
  },
];

const folder = fileURLToPath(new URL("../fixtures/doctor/", import.meta.url));
const writes = process.env["UPDATE_DOCTOR"] === "1";
let upstream: FakeUpstream;
const texts = new Map<string, string>(PROGRAMS.map(({ id }) => [id, ""]));

/** Without what differs from run to run. */
const normalised = (line: string): string =>
  line
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "https://gateway.example")
    .replace(/, \d+ ms$/, ", … ms")
    .replaceAll(/req-test-\d+/g, "req-…");

async function printed(program: Program, url: string, { key = `sk-${TEST_KEY}`, model }: Case): Promise<string> {
  const lines: string[] = [];
  const asked = { program, base: baseOf(program.family, url), key, model, language: "en" } as const;
  await report(asked, (line) => void lines.push(normalised(line)));
  return [...lines, ""].join("\n");
}

/** What a program reads before a relay of its own with the fault. */
async function readBy(program: Program, each: Case): Promise<string> {
  const relay = await startTestRelay({ isQuiet: true });
  relay.world.channels = [newChannel({ baseUrl: upstream.url })];
  each.plant?.(relay);
  const proxy = each.proxy === undefined ? undefined : await startFaultyProxy(relay.url, each.proxy);
  try {
    return await printed(program, proxy?.url ?? relay.url, each);
  } finally {
    await proxy?.close();
    await relay.close();
  }
}

/** Adds the case to each text. Programs at once are few, for the doctor judges streams by their times. */
async function add(each: Case): Promise<void> {
  for (let index = 0; index < PROGRAMS.length; index += AT_ONCE)
    await Promise.all(
      PROGRAMS.slice(index, index + AT_ONCE).map(async (program) => {
        const text = await readBy(program, each);
        texts.set(program.id, `${texts.get(program.id)}# ${each.title}\n\n${text}\n`);
      }),
    );
}

beforeAll(async () => {
  upstream = await startFakeUpstream({
    validates: false,
    plan: ({ body }) => {
      const asked = body.toString();
      if (asked.includes("weather_of")) return { toolCalls: [{ name: "weather_of", arguments: '{"city":"Lisbon"}' }] };
      const chunkDelayMs = asked.includes("Count from") ? STREAM_MS / WORDS : 0;
      return { text: "seventeen, ".repeat(WORDS), chunks: WORDS, chunkDelayMs };
    },
  });
  for (const each of CASES) await add(each);
  if (!writes) return;
  mkdirSync(folder, { recursive: true });
  for (const [id, text] of texts) writeFileSync(`${folder}${id}.txt`, text.trimEnd().concat("\n"));
}, 240_000);
afterAll(() => upstream.close());

describe("the text of the doctor", () => {
  test.each(PROGRAMS)("for $title", ({ id }) => {
    expect(texts.get(id)?.trimEnd()).toBe(readFileSync(`${folder}${id}.txt`, "utf8").trimEnd());
  });

  test("has a file for each program, and for no other", () => {
    expect(readdirSync(folder).toSorted()).toEqual(PROGRAMS.map(({ id }) => `${id}.txt`).toSorted());
  });

  test("says in each case with a fault what failed, and nothing where nothing does", () => {
    for (const text of texts.values())
      for (const part of text.split(/^# /m).slice(1))
        expect([part.split("\n")[0], /FAILED|WARNING/.test(part)]).toEqual([
          part.split("\n")[0],
          !part.startsWith("Nothing is wrong"),
        ]);
  });
});
