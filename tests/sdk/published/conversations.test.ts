/** Every answer and event of chat completions, completions and Responses is of OpenAI's published types, whichever format and vendor it comes from. */
import { readFileSync, readdirSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../../fake-upstream/fake-upstream.ts";
import { UPSTREAM_FORMATS, type UpstreamFormat } from "../../support/clients/upstream-formats.ts";
import { startRelayOfAllFormats } from "../../support/relay/formats.ts";
import { type TestRelay, newChannel } from "../../support/relay/harness.ts";
import { type OwnVendor, type RunningVendor, ownVendors } from "../../support/providers/own-vendor.ts";
import { type CompatibleVendor } from "../../support/providers/compatible-vendor.ts";
import type { SnapshotChannel } from "../../../server/src/snapshot/snapshot.ts";
import { CALLS, KEY, offeringOf, planOf } from "../../support/providers/vendor-plans.ts";
import { COMPATIBLE_VENDORS } from "../../support/providers/vendors.ts";
import { CHAT, COMPLETIONS, type Form, type Held, RESPONSES, holdAnswer } from "./answers.ts";
import { publishedFaults } from "./schemas.ts";
import { SCENARIOS, type Scenario, THINKING, TOOLS, bodyOf } from "./scenarios.ts";

const FORMS: readonly Form[] = [CHAT, RESPONSES];
const ENDS = [false, true] as const;
const DIALECTS = new URL("../../../server/src/dialects/", import.meta.url);
let upstream: FakeUpstream;
let relay: TestRelay;

beforeAll(async () => {
  upstream = await startFakeUpstream({ validates: false });
  relay = await startRelayOfAllFormats(upstream.url, { isQuiet: true });
  // Made once, which takes some seconds.
  publishedFaults("model", {});
}, 240_000);
afterAll(async () => {
  await relay.close();
  await upstream.close();
});

beforeEach(() => {
  upstream.reset();
  serve([]);
});

let channels = 100;

/** The four formats, and one more channel where models are named: each test has channels that never failed. */
function serve(models: readonly string[], changes: Partial<SnapshotChannel> = {}): void {
  const formats = UPSTREAM_FORMATS.map(({ type, model }) => ({
    type,
    models: new Set([model]),
    baseUrl: upstream.url,
  }));
  const more = models.length === 0 ? [] : [{ models: new Set(models), ...changes }];
  const { world } = relay;
  world.channels = (models.length === 0 ? formats : more).map((each) => newChannel({ ...each, id: (channels += 1) }));
  const price = world.prices.get("gpt-4o");
  for (const model of models) if (price !== undefined) world.prices.set(model, price);
}

const called = async (form: Form, body: object): Promise<Held> => holdAnswer(await relay.post(form.path, body), form);

/** What is wrong with the upstream's own answer to the same request, which comes whole. */
async function ownFaults(form: Form, { plan }: Scenario): Promise<string[]> {
  const { cutAtByte: _, ...whole } = plan;
  upstream.plan(whole);
  const { path = "", body = Buffer.alloc(0) } = upstream.requests.at(-1) ?? {};
  const headers = { "content-type": "application/json" };
  const answer = await fetch(upstream.url + path, { method: "POST", headers, body: new Uint8Array(body) });
  return (await holdAnswer(answer, form)).faults;
}

/** Each scenario whole and as a stream; what befalls streams alone only so. */
const CALLED = SCENARIOS.flatMap((scenario) =>
  ENDS.filter((stream) => stream || scenario.plan.cutAtByte === undefined).map((stream) => ({ ...scenario, stream })),
);

describe("the types themselves", () => {
  const message = { role: "assistant", content: "Hi.", refusal: null };
  const choice = { index: 0, finish_reason: "stop", logprobs: null, message };
  const chat = { id: "c", object: "chat.completion", created: 1, model: "m", choices: [choice] };

  test("take an answer as it is documented, and with members that they do not know", () => {
    expect(publishedFaults("chat", chat)).toEqual([]);
    expect(publishedFaults("chat", { ...chat, choices: [{ ...choice, of_a_vendor: 1 }], of_the_gateway: {} })).toEqual(
      [],
    );
  });

  test("name a missing member, a wrong type and an unknown value, at the place where it is", () => {
    const { refusal: _, ...unrefused } = message;
    const broken = { ...chat, created: "1", choices: [{ ...choice, finish_reason: "done", message: unrefused }] };
    expect(publishedFaults("chat", broken)).toEqual([
      expect.stringMatching(/^choices\[\]\/finish_reason must be equal to one of the allowed values: .*"stop"/),
      "choices[]/message must have required property 'refusal'",
      "created must be number",
    ]);
  });

  test("read the members of a union by their type, and know no other type", () => {
    const delta = { type: "response.output_text.delta", item_id: "i", output_index: 0, content_index: 0, logprobs: [] };
    expect(publishedFaults("responseEvent", { ...delta, sequence_number: 1, delta: 5 })).toEqual([
      "delta must be string",
    ]);
    expect(publishedFaults("responseEvent", { type: "response.of_next_year" })).toEqual([
      expect.stringContaining("response.of_next_year"),
    ]);
  });
});

describe.each(UPSTREAM_FORMATS)("an upstream of $name", (target: UpstreamFormat) => {
  const { name, model } = target;

  describe.each(FORMS)("a client at $path", (form) => {
    const isOwn = form.of === name;

    test.each(CALLED)("$name, stream: $stream", async (scenario: Scenario & { stream: boolean }) => {
      upstream.plan(scenario.plan);
      const { status, faults, counts } = await called(form, bodyOf(form, model, scenario.stream, scenario));
      const own = isOwn ? await ownFaults(form, scenario) : [];
      expect(faults.filter((fault) => !own.includes(fault))).toEqual([]);
      expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
      if (scenario.fails !== true) expect([status, counts.has("error")]).toEqual([200, false]);
      else expect(counts.has("error") || form.path === RESPONSES.path).toBe(true);
    });
  });
});

/** Recorded answers of each format; what of them goes to a client of the same form is the vendor's own bytes. */
const RECORDED = UPSTREAM_FORMATS.flatMap((target) =>
  readdirSync(new URL(`${target.name}/fixtures/`, DIALECTS))
    .filter((file) => !/request|source/.test(file))
    .map((file) => ({ ...target, file })),
);

describe.each(RECORDED)("the recorded $name/$file", ({ name, model, file }) => {
  const isStream = file.endsWith(".txt");
  const raw = readFileSync(new URL(`${name}/fixtures/${file}`, DIALECTS), "utf8");

  test.each(FORMS.flatMap((form) => ENDS.map((stream) => ({ ...form, stream }))))(
    "at $path, stream: $stream",
    async ({ stream, ...form }) => {
      const isPassed = form.of === name && stream === isStream;
      upstream.plan(isStream ? { rawBody: [raw], chunkDelayMs: 0 } : { rawBody: raw });
      const { faults, counts } = await called(form, bodyOf(form, model, stream, TOOLS));
      if (!isPassed) expect(faults).toEqual([]);
      expect(counts.size).toBeGreaterThan(0);
    },
  );
});

/**
 * What vendors that speak OpenAI's forms send otherwise than OpenAI's types have it, which is passed on unchanged: a client of a form reads its upstream's
 * own bytes. No answer that the gateway makes may have it.
 */
const OF_VENDORS: Readonly<Record<string, string>> = {
  "system_fingerprint must be string": "null in answers of OpenAI's own",
  "user must be string": "null in answers of OpenAI's own",
  "usage must be object": "null in the first events of OpenAI's own streams",
  "must have required property 'access_programs'": "newer than what these vendors answer",
  "must have required property 'cache_write_tokens'": "newer than what these vendors answer",
  "error must have required property 'param'": "Azure's errors of its front door",
  "error must have required property 'type'": "Azure's errors of its front door",
  "error/type must be string": "null in Azure's errors",
  "error/code must be string,null": "the status as a number in Google's errors for OpenAI's form",
};
const isOfVendor = (fault: string): boolean => Object.keys(OF_VENDORS).some((known) => fault.endsWith(known));

describe.each(await ownVendors())("$name", (vendor: OwnVendor) => {
  const { type, key, other = "", model, thinker = model } = vendor;
  let running: RunningVendor;
  beforeAll(async () => {
    running = await vendor.start();
  });
  afterAll(() => running.close());
  const passes = /Azure|FastGPT|Llama/.test(vendor.name);
  const unexplained = ({ faults }: Held) => faults.filter((fault) => !passes || !isOfVendor(fault));
  const open = (models: string[]) => serve(models, { type, key, other, baseUrl: running.url });

  test.each(FORMS.flatMap((form) => ENDS.map((stream) => ({ ...form, stream }))))(
    "its words, calls, thoughts and failures at $path, stream: $stream",
    async ({ stream, ...form }) => {
      open([model, thinker]);
      Object.assign(running, { deed: "words", failing: undefined });
      const said = await called(form, bodyOf(form, model, stream, {}));
      expect([said.status, unexplained(said), said.counts.has("error")]).toEqual([200, [], false]);
      if (vendor.thinks) {
        const thought = await called(form, bodyOf(form, thinker, stream, THINKING));
        expect([thought.status, unexplained(thought)]).toEqual([200, []]);
      }
      running.deed = "call";
      const tried = vendor.takesTools ? await called(form, bodyOf(form, model, stream, TOOLS)) : said;
      expect([tried.status, unexplained(tried)]).toEqual([200, []]);
      for (const index of vendor.failures.keys()) {
        open([model]);
        running.failing = index;
        const failed = await called(form, bodyOf(form, model, stream, {}));
        expect([failed.counts.get("error") ?? failed.counts.get("responseEvent"), unexplained(failed)]).toEqual([
          expect.any(Number),
          [],
        ]);
      }
    },
  );
});

test.each(COMPATIBLE_VENDORS)("$name, of OpenAI's chat, for clients of Responses", async (vendor: CompatibleVendor) => {
  serve([vendor.model], { key: KEY, ...offeringOf(vendor, upstream.url) });
  for (const deed of ["words", CALLS] as const)
    for (const stream of ENDS) {
      upstream.plan((seen) => planOf(vendor, seen, deed));
      const asked = deed === "words" ? {} : TOOLS;
      const { status, faults } = await called(RESPONSES, bodyOf(RESPONSES, vendor.model, stream, asked));
      const passes = upstream.requests.at(-1)?.path === vendor.responses;
      expect([status, faults.filter((fault) => !passes || !isOfVendor(fault))]).toEqual([200, []]);
    }
});

describe("completions", () => {
  test.each(CALLED)("$name, stream: $stream", async (scenario: Scenario & { stream: boolean }) => {
    upstream.plan(scenario.plan);
    const { faults } = await called(COMPLETIONS, bodyOf(COMPLETIONS, "gpt-4o", scenario.stream, {}));
    const own = await ownFaults(COMPLETIONS, scenario);
    expect(faults.filter((fault) => !own.includes(fault))).toEqual([]);
  });
});
