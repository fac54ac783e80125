/** Google's official library through the relay, against each vendor's format; and features of Gemini alone. */
import {
  ApiError,
  type Content,
  type GenerateContentConfig,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
  ThinkingLevel,
} from "@google/genai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DialectName } from "../../server/src/dialects/neutral/neutral.ts";
import { TEST_KEY } from "../support/relay/harness.ts";
import type { Plan } from "../fake-upstream/plan.ts";
import { openSdkScene, type SdkScene } from "./scene.ts";

const UPSTREAMS = [
  { name: "gemini", type: 24, model: "gemini-3-flash-preview" },
  { name: "openai-chat", type: 1, model: "gpt-4o" },
  { name: "openai-responses", type: 1, model: "gpt-5.4" },
  { name: "anthropic-messages", type: 14, model: "claude-sonnet-4-5" },
] as const satisfies readonly { name: DialectName; type: number; model: string }[];

interface Scene extends SdkScene {
  client: GoogleGenAI;
}

async function openScene(name: DialectName, type: number, models: readonly string[]): Promise<Scene> {
  const scene = await openSdkScene(name, type, models);
  const client = new GoogleGenAI({ apiKey: `sk-${TEST_KEY}`, httpOptions: { baseUrl: scene.relay.url } });
  return { ...scene, client };
}

async function closeScene({ upstream, relay }: Scene): Promise<void> {
  await relay.close();
  await upstream.close();
}

const WEATHER = {
  name: "get_weather",
  description: "Weather of a city.",
  parametersJsonSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const PIXEL = "iVBORw0KGgo=";
const user = (...parts: Part[]): Content => ({ role: "user", parts });

interface Heard {
  parts: Part[];
  text: string;
  finish: string | undefined;
  last: GenerateContentResponse;
}

/** An answer asked for in one piece, or gathered from a stream. */
async function ask(
  client: GoogleGenAI,
  model: string,
  contents: Content[],
  config: GenerateContentConfig,
  isStream: boolean,
): Promise<Heard> {
  const answers: GenerateContentResponse[] = [];
  if (isStream)
    for await (const piece of await client.models.generateContentStream({ model, contents, config }))
      answers.push(piece);
  else answers.push(await client.models.generateContent({ model, contents, config }));
  const last = answers.at(-1);
  if (last === undefined) throw new Error("nothing was answered");
  const parts = answers.flatMap((answer) => answer.candidates?.[0]?.content?.parts ?? []);
  const text = parts.map((part) => (part.thought === true ? "" : (part.text ?? ""))).join("");
  return { parts, text, finish: last.candidates?.[0]?.finishReason, last };
}

describe.each(UPSTREAMS)("against $name", ({ name, type, model }) => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(name, type, [model]);
  });
  afterEach(() => closeScene(scene));

  const plan = (...plans: Plan[]): void => scene.upstream.next(...plans);

  describe.each([false, true])("streamed %s", (isStream) => {
    test("text, finish reason and usage", async () => {
      plan({ text: "Grüße aus Wien" });
      const config = { systemInstruction: "Be kind.", maxOutputTokens: 500, temperature: 0.5 };
      const { text, finish, last } = await ask(scene.client, model, [user({ text: "hi" })], config, isStream);
      expect(text).toBe("Grüße aus Wien");
      expect(finish).toBe("STOP");
      expect(last.usageMetadata?.promptTokenCount).toBeGreaterThan(0);
      expect(last.usageMetadata?.candidatesTokenCount).toBeGreaterThan(0);
      expect(last.modelVersion).toBe(model);
    });

    test("a truncated answer has its finish reason", async () => {
      plan({ text: "half", finishReason: name === "anthropic-messages" ? "max_tokens" : "length" });
      const { finish } = await ask(scene.client, model, [user({ text: "hi" })], {}, isStream);
      expect(finish).toBe("MAX_TOKENS");
    });

    test("calls of tools, and the turn with their results", async () => {
      const config = { tools: [{ functionDeclarations: [WEATHER] }] };
      const question = user({ text: "weather?" }, { inlineData: { mimeType: "image/png", data: PIXEL } });
      const toolCalls = ["Wien", "Graz"].map((city) => ({ name: "get_weather", arguments: JSON.stringify({ city }) }));
      plan({ toolCalls });
      const first = await ask(scene.client, model, [question], config, isStream);
      const calls = first.parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall]));
      expect(calls.map(({ name: called, args }) => [called, args])).toEqual([
        ["get_weather", { city: "Wien" }],
        ["get_weather", { city: "Graz" }],
      ]);
      const results = calls.map((call, index): Part => ({
        functionResponse: {
          ...(call.id === undefined ? {} : { id: call.id }),
          name: "get_weather",
          response: { output: `sun ${index}` },
        },
      }));
      plan({ text: "Sunny." });
      const turn: Content = { role: "model", parts: first.parts };
      const second = await ask(scene.client, model, [question, turn, user(...results)], config, isStream);
      expect(second.text).toBe("Sunny.");
    });

    test("thoughts over turns: what the upstream signed goes back to it", async () => {
      const config = {
        tools: [{ functionDeclarations: [WEATHER] }],
        maxOutputTokens: 9000,
        thinkingConfig: {
          includeThoughts: true,
          ...(name === "gemini" ? { thinkingLevel: ThinkingLevel.LOW } : { thinkingBudget: 2048 }),
        },
      };
      plan({ reasoning: "I look it up.", toolCalls: [{ name: "get_weather", arguments: '{"city":"Wien"}' }] });
      const question = user({ text: "weather?" });
      const first = await ask(scene.client, model, [question], config, isStream);
      const thoughts = first.parts.map((part) => (part.thought === true ? (part.text ?? "") : "")).join("");
      expect(thoughts).toBe("I look it up.");
      const call = first.parts.find(({ functionCall }) => functionCall !== undefined)?.functionCall;
      const result: Part = {
        functionResponse: { id: call?.id ?? "", name: "get_weather", response: { output: "sun" } },
      };
      plan({ text: "Sunny." });
      const turns = isStream
        ? first.parts.map((part): Content => ({ role: "model", parts: [part] }))
        : [{ role: "model", parts: first.parts }];
      const second = await ask(scene.client, model, [question, ...turns, user(result)], config, isStream);
      expect(second.text).toBe("Sunny.");
    });

    test("an answer after a schema", async () => {
      plan({ text: '{"mood":"good"}' });
      const schema = {
        type: "object",
        properties: { mood: { type: "string" } },
        required: ["mood"],
        additionalProperties: false,
      };
      const config = { responseMimeType: "application/json", responseJsonSchema: schema };
      const { text } = await ask(scene.client, model, [user({ text: "mood?" })], config, isStream);
      expect(JSON.parse(text)).toEqual({ mood: "good" });
    });

    test("a failure is the library's error with the status and its name", async () => {
      scene.upstream.plan({ status: 400, error: { message: "that is wrong" } });
      const failed = await ask(scene.client, model, [user({ text: "hi" })], {}, isStream).catch(
        (error: unknown) => error,
      );
      expect(failed).toBeInstanceOf(ApiError);
      expect(failed).toMatchObject({ status: 400 });
      expect(String(failed)).toContain("that is wrong");
      expect(String(failed)).toContain("INVALID_ARGUMENT");
    });
  });

  test("a stream that was not asked as events is one array", async () => {
    plan({ text: "one two three" });
    const answer = await fetch(`${scene.relay.url}/v1beta/models/${model}:streamGenerateContent`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-goog-api-key": `sk-${TEST_KEY}` },
      body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: "hi" }] }] }),
    });
    expect(answer.headers.get("content-type")).toContain("application/json");
    const pieces = (await answer.json()) as GenerateContentResponse[];
    const text = pieces
      .flatMap((piece) => piece.candidates?.[0]?.content?.parts ?? [])
      .map((part) => part.text ?? "")
      .join("");
    expect(text).toBe("one two three");
    expect(pieces.at(-1)?.usageMetadata?.totalTokenCount).toBeGreaterThan(0);
  });

  test("the library's chat keeps the conversation", async () => {
    const chat = scene.client.chats.create({ model });
    plan({ text: "Hello Ada." }, { text: "Ada." });
    for await (const piece of await chat.sendMessageStream({ message: "I am Ada." }))
      expect(piece.candidates?.length).toBeGreaterThan(0);
    expect((await chat.sendMessage({ message: "Who am I?" })).text).toBe("Ada.");
    expect(scene.upstream.requests).toHaveLength(2);
    const words = scene.upstream.requests[1]?.body.toString() ?? "";
    for (const word of name === "gemini" ? ["He", "ll", "Ad"] : ["Hello Ada."]) expect(words).toContain(word);
  });
});

