/** Every upstream fault: the client's status or event, the charge, and that nothing hangs for twice the timer. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import type { Plan, SeenRequest } from "../fake-upstream/plan.ts";
import { vendorOf } from "../fake-upstream/vendors.ts";
import { type ClientFormat, CLIENT_FORMATS, fieldsOf } from "../support/clients/client-formats.ts";
import { Pace } from "../support/clients/pace.ts";
import { endOf, grammarFaults } from "../support/clients/stream-grammar.ts";
import { callStream, type StreamOutcome } from "../support/clients/streaming-client.ts";
import { type UpstreamFormat, UPSTREAM_FORMATS } from "../support/clients/upstream-formats.ts";
import { estimateText } from "../../server/src/dialects/neutral/token-estimate.ts";
import { TEST_KEY, type TestRelay } from "../support/relay/harness.ts";
import {
  type Expected,
  errorNameFor,
  type Fault,
  FAULTS,
  type FaultScene,
  REPORTED,
  usageOf,
} from "../support/relay/faults.ts";
import { startRelayOfAllFormats } from "../support/relay/formats.ts";

const TIMER_MS = 3_000;
const TEXT = "One two three, four five six; seven eight nine and ten.";
const PIECES = 6;
const PIECE_TOKENS = Math.ceil(TEXT.length / PIECES / 4) + 1;

let upstream: FakeUpstream;
let relay: TestRelay;

interface Call {
  fault: Fault;
  client: ClientFormat;
  target: UpstreamFormat;
  isStream: boolean;
}

const markOf = ({ fault, client, isStream }: Call, isOwn: boolean): string =>
  `fault-${FAULTS.indexOf(fault)}-${client.name}-${isStream ? "stream" : "whole"}-${isOwn ? "own" : "other"}`;
const calls = new Map<string, Call & { pace: Pace }>();

/** What the vendor would answer by a plan, and its beginning. */
function sceneOf(seen: SeenRequest, { target, isStream }: Call): FaultScene {
  const plan: Plan = { text: TEXT, chunks: PIECES, usage: usageOf(target.name) };
  const vendor = vendorOf(seen);
  if (vendor === undefined) throw new Error("no vendor serves this path");
  const failed = vendor.error({ status: 500, message: "boom" });
  const error = isStream ? `event: error\ndata: ${failed}\n\n` : failed;
  if (!isStream) {
    const body = vendor.whole(seen, plan).toString();
    return { vendor: target.name, isStream, body, begin: body.slice(0, body.length / 2), error };
  }
  const frames = vendor.frames(seen, plan);
  const body = frames.join("") + vendor.done(seen, plan);
  const words = frames.findIndex((frame) => frame.includes("four"));
  return { vendor: target.name, isStream, body, begin: frames.slice(0, words + 1).join(""), error };
}

beforeAll(async () => {
  upstream = await startFakeUpstream({
    plan: (seen) => {
      const call = calls.get(/fault-[\w-]+/.exec(seen.body.toString("utf8"))?.[0] ?? "");
      if (call === undefined) return {};
      const { beforeFrame } = call.pace;
      const plain: Plan = { text: TEXT, chunks: PIECES, usage: usageOf(call.target.name), beforeFrame };
      return { ...plain, ...call.fault.plan(sceneOf(seen, call)) };
    },
  });
  const timeouts = { connectMs: TIMER_MS, firstByteMs: TIMER_MS, firstByteStreamMs: TIMER_MS, idleMs: TIMER_MS };
  relay = await startRelayOfAllFormats(upstream.url, { timeouts });
});

afterAll(async () => {
  await relay.close();
  await upstream.close();
});

/** Every client format, with an upstream of its own format and one of another, streamed and whole. */
function callsOf(fault: Fault): Call[] {
  return CLIENT_FORMATS.flatMap((client, place) => {
    const own = UPSTREAM_FORMATS[place];
    const other = UPSTREAM_FORMATS[(place + 1 + (FAULTS.indexOf(fault) % 3)) % UPSTREAM_FORMATS.length];
    if (own === undefined || other === undefined) throw new Error("the lists of formats differ");
    return [own, other].flatMap((target) => [true, false].map((isStream) => ({ fault, client, target, isStream })));
  });
}

