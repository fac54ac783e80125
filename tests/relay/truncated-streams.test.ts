/** Truncated upstream streams never look complete, in any pair of formats: the client's stream ends with an error. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import type { Plan, SeenRequest } from "../fake-upstream/plan.ts";
import { vendorOf } from "../fake-upstream/vendors.ts";
import { seededChance } from "../support/clients/calls.ts";
import { endOf, grammarFaults } from "../support/clients/stream-grammar.ts";
import { callStream, type StreamOutcome } from "../support/clients/streaming-client.ts";
import { estimateText } from "../../server/src/dialects/neutral/token-estimate.ts";
import { TEST_KEY, type TestRelay } from "../support/relay/harness.ts";
import { FORMAT_PAIRS, type FormatPair, pairName, startRelayOfAllFormats } from "../support/relay/formats.ts";

const IDLE_MS = 600;
const CUTS_PER_PAIR = 24;
/** `end` is a body that is whole for HTTP, and whose stream is not. */
const CUT_BY = ["destroy", "reset", "end", "halt"] as const;

let upstream: FakeUpstream;
let relay: TestRelay;
/** The fault of the call with this word in its text. */
const plans = new Map<string, (seen: SeenRequest) => Plan>();

beforeAll(async () => {
  upstream = await startFakeUpstream({
    plan: (seen) => plans.get(/cut-\d+-\d+/.exec(seen.body.toString("utf8"))?.[0] ?? "")?.(seen) ?? {},
  });
  relay = await startRelayOfAllFormats(upstream.url, { timeouts: { idleMs: IDLE_MS } });
});

afterAll(async () => {
  await relay.close();
  await upstream.close();
});

const TEXT = "One two three, four five six; seven eight nine and ten.";
const ANSWER: Plan = { text: TEXT, chunks: 6, chunkDelayMs: 2 };

function streamOf(seen: SeenRequest): string {
  const vendor = vendorOf(seen);
  return vendor === undefined ? "" : vendor.frames(seen, ANSWER).join("") + vendor.done(seen, ANSWER);
}

/** Where the event that finishes the answer begins and ends, in bytes. */
function finishOf(stream: string): { start: number; end: number } {
  const mark = /"finish_reason":"|"stop_reason":"|event: response\.completed|"finishReason":"/.exec(stream);
  const at = mark?.index ?? -1;
  const before = stream.slice(0, at);
  const start = Math.max(before.lastIndexOf("\n\n") + 2, before.lastIndexOf("\r\n\r\n") + 4, 0);
  const length = /\r?\n\r?\n/.exec(stream.slice(at));
  return { start, end: at + (length?.index ?? 0) + (length?.[0].length ?? 0) };
}

interface Cut {
  by: (typeof CUT_BY)[number];
  at: number;
  finish: { start: number; end: number };
}

async function cutCall(
  pair: FormatPair,
  id: string,
  by: Cut["by"],
  place: number,
): Promise<{ cut: Cut; outcome: StreamOutcome }> {
  let cut: Cut = { by, at: 0, finish: { start: 0, end: 0 } };
  plans.set(id, (seen) => {
    const stream = streamOf(seen);
    cut = { by, at: 1 + (place % (stream.length - 1)), finish: finishOf(stream) };
    const body = { rawBody: stream.slice(0, cut.at), contentType: "text/event-stream" };
    return by === "end" ? body : { ...ANSWER, cutAtByte: cut.at, cutBy: by };
  });
  const { client: format, upstream: target } = pair;
  const call = { url: relay.url, key: TEST_KEY, format, model: target.model, isStream: true, text: `Say it, ${id}.` };
  const outcome = await callStream(call);
  return { cut, outcome };
}

/** What is wrong with what the client got; empty where nothing is. */
function faultsOf({ client }: FormatPair, { at, finish }: Cut, outcome: StreamOutcome): string[] {
  const { status, events, words, requestId } = outcome;
  const faults = status === 200 ? grammarFaults(client, events) : [];
  const end = status === 200 ? endOf(client, events) : "error";
  if (end === "cut") faults.push("it ends without a word");
  if (end === "whole" && at < finish.start) faults.push("it looks whole");
  if (end === "error" && at >= finish.end) faults.push("a whole answer is called an error");
  if (!TEXT.startsWith(words)) faults.push("its words are others");
  const settled = relay.billing.settlements.filter((each) => each.requestId === requestId);
  const estimate = estimateText(words).tokens;
  const isPaid = settled.length === 1 && (settled[0]?.completionTokens ?? 0) >= estimate;
  if (words === "" ? settled.length > 0 : !isPaid) faults.push(`${settled[0]?.completionTokens} tokens are charged`);
  return faults;
}

test.concurrent.each(FORMAT_PAIRS.map((pair) => [pairName(pair), pair] as const))("%s", async (_name, pair) => {
  const number = FORMAT_PAIRS.indexOf(pair);
  const chance = seededChance(20_261_121 + number);
  const wrong: object[] = [];
  const one = async (index: number): Promise<void> => {
    const by = CUT_BY[index % CUT_BY.length] ?? "destroy";
    const { cut, outcome } = await cutCall(pair, `cut-${number}-${index}`, by, chance(10_000));
    const faults = faultsOf(pair, cut, outcome);
    if (faults.length > 0) wrong.push({ ...cut, faults, status: outcome.status, body: outcome.body.slice(-700) });
  };
  await Promise.all(Array.from({ length: CUTS_PER_PAIR }, (_, index) => one(index)));
  expect(wrong).toEqual([]);
});

test("nothing is held and no connection is open behind them", async () => {
  await expect.poll(() => [relay.billing.held, relay.metrics.openCalls]).toEqual([0, 0]);
  // Those that were left open and silent are closed by the relay.
  await expect.poll(() => upstream.openCount).toBe(0);
});
