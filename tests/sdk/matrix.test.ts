/** Every client library against every kind of upstream, through a real relay; docs/compatibility.md has the results. */
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TEST_KEY, type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";
import { IS_SHORT } from "../support/soak/short-or-long.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { aiAnthropic, aiCompatible } from "./client-ai.ts";
import { anthropic } from "./client-anthropic.ts";
import { gemini } from "./client-gemini.ts";
import { langChain } from "./client-langchain.ts";
import { openAiChat, openAiResponses } from "./client-openai.ts";
import {
  type Client,
  type Conversation,
  type Outcome,
  PIXEL,
  type Scenario,
  SCENARIOS,
  UPSTREAMS,
  type Upstream,
  compatibilityDocument,
  keyOf,
} from "./matrix.ts";
import {
  OPERATION_CASES,
  type OperationOutcome,
  VENDORS,
  operationKey,
  operationsPart,
  tryOperation,
} from "./operations-matrix.ts";
import { speaking } from "./speaking.ts";
import {
  TASK_CASES,
  TASK_VENDORS,
  type TaskOutcome,
  type TaskScene,
  openTaskScene,
  taskKey,
  tasksPart,
  tryTask,
} from "./tasks-matrix.ts";

const CLIENTS: readonly Client[] = [
  openAiChat,
  openAiResponses,
  anthropic,
  gemini,
  aiCompatible,
  aiAnthropic,
  langChain,
];

interface Scene {
  upstream: FakeUpstream;
  relay: TestRelay;
  open(model: string): Conversation;
}

/** A relay with one channel to a fresh upstream, for one scenario. */
async function inScene(client: Client, target: Upstream, play: (scene: Scene) => Promise<Outcome>): Promise<Outcome> {
  const upstream = await startFakeUpstream({ key: "upstream-secret" });
  const models = new Set<string>([target.model, target.thinker]);
  const world = newWorld({
    channels: [newChannel({ type: target.type, key: "upstream-secret", baseUrl: upstream.url, models })],
  });
  const price = world.prices.get("gpt-4o");
  for (const model of models) if (price !== undefined) world.prices.set(model, price);
  const relay = await startTestRelay({ world, providers: await speaking(target.name) });
  try {
    return await play({ upstream, relay, open: (model) => client.open(relay.url, `sk-${TEST_KEY}`, model) });
  } finally {
    await relay.close();
    await upstream.close();
  }
}

const sentTo = ({ upstream }: Scene, index: number): string => upstream.requests[index]?.body.toString("utf8") ?? "";

/** Text that is cut into pieces, needs escapes, and has multi-byte characters. */
const WORDS = 'Zwölf "Boxkämpfer"\n jagen\t你好 🙂';

async function answers(scene: Scene, model: string, isStream: boolean): Promise<Outcome> {
  scene.upstream.plan({ text: WORDS, chunks: 7 });
  const reply = await scene.open(model).ask({ text: "Say it.", isStream });
  expect(reply.text).toBe(WORDS);
  expect(scene.relay.billing.settlements).toMatchObject([
    { promptTokens: reply.inputTokens, completionTokens: reply.outputTokens },
  ]);
  expect(scene.upstream.requests).toHaveLength(1);
  expect(sentTo(scene, 0)).toContain("Be brief.");
  return "works";
}

async function shows(scene: Scene, model: string): Promise<Outcome> {
  scene.upstream.plan({ text: "A pixel." });
  for (const isStream of [false, true]) {
    const reply = await scene.open(model).ask({ text: "What is it?", hasImage: true, isStream });
    expect(reply.text).toBe("A pixel.");
  }
  expect(sentTo(scene, 0)).toContain(PIXEL);
  return "works";
}

async function structures(scene: Scene, model: string): Promise<Outcome> {
  scene.upstream.plan({ text: '{"degrees":14}' });
  const reply = await scene.open(model).ask({ text: "How warm?", isStructured: true, isStream: false });
  expect(JSON.parse(reply.text)).toEqual({ degrees: 14 });
  expect(sentTo(scene, 0)).toContain("degrees");
  return "works";
}

const CALLS = ["Riga", "Oslo"].map((city) => ({ name: "get_weather", arguments: `{"city":"${city}"}` }));

async function calls(scene: Scene, model: string): Promise<Outcome> {
  for (const isStream of [false, true]) {
    scene.upstream.next({ text: "I look.", toolCalls: CALLS }, { text: "It rains." });
    const conversation = scene.open(model);
    const first = await conversation.ask({ text: "Weather?", offersTools: true, isStream });
    expect(first.text).toBe("I look.");
    expect(first.calls).toEqual(
      CALLS.map((call) => ({ name: call.name, input: JSON.parse(call.arguments) as unknown })),
    );
    const second = await conversation.ask({ text: "", results: ["rain in Riga", "snow"], offersTools: true, isStream });
    expect(second.text).toBe("It rains.");
    expect(sentTo(scene, scene.upstream.count - 1)).toContain("rain in Riga");
  }
  return "works";
}

