/** Coze by its documentation: its agent, turns and files, usage, and failures inside answers of status 200. */
import { describe, expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { type NeutralEvent, type NeutralRequest, TranslationFault } from "../dialects/neutral/neutral.ts";
import type { SendTools, SideRequest } from "./outgoing.ts";
import { ProviderFault } from "./provider-fault.ts";
import { coze } from "./coze.ts";

const { beforeSend, failed, failure, format, headers, manifest, url } = documentedProvider(coze);
const CHANNEL = { baseUrl: "https://api.coze.cn", key: "pat_1", other: "7339", openaiOrganization: "" };
const CALL = { operation: "chat", dialect: "vendor", path: "", model: "m", isStream: true, headers: {} } as const;
const own = format(CHANNEL, "m");

const text = (words: string) => ({ kind: "text", text: words }) as const;

function encoded(changes: Partial<NeutralRequest>) {
  const warnings: string[] = [];
  const messages = [{ role: "user", parts: [text("hi")] }] as const;
  const request = { model: "m", isStream: false, system: [], messages, tools: [], unknownFields: [], ...changes };
  return { fields: own.encodeRequest(request, (field) => void warnings.push(field)), warnings };
}

function decoded(events: readonly (readonly [event: string, data: object])[]): NeutralEvent[] {
  const decoder = own.createDecoder();
  return events.flatMap(([event, data]) => [...decoder.push(event, JSON.stringify(data))]);
}

test("calls go to version 3 with the key; an agent's id is digits", () => {
  expect(url("")).toBe("https://api.coze.cn/v3/chat");
  expect(headers()).toBe("authorization Bearer key-of-the-test");
  const { pattern = "" } = manifest.fields.find(({ name }) => name === "other") ?? {};
  expect(["7339912345678901234", "my-agent", ""].map((id) => new RegExp(pattern).test(id))).toEqual([
    true,
    false,
    false,
  ]);
});

describe("a request", () => {
  test("names the agent and the user, streams, and keeps nothing at the vendor's", () => {
    expect(encoded({ user: "u-1" }).fields).toEqual({
      bot_id: "7339",
      user_id: "u-1",
      stream: true,
      auto_save_history: false,
      additional_messages: [{ role: "user", type: "question", content: "hi", content_type: "text" }],
    });
  });

  test("has every turn, and instructions as text of the user, with a warning", () => {
    const { fields, warnings } = encoded({
      system: [text("be brief")],
      messages: [
        { role: "user", parts: [text("one")] },
        { role: "assistant", parts: [text("two")] },
        { role: "user", parts: [text("three")] },
      ],
    });
    const said = fields["additional_messages"] as { role: string; type: string; content: string }[];
    expect(said.map(({ role, type, content }) => [role, type, content])).toEqual([
      ["user", "question", "be brief"],
      ["user", "question", "one"],
      ["assistant", "answer", "two"],
      ["user", "question", "three"],
    ]);
    expect(warnings).toEqual(["messages"]);
  });

  test.each([
    [{ tools: [{ kind: "function", name: "f", parameters: {} }] }, "tools"],
    [{ responseFormat: { kind: "json" } }, "response_format"],
    [{ choices: 2 }, "n"],
  ] as const)("for %j is refused by its field", (changes, field) => {
    const ask = () => encoded(changes);
    expect(ask).toThrow(TranslationFault);
    expect(ask).toThrow(expect.objectContaining({ param: field }));
  });
});

describe("the last step", () => {
  const asked: SideRequest[] = [];
  const toolsThat = (answer: object): SendTools => ({
    nowMs: 0,
    ask: (request) => {
      asked.push(request);
      return Promise.resolve({ status: 200, text: JSON.stringify(answer), fields: { ...answer } });
    },
    accessToken: () => Promise.reject(new Error("no token is needed")),
  });
  const parts = [
    text("what is it"),
    { kind: "image", source: { kind: "base64", mimeType: "image/png", data: "aGk=" } },
  ];
  const send = (changes: Partial<NeutralRequest>, tools: SendTools) => {
    const body = Buffer.from(JSON.stringify(encoded(changes).fields));
    return beforeSend({ method: "POST", url: "https://api.coze.cn/v3/chat", headers: [], body }, CHANNEL, CALL, tools);
  };
  const shown = { messages: [{ role: "user", parts }] } as unknown as Partial<NeutralRequest>;

  test("uploads a picture and puts its id into the text of the parts", async () => {
    const sent = await send(shown, toolsThat({ code: 0, data: { id: "f-1" } }));
    const [message] = (JSON.parse(sent.body.toString()) as { additional_messages: { content: string }[] })
      .additional_messages;
    expect(message).toMatchObject({ content_type: "object_string" });
    expect(JSON.parse(message?.content ?? "")).toEqual([
      { type: "text", text: "what is it" },
      { type: "image", file_id: "f-1" },
    ]);
    expect(asked.splice(0).map((request) => request.url)).toEqual(["https://api.coze.cn/v1/files/upload"]);
  });

  test("gives calls without a user one of their own", async () => {
    const sent = await send({}, toolsThat({}));
    expect((JSON.parse(sent.body.toString()) as { user_id: string }).user_id).toMatch(/^turnpike-[\w-]{36}$/);
  });

  test("says why a picture was not accepted", async () => {
    const refusal = await Promise.resolve(
      send(shown, toolsThat({ code: 4100, msg: "authentication is invalid" })),
    ).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ProviderFault);
    expect(refusal).toMatchObject({ failure: { kind: "auth", isRetryable: true } });
  });
});

