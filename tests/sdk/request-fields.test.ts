/** Nothing that the official libraries can send is lost silently: with every other vendor it is translated, warned of, or refused by its name. */
import { GoogleGenAI } from "@google/genai";
import { describe, expect, test } from "vitest";
import { type DialectName, type JsonObject, TranslationFault } from "../../server/src/dialects/neutral/neutral.ts";
import { operationBridge } from "../../server/src/dialects/neutral/operation-codec.ts";
import { DIALECTS } from "../../server/src/dialects/registry.ts";
import { startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import {
  CHAT_FIELDS,
  CHAT_PARTS,
  CHAT_TOOL_TYPES,
  CLAUDE_BLOCKS,
  CLAUDE_FIELDS,
  CLAUDE_TOOL_TYPES,
  GEMINI_FIELDS,
  GEMINI_IMAGES_FIELDS,
  GEMINI_PARTS,
  GEMINI_TOOLS,
  RESPONSE_FIELDS,
  RESPONSE_ITEMS,
  RESPONSE_TOOL_TYPES,
  type Sample,
} from "./request-fields.ts";
import { BASES, QUESTION, type Translation, expectNothingLost } from "./translation-fate.ts";

/** The tool, or all of them where it is one beside others that a model cannot have. */
const A_TOOL = /^tools(?:\[0\]|$)/;

/** Fields without effect for the caller: how the line answers, and headers of the library. */
const WITHOUT_MEANING: Readonly<Partial<Record<DialectName, readonly string[]>>> = {
  // The line itself follows them: usage frames, and padding that no other vendor adds.
  "openai-chat": ["stream_options"],
  "openai-responses": ["stream_options"],
  // Sent as headers.
  "anthropic-messages": ["betas", "user_profile_id", "workspace_id"],
};

const isMeant = (from: DialectName, field: string): boolean => WITHOUT_MEANING[from]?.includes(field) !== true;

function fieldTests(from: keyof typeof BASES, samples: Readonly<Record<string, Sample>>): void {
  const names = Object.keys(samples).filter((field) => isMeant(from, field));
  test.each(names)(`${from}: the field %s`, (field) => {
    const { value, with: besides = {} } = samples[field] as Sample;
    const plain = { ...BASES[from], ...besides };
    expectNothingLost(from, plain, { ...plain, [field]: value }, new RegExp(`^${field}`));
  });
}

fieldTests("openai-chat", CHAT_FIELDS);
fieldTests("openai-responses", RESPONSE_FIELDS);
fieldTests("anthropic-messages", CLAUDE_FIELDS);

test.each(Object.keys(CHAT_PARTS))("openai-chat: a part of type %s", (type) => {
  const part = CHAT_PARTS[type as keyof typeof CHAT_PARTS].value;
  const messages = (parts: unknown[]) => [{ role: "user", content: [{ type: "text", text: "hi" }, ...parts] }];
  const plain = { ...BASES["openai-chat"], messages: messages([]) };
  expectNothingLost("openai-chat", plain, { ...plain, messages: messages([part]) }, /^messages/);
});

test.each(Object.keys(CHAT_TOOL_TYPES))("openai-chat: a tool of type %s", (type) => {
  const tool = CHAT_TOOL_TYPES[type as keyof typeof CHAT_TOOL_TYPES].value;
  const plain = BASES["openai-chat"];
  expectNothingLost("openai-chat", plain, { ...plain, tools: [tool] }, A_TOOL);
});

test.each(Object.keys(RESPONSE_TOOL_TYPES))("openai-responses: a tool of type %s", (type) => {
  const tool = RESPONSE_TOOL_TYPES[type as keyof typeof RESPONSE_TOOL_TYPES].value;
  const plain = BASES["openai-responses"];
  expectNothingLost("openai-responses", plain, { ...plain, tools: [tool] }, A_TOOL);
});

test.each(Object.keys(RESPONSE_ITEMS))("openai-responses: an item of type %s", (type) => {
  const item = RESPONSE_ITEMS[type as keyof typeof RESPONSE_ITEMS].value;
  const call = { type: "function_call", call_id: "own", name: "f", arguments: "{}" };
  const answered = [...QUESTION, call, { type: "function_call_output", call_id: "own", output: "1" }];
  const isOutput = type.endsWith("_output") && (item as { call_id?: string }).call_id === "own";
  const plain = { ...BASES["openai-responses"], input: isOutput ? answered : answered };
  const input = isOutput ? [...QUESTION, call, item] : [...answered, item];
  expectNothingLost("openai-responses", plain, { ...plain, input }, /^input/);
});

const BLOCKS_OF_THE_MODEL = /^(?:thinking|redacted_thinking|tool_use|server_tool_use|\w+_tool_result)$/;

test.each(Object.keys(CLAUDE_BLOCKS))("anthropic-messages: a block of type %s", (type) => {
  const block = CLAUDE_BLOCKS[type as keyof typeof CLAUDE_BLOCKS].value;
  const call = { type: "tool_use", id: "own", name: "f", input: {} };
  const isModels = BLOCKS_OF_THE_MODEL.test(type);
  const messages = (said: unknown[], given: unknown[]) => [
    ...QUESTION,
    { role: "assistant", content: [...said, call] },
    { role: "user", content: given },
  ];
  const result = { type: "tool_result", tool_use_id: "own", content: "1" };
  const base = BASES["anthropic-messages"];
  const full =
    type === "tool_result"
      ? messages([], [block])
      : messages(isModels ? [block] : [], isModels ? [result] : [result, block]);
  expectNothingLost(
    "anthropic-messages",
    { ...base, messages: messages([], [result]) },
    { ...base, messages: full },
    /^messages/,
  );
});

test.each(Object.keys(CLAUDE_TOOL_TYPES))("anthropic-messages: a tool of type %s", (type) => {
  const tool = CLAUDE_TOOL_TYPES[type as keyof typeof CLAUDE_TOOL_TYPES].value;
  const plain = BASES["anthropic-messages"];
  expectNothingLost("anthropic-messages", plain, { ...plain, tools: [tool] }, A_TOOL);
});

/** Settings of Google's library that it never sends, or that it refuses itself outside Vertex. */
const OF_THE_LIBRARY: ReadonlySet<string> = new Set([
  "httpOptions",
  "abortSignal",
  "automaticFunctionCalling",
  "automaticContinuation",
]);

const askGemini = (client: GoogleGenAI, config: Record<string, unknown>): Promise<unknown> =>
  client.models.generateContent({ model: "gemini-2.5-flash", contents: "hi", config });

/** Pictures, which the library asks for at Google's enterprise platform alone. */
const askImagen = (client: GoogleGenAI, config: Record<string, unknown>): Promise<unknown> =>
  client.models.generateImages({ model: "imagen-4.0-generate-001", prompt: "a cat", config });

/** Google's call for pictures as OpenAI gets it. Throws TranslationFault. */
function translatedPictures(fields: JsonObject): Translation {
  const warnings: string[] = [];
  const bridge = operationBridge("images", DIALECTS.gemini, DIALECTS["openai-chat"]);
  const path = { model: "asked", isStream: false };
  const call = bridge?.begin(fields, path, "gpt-image-2", (field) => void warnings.push(field));
  return { text: JSON.stringify(call?.fields), warnings };
}

/** The request as Google's library writes it; undefined where it refuses the setting. */
async function geminiRequest(
  config: Record<string, unknown>,
  ask: (client: GoogleGenAI, config: Record<string, unknown>) => Promise<unknown> = askGemini,
): Promise<JsonObject | undefined> {
  const upstream = await startFakeUpstream({ validates: false });
  try {
    const vertexai = ask !== askGemini;
    await ask(new GoogleGenAI({ vertexai, apiKey: "key", httpOptions: { baseUrl: upstream.url } }), config);
    return upstream.requests[0]?.json;
  } catch (error) {
    if (String(error).includes("only supported in")) return undefined;
    throw error;
  } finally {
    await upstream.close();
  }
}

describe("gemini, as Google's library writes it", () => {
  test.each(Object.keys(GEMINI_FIELDS).filter((name) => !OF_THE_LIBRARY.has(name)))("the setting %s", async (name) => {
    const { value, with: besides = {} } = GEMINI_FIELDS[name as keyof typeof GEMINI_FIELDS];
    const [plain, full] = [await geminiRequest(besides), await geminiRequest({ ...besides, [name]: value })];
    if (plain === undefined || full === undefined) return;
    expect(full).not.toEqual(plain);
    expectNothingLost("gemini", plain, full, new RegExp(`(?:^|\\.)${name}`));
  });

  test.each(Object.keys(GEMINI_IMAGES_FIELDS).filter((name) => !OF_THE_LIBRARY.has(name)))(
    "the setting %s of pictures",
    async (name) => {
      const { value, with: besides = {} } = GEMINI_IMAGES_FIELDS[name as keyof typeof GEMINI_IMAGES_FIELDS];
      const plain = (await geminiRequest(besides, askImagen)) ?? {};
      const full = (await geminiRequest({ ...besides, [name]: value }, askImagen)) ?? {};
      expect(full).not.toEqual(plain);
      const before = translatedPictures(plain);
      try {
        const after = translatedPictures(full);
        expect(after.text !== before.text || after.warnings.length > before.warnings.length).toBe(true);
      } catch (error) {
        if (!(error instanceof TranslationFault)) throw error;
        expect(error.param).toMatch(/^parameters\.(?:storageUri|negativePrompt)$/);
      }
    },
  );

  const contents = [{ role: "user", parts: [{ text: "hi" }] }];

  test.each(Object.keys(GEMINI_PARTS))("a part with %s", (name) => {
    const part = GEMINI_PARTS[name as keyof typeof GEMINI_PARTS].value;
    const call = { role: "model", parts: [{ functionCall: { id: "own", name: "f", args: {} } }] };
    const result = { functionResponse: { id: "own", name: "f", response: { output: "1" } } };
    const given = (parts: unknown[]) => ({ contents: [...contents, call, { role: "user", parts }] });
    const isModels = /^(?:thought|functionCall|executableCode|codeExecution|toolCall)/.test(name);
    if (isModels) {
      const said = (parts: unknown[]) => ({
        contents: [...contents, { role: "model", parts: [{ text: "so" }, ...parts] }],
      });
      return expectNothingLost("gemini", said([]), said([part]), /^contents/);
    }
    const full = name === "functionResponse" ? given([part]) : given([result, part]);
    expectNothingLost("gemini", given([result]), full, /^contents/);
  });

  test.each(Object.keys(GEMINI_TOOLS))("a tool with %s", (name) => {
    const tool = GEMINI_TOOLS[name as keyof typeof GEMINI_TOOLS].value;
    expectNothingLost("gemini", { contents }, { contents, tools: [tool] }, A_TOOL);
  });
});