describe("what Gemini alone offers", () => {
  let scene: Scene;
  const models = ["gemini-3-flash-preview", "gemini-embedding-001", "imagen-4.0-generate-001"];
  beforeEach(async () => {
    scene = await openScene("gemini", 24, models);
  });
  afterEach(() => closeScene(scene));

  test("tokens are counted by the upstream", async () => {
    const { totalTokens } = await scene.client.models.countTokens({
      model: "gemini-3-flash-preview",
      contents: "hello",
    });
    expect(totalTokens).toBeGreaterThan(0);
  });

  test("several texts are embedded in one call", async () => {
    const { embeddings } = await scene.client.models.embedContent({
      model: "gemini-embedding-001",
      contents: ["a", "b"],
      config: { outputDimensionality: 3 },
    });
    expect(embeddings?.map(({ values }) => values?.length)).toEqual([3, 3]);
  });

  test("a refused prompt is an answer, not an error", async () => {
    const blocked = {
      promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
      usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 },
    };
    scene.upstream.next({ rawBody: JSON.stringify(blocked) });
    const answer = await scene.client.models.generateContent({ model: "gemini-3-flash-preview", contents: "hi" });
    expect(answer.promptFeedback?.blockReason).toBe("PROHIBITED_CONTENT");
  });

  test("what the client sent arrives as it was, with the channel's key and no other", async () => {
    await scene.client.models.generateContent({
      model: "gemini-3-flash-preview",
      contents: "hi",
      config: { safetySettings: [], tools: [{ urlContext: {} }], seed: 7 },
    });
    const [seen] = scene.upstream.requests;
    expect(seen?.headers["x-goog-api-key"]).toBe("upstream-secret");
    expect(seen?.json).toMatchObject({ tools: [{ urlContext: {} }], generationConfig: { seed: 7 } });
    expect(JSON.stringify(seen?.headers)).not.toContain(TEST_KEY);
  });

  test("the list of models is the token's", async () => {
    const names: (string | undefined)[] = [];
    for await (const model of await scene.client.models.list()) names.push(model.name);
    expect(names.toSorted()).toEqual(models.map((name) => `models/${name}`).toSorted());
  });
});