describe("an answer", () => {
  const chat = { id: "chat-1", conversation_id: "c-1" };

  test("that came in one piece is given once, and what only belongs to it not at all", () => {
    const events = decoded([
      ["conversation.chat.created", chat],
      ["conversation.message.completed", { chat_id: "chat-1", type: "function_call", content: "{}" }],
      ["conversation.message.completed", { chat_id: "chat-1", type: "answer", content: "all of it" }],
      ["conversation.message.completed", { chat_id: "chat-1", type: "follow_up", content: "more?" }],
      ["conversation.chat.completed", { ...chat, usage: { token_count: 9 } }],
    ]);
    expect(events).toEqual([
      { kind: "start", id: "chat-1" },
      { kind: "text", choice: 0, text: "all of it" },
      { kind: "finish", choice: 0, reason: "stop" },
      { kind: "end" },
    ]);
  });

  test("reports cached and reasoning tokens if the vendor does", () => {
    const usage = {
      input_count: 100,
      output_count: 20,
      token_count: 120,
      input_tokens_details: { cached_tokens: 64 },
      output_tokens_details: { reasoning_tokens: 8 },
    };
    const raw = decoded([["conversation.chat.completed", { ...chat, usage }]]).find(({ kind }) => kind === "usage");
    expect(own.normaliseUsage((raw as { raw: unknown }).raw)?.usage).toMatchObject({
      inputTokens: 100,
      outputTokens: 20,
      cacheReadTokens: 64,
      reasoningTokens: 8,
    });
  });

  test("is none where its body has a code", () => {
    expect([{ code: 4100, msg: "no" }, { code: 0 }, {}].map((body) => own.isErrorBody(body))).toEqual([
      true,
      false,
      false,
    ]);
  });
});

test.each([
  ["200-key", "auth", 401],
  ["200-permission", "auth", 401],
  ["200-credits", "quota", 402],
  ["200-free", "quota", 402],
  ["200-rate", "rate", 429],
  ["200-parameter", "invalid", 400],
  ["200-unpublished", "overloaded", 503],
  ["200-internal", "overloaded", 503],
])("the failure %s is of the kind %s, as status %i", (name, kind, status) => {
  expect(failed(`${name}.json`)).toMatchObject({ kind, status, isRetryable: kind !== "invalid" });
});

test("an agent that waits for a tool's result, and codes that no page names, are failures too", () => {
  const waiting = { id: "chat-1", status: "requires_action", required_action: {} };
  expect(decoded([["conversation.chat.requires_action", waiting]])[1]).toMatchObject({ kind: "error" });
  expect(failure(200, JSON.stringify(waiting))).toMatchObject({ kind: "invalid", code: "requires_action" });
  expect(failure(200, '{"code":4299,"msg":"?"}')).toMatchObject({ kind: "invalid", status: 400 });
  expect(failure(200, '{"code":717990002,"msg":"?"}')).toMatchObject({ kind: "overloaded", status: 503 });
});