function make(call: Call, { url } = relay): Promise<StreamOutcome> {
  const { client: format, target, isStream } = call;
  const mark = markOf(call, format.name === target.name);
  const pace = new Pace();
  calls.set(mark, { ...call, pace });
  const leaves = (words: string): boolean => {
    pace.came(words.length);
    return false;
  };
  const text = `Say ${mark} now.`;
  return callStream({
    url,
    key: TEST_KEY,
    format,
    model: target.model,
    isStream,
    text,
    leaving: { leaves },
  });
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

interface Seen {
  end: "whole" | "error" | "cut";
  error: string | undefined;
  words: string;
  grammar: readonly string[];
}

/** What the client reads, from events or a body. */
function readBy(format: ClientFormat, { status, body, events, words }: StreamOutcome, isStream: boolean): Seen {
  if (isStream && status === 200) {
    const error = events.map(({ data }) => format.errorIn(fieldsOf(data))).find((name) => name !== undefined);
    return { end: endOf(format, events), error, words, grammar: grammarFaults(format, events) };
  }
  const fields = fieldsOf(jsonOf(body));
  const error = format.errorIn(fields);
  const said = status === 200 ? format.wholeWords(fields) : "";
  return { end: error === undefined ? (said === "" ? "cut" : "whole") : "error", error, words: said, grammar: [] };
}

function chargeFaults({ charge }: Expected, { requestId }: StreamOutcome, words: string): string[] {
  const booked = relay.billing.settlements.filter((each) => each.requestId === requestId);
  const [settled] = booked;
  if (charge === "nothing") return booked.length === 0 ? [] : ["it is charged"];
  if (settled === undefined || booked.length > 1) return [`it is booked ${booked.length} times`];
  const { promptTokens, completionTokens } = settled;
  if (charge === "reported")
    return promptTokens === REPORTED.input && completionTokens === REPORTED.output
      ? []
      : [`${promptTokens} and ${completionTokens} tokens are charged`];
  const delivered = estimateText(words).tokens;
  const isClose = Math.abs(completionTokens - delivered) <= PIECE_TOKENS && promptTokens > 0 && promptTokens < 100;
  return isClose ? [] : [`${promptTokens} and ${completionTokens} tokens are charged for ${delivered}`];
}

/** What is wrong with the outcome; empty where nothing is. */
function faultsOf(call: Call, outcome: StreamOutcome): string[] {
  const { fault, isStream } = call;
  const { stream, streamAtOnce = stream, whole } = fault;
  const ways = isStream ? [stream, streamAtOnce] : [whole];
  const [first = [], ...others] = ways.map((expected) => faultsBy(expected, call, outcome));
  return others.some((faults) => faults.length === 0) ? [] : first;
}

function faultsBy(expected: Expected, { client, isStream }: Call, outcome: StreamOutcome): string[] {
  const { status, tookMs, requestId } = outcome;
  const seen = readBy(client, outcome, isStream);
  const faults = [...seen.grammar, ...chargeFaults(expected, outcome, seen.words)];
  const isStatus = expected.status === "failed" ? status === 500 || status === 502 : status === expected.status;
  if (!isStatus) faults.push(`the status is ${status}`);
  if (requestId === "") faults.push("there is no request id");
  if (seen.end !== (expected.error === undefined ? "whole" : "error")) faults.push(`it ends as ${seen.end}`);
  const name = expected.error === undefined ? undefined : errorNameFor(client.name, expected.error);
  if (name !== undefined && seen.error !== name) faults.push(`the error is ${seen.error}`);
  const isWhole = expected.error === undefined;
  if (isWhole ? seen.words !== TEXT : !TEXT.startsWith(seen.words)) faults.push(`the words are ${seen.words}`);
  if (tookMs > 2 * TIMER_MS) faults.push(`it took ${tookMs} ms`);
  return faults;
}

describe.concurrent("an upstream that", () => {
  test.each(FAULTS.map((fault) => [fault.name, fault] as const))("%s", async (_name, fault) => {
    const all = callsOf(fault);
    const outcomes = await Promise.all(all.map((call) => make(call)));
    const wrong = outcomes.flatMap((outcome, index) => {
      const call = all[index];
      const faults = call === undefined ? ["there is no call"] : faultsOf(call, outcome);
      const pair = `${call?.client.name} <- ${call?.target.name} ${call?.isStream === true ? "streamed" : "whole"}`;
      return faults.length === 0 ? [] : [{ pair, faults, body: outcome.body.slice(-300) }];
    });
    expect(wrong).toEqual([]);
  });
});

test("behind all of them nothing is held, no call and no connection is open", async () => {
  await expect.poll(() => [relay.billing.held, relay.metrics.openCalls, upstream.openCount]).toEqual([0, 0, 0]);
});

const ownPairs = CLIENT_FORMATS.map(
  (client, place) => [client.name, client, UPSTREAM_FORMATS[place]?.model ?? ""] as const,
);

describe.each(ownPairs)("%s", (_name, format, model) => {
  test.each([true, false])(
    "an upstream that refuses connections is a 502 that costs nothing, streamed %s",
    async (isStream) => {
      const gone = await startFakeUpstream();
      await gone.close();
      const alone = await startRelayOfAllFormats(gone.url);
      const outcome = await callStream({ url: alone.url, key: TEST_KEY, format, model, isStream, text: "Hello." });
      const error = format.errorIn(fieldsOf(jsonOf(outcome.body)));
      expect([outcome.status, error]).toEqual([502, errorNameFor(format.name, "unreachable")]);
      expect([alone.billing.held, alone.billing.settlements]).toEqual([0, []]);
      expect(outcome.body).not.toContain(String(gone.port));
      await alone.close();
    },
  );
});

test("a connection left open behind the end does not keep the client, although nothing else would end it for minutes", async () => {
  const patient = await startRelayOfAllFormats(upstream.url);
  const fault = FAULTS.find(({ name }) => name === "stays open behind a whole answer");
  if (fault === undefined) throw new Error("there is no such fault");
  const streamed = callsOf(fault).filter(({ isStream }) => isStream);
  const outcomes = await Promise.all(streamed.map((call) => make(call, patient)));
  for (const { words, tookMs } of outcomes) expect([words, tookMs < 8_000]).toEqual([TEXT, true]);
  expect([patient.billing.held, patient.billing.settlements.length]).toEqual([0, streamed.length]);
  await expect.poll(() => upstream.openCount).toBe(0);
  await patient.close();
});
