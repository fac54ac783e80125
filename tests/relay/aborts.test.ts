/**
 * Clients that disconnect at a random moment, in every pair of formats: the charge is for what was delivered, within one piece of the answer, and
 * the upstream's connection is closed within a second. `npm run test:long` makes 512 of these calls, `npm test` 48.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import type { Plan } from "../fake-upstream/plan.ts";
import { tokensOf } from "../fake-upstream/vendor.ts";
import { seededChance } from "../support/clients/calls.ts";
import { Pace } from "../support/clients/pace.ts";
import { IS_LONG } from "../support/soak/short-or-long.ts";
import { grammarFaults } from "../support/clients/stream-grammar.ts";
import { callStream, type StreamOutcome } from "../support/clients/streaming-client.ts";
import { estimateText } from "../../server/src/dialects/neutral/token-estimate.ts";
import { TEST_KEY, type TestRelay, until } from "../support/relay/harness.ts";
import { FORMAT_PAIRS, type FormatPair, pairName, startRelayOfAllFormats } from "../support/relay/formats.ts";

const RUNS_PER_PAIR = IS_LONG ? 32 : 3;
const CLOSED_WITHIN_MS = 1_000;

let upstream: FakeUpstream;
let relay: TestRelay;
const runs = new Map<string, Run>();

const markIn = (body: Buffer): string => /run-\d+-\d+/.exec(body.toString("utf8"))?.[0] ?? "";

beforeAll(async () => {
  upstream = await startFakeUpstream({ plan: ({ body }) => runs.get(markIn(body))?.plan ?? {} });
  relay = await startRelayOfAllFormats(upstream.url);
});

afterAll(async () => {
  await relay.close();
  await upstream.close();
});

type Chance = ReturnType<typeof seededChance>;

interface Run {
  mark: string;
  text: string;
  plan: Plan;
  pace: Pace;
  /** Tokens of the longest piece. */
  pieceTokens: number;
  /** The client disconnects once it has so many characters; more than there are if it stays. */
  leavesAt: number;
}

const WORDS = ["a", "gateway", "tokens", "of", "the", "answer", "1234567890", "x".repeat(40), "and", "so", "on."];

function newRun(mark: string, chance: Chance): Run {
  const text = Array.from({ length: 20 + chance(80) }, () => WORDS[chance(WORDS.length)] ?? "").join(" ");
  const chunks = 3 + chance(25);
  const pace = new Pace();
  const { beforeFrame } = pace;
  const plan: Plan = { text, chunks, chunkDelayMs: chance(8), headerDelayMs: chance(30), beforeFrame };
  // Events cut anywhere, so that many are unfinished when the client disconnects.
  if (chance(2) === 0) plan.pieceBytes = 40 + chance(400);
  const pieceTokens = Math.ceil(Math.ceil(text.length / chunks) / 2) + 1;
  return { mark, text, plan, pace, pieceTokens, leavesAt: chance(Math.ceil(text.length * 1.1)) };
}

async function callAndLeave({ client: format, upstream: target }: FormatPair, run: Run): Promise<StreamOutcome> {
  runs.set(run.mark, run);
  const leaves = (words: string): boolean => {
    run.pace.came(words.length);
    return words.length >= run.leavesAt;
  };
  const call = { url: relay.url, key: TEST_KEY, format, model: target.model, isStream: true, text: `Say ${run.mark}.` };
  return callStream({ ...call, leaving: { leaves } });
}

const requestOf = ({ mark }: Run) => upstream.requests.find(({ body }) => markIn(body) === mark);

/** Tokens billed for the call; 0 where nothing was. */
const billedTokens = ({ requestId }: StreamOutcome): number =>
  relay.billing.settlements.find((each) => each.requestId === requestId)?.completionTokens ?? 0;

/** Tokens of the text by the relay's estimate, and as the upstream counts them where it came to that. */
const countsOf = (words: string): number[] => [estimateText(words).tokens, tokensOf(words)];

/** What is wrong with the run; empty where nothing is. */
function faultsOf({ client }: FormatPair, run: Run, outcome: StreamOutcome): string[] {
  const faults = grammarFaults(client, outcome.events);
  const { words, leftAtMs } = outcome;
  if (!run.text.startsWith(words)) faults.push("its words are others");
  const billed = billedTokens(outcome);
  const delivered = countsOf(words);
  if (delivered.every((tokens) => Math.abs(billed - tokens) > run.pieceTokens))
    faults.push(`${billed} tokens are billed for ${delivered.join(" or ")}`);
  if (leftAtMs === 0) return words === run.text ? faults : [...faults, "words are missing at the end"];
  const seen = requestOf(run);
  // The answer may have been whole before the client left.
  if (seen === undefined || (!seen.wasAborted && countsOf(run.text).includes(billed))) return faults;
  const closedAfterMs = seen.abortedAtMs - leftAtMs;
  if (!seen.wasAborted || closedAfterMs > CLOSED_WITHIN_MS) faults.push(`closed after ${closedAfterMs} ms`);
  return faults;
}

const told = ({ mark, text, leavesAt }: Run, { status, words, tookMs }: StreamOutcome): object => ({
  mark,
  text,
  leavesAt,
  status,
  words,
  tookMs,
});

describe.each(FORMAT_PAIRS.map((pair, number) => [pairName(pair), pair, number] as const))(
  "%s",
  (_name, pair, number) => {
    test(`${RUNS_PER_PAIR} clients disconnect at random`, async () => {
      const chance = seededChance(20_261_200 + number);
      const all = Array.from({ length: RUNS_PER_PAIR }, (_, index) => newRun(`run-${number}-${index}`, chance));
      const left = all.values();
      const outcomes = new Map<Run, StreamOutcome>();
      const lane = async (): Promise<void> => {
        for (const run of left) outcomes.set(run, await callAndLeave(pair, run));
      };
      await Promise.all([lane(), lane(), lane(), lane()]);
      await until(() => relay.metrics.openCalls === 0 && upstream.openCount === 0);
      const seen = [...outcomes].map(([run, outcome]) => ({
        ...told(run, outcome),
        faults: faultsOf(pair, run, outcome),
      }));
      expect(seen.filter(({ faults }) => faults.length > 0)).toEqual([]);
      expect(relay.billing.held).toBe(0);
    });
  },
);