const THOUGHT = "A city is asked for; I look it up.";

function expectedOf(client: Client, target: Upstream, scenario: Scenario): Outcome {
  if (scenario !== "thinking" || client.keepsThinking) return "works";
  return target.name === "openai-chat" ? "refused" : "lost";
}

/** Upstreams take a thought back only unchanged and with its proof, and refuse what they did not say. */
async function thinks(scene: Scene, client: Client, target: Upstream): Promise<Outcome> {
  const [call] = CALLS;
  const expected = expectedOf(client, target, "thinking");
  for (const isStream of [false, true]) {
    scene.upstream.next(
      { reasoning: THOUGHT, text: "", toolCalls: call === undefined ? [] : [call] },
      { text: "It rains." },
    );
    const conversation = scene.open(target.thinker);
    const turn = { offersTools: true, thinks: true, isStream };
    const first = await conversation.ask({ text: "Weather?", ...turn });
    expect(first.thinking).toBe(THOUGHT);
    expect(first.calls).toHaveLength(1);
    const again = conversation.ask({ text: "", results: ["rain"], ...turn });
    if (expected === "refused") {
      await expect(again).rejects.toThrow(/reasoning_content/);
      continue;
    }
    expect((await again).text).toBe("It rains.");
    // Gemini wants the proof on the call only, and has checked it.
    const isBack = sentTo(scene, scene.upstream.count - 1).includes(THOUGHT);
    if (target.name !== "gemini") expect(isBack).toBe(expected === "works");
  }
  return expected;
}

const PLAYS: Readonly<Record<Scenario, (scene: Scene, client: Client, target: Upstream) => Promise<Outcome>>> = {
  text: (scene, _client, { model }) => answers(scene, model, false),
  stream: (scene, _client, { model }) => answers(scene, model, true),
  picture: (scene, _client, { model }) => shows(scene, model),
  structured: (scene, _client, { model }) => structures(scene, model),
  tools: (scene, _client, { model }) => calls(scene, model),
  thinking: thinks,
};

/** In the short form one answer in one piece and one streamed. */
const PLAYED = Object.entries(PLAYS).filter(([scenario]) => !IS_SHORT || scenario === "text" || scenario === "stream");

const seen = new Map<string, Outcome>();

describe.each(CLIENTS)("$name", (client) => {
  describe.each(UPSTREAMS)("with $title", (target) => {
    test.each(PLAYED)("%s", async (scenario, play) => {
      const outcome = await inScene(client, target, (scene) => play(scene, client, target));
      seen.set(keyOf(client, target, scenario as Scenario), outcome);
      expect(outcome).toBe(expectedOf(client, target, scenario as Scenario));
    });
  });
});

const seenOperations = new Map<string, OperationOutcome>();

describe.each(OPERATION_CASES)("$client, $name", (each) => {
  test.each(VENDORS)("with $title", async (vendor) => {
    const outcome = await tryOperation(each, vendor);
    seenOperations.set(operationKey(each, vendor.title), outcome);
    expect(outcome).toBe(each.expected[vendor.title]);
  });
});

const seenTasks = new Map<string, TaskOutcome>();

describe("tasks", () => {
  let scene: TaskScene;
  beforeAll(async () => {
    scene = await openTaskScene();
  });
  afterAll(() => scene.close());
  describe.each(TASK_CASES)("$client, $name", (each) => {
    test.each(TASK_VENDORS)("with %s", async (vendor) => {
      const outcome = await tryTask(scene, each, vendor);
      seenTasks.set(taskKey(each, vendor), outcome);
      expect(outcome).toBe(each.vendors.includes(vendor) ? "works" : "absent");
    });
  });
});

/** What was seen; what the short form does not play counts as seen as it is expected, which the other forms hold it to. */
const seenOrExpected = (): Map<string, Outcome> => {
  const all = CLIENTS.flatMap((client) =>
    UPSTREAMS.flatMap((target) => SCENARIOS.map((scenario) => ({ client, target, scenario }))),
  );
  const expected = all.map(
    ({ client, target, scenario }) => [keyOf(client, target, scenario), expectedOf(client, target, scenario)] as const,
  );
  return new Map([...(IS_SHORT ? expected : []), ...seen]);
};

test("the document says what was seen", () => {
  const file = new URL("../../docs/compatibility.md", import.meta.url);
  const document = compatibilityDocument(CLIENTS, seenOrExpected(), [
    ...operationsPart(seenOperations),
    "",
    ...tasksPart(seenTasks),
  ]);
  if (process.env["UPDATE_COMPATIBILITY"] === "1") writeFileSync(file, document);
  expect(readFileSync(file, "utf8")).toBe(document);
});
