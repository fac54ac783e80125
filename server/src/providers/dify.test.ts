/** Dify by its documentation: three kinds of apps, their requests and answers, files, and failures. */
import { describe, expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { type NeutralEvent, type NeutralRequest, TranslationFault } from "../dialects/neutral/neutral.ts";
import type { SendTools, SideRequest } from "./outgoing.ts";
import { ProviderFault } from "./provider-fault.ts";
import { dify } from "./dify.ts";

const { beforeSend, endpoint, failed, failure, format } = documentedProvider(dify);
const channel = (other: string, baseUrl = "https://dify.example") => ({
  baseUrl,
  key: "app-1",
  other,
  openaiOrganization: "",
});
const CALL = { operation: "chat", dialect: "vendor", path: "", model: "m", isStream: true, headers: {} } as const;

const text = (words: string) => ({ kind: "text", text: words }) as const;
const picture = { kind: "image", source: { kind: "base64", mimeType: "image/png", data: "aGk=" } } as const;

function encoded(other: string, changes: Partial<NeutralRequest>) {
  const warnings: string[] = [];
  const request: NeutralRequest = {
    model: "m",
    isStream: false,
    system: [],
    messages: [{ role: "user", parts: [text("hi")] }],
    tools: [],
    unknownFields: [],
    ...changes,
  };
  const fields = format(channel(other), "m").encodeRequest(request, (field) => void warnings.push(field));
  return { fields, warnings };
}

function decoded(other: string, events: readonly object[]): NeutralEvent[] {
  const decoder = format(channel(other), "m").createDecoder();
  return events.flatMap((event) => [...decoder.push("", JSON.stringify(event))]);
}

test.each([
  ["chat", "https://dify.example", "https://dify.example/v1/chat-messages"],
  ["completion", "https://dify.example/", "https://dify.example/v1/completion-messages"],
  ["workflow", "https://dify.example/v1", "https://dify.example/v1/workflows/run"],
  ["", "https://dify.example", "https://dify.example/v1/chat-messages"],
])("an app of the kind %s at %s is asked at %s", (other, baseUrl, url) => {
  expect(endpoint(channel(other, baseUrl), CALL)).toEqual({ url, headers: ["authorization", "Bearer app-1"] });
});

describe("a request", () => {
  test("is a question to a chat, and a variable to the others", () => {
    const base = { response_mode: "streaming", user: "u-1" };
    expect(encoded("chat", { user: "u-1" }).fields).toEqual({
      inputs: {},
      query: "hi",
      auto_generate_name: false,
      ...base,
    });
    for (const other of ["completion", "workflow"])
      expect(encoded(other, { user: "u-1" }).fields).toEqual({ inputs: { query: "hi" }, ...base });
  });

  test("has every turn after its role if there is more than one", () => {
    const { fields } = encoded("chat", {
      system: [text("be brief")],
      messages: [
        { role: "user", parts: [text("one")] },
        { role: "assistant", parts: [text("two")] },
        { role: "user", parts: [text("three")] },
      ],
    });
    expect(fields["query"]).toBe("SYSTEM:\nbe brief\n\nUSER:\none\n\nASSISTANT:\ntwo\n\nUSER:\nthree");
  });

  test("warns of settings that are the app's own", () => {
    expect(encoded("chat", { maxTokens: 5, temperature: 0, stop: ["x"] }).warnings).toEqual([
      "max_tokens",
      "temperature",
      "stop",
    ]);
  });

  test.each([
    ["chat", { tools: [{ kind: "function", name: "f", parameters: {} }] }, "tools"],
    ["chat", { responseFormat: { kind: "json" } }, "response_format"],
    ["chat", { choices: 2 }, "n"],
    [
      "chat",
      { messages: [{ role: "user", parts: [{ kind: "tool_result", id: "1", parts: [text("sunny")] }] }] },
      "messages",
    ],
    ["workflow", { messages: [{ role: "user", parts: [text("what is it"), picture] }] }, "messages"],
  ] as const)("to a %s app that asks for %j is refused by its field", (other, changes, field) => {
    const ask = () => encoded(other, changes as unknown as Partial<NeutralRequest>);
    expect(ask).toThrow(TranslationFault);
    expect(ask).toThrow(expect.objectContaining({ param: field }));
  });
});

describe("an answer", () => {
  test("of a workflow that streamed nothing is its output", () => {
    const end = (outputs: object) => ({
      event: "workflow_finished",
      workflow_run_id: "run-1",
      data: { status: "succeeded", outputs, total_tokens: 150 },
    });
    const textIn = (outputs: object) =>
      decoded("workflow", [end(outputs)]).flatMap((event) => (event.kind === "text" ? [event.text] : []));
    expect(textIn({ summary: "short" })).toEqual(["short"]);
    expect(textIn({ score: 3, text: "short" })).toEqual(["short"]);
    expect(textIn({ score: 3, tags: ["a"] })).toEqual(['{"score":3,"tags":["a"]}']);
    expect(decoded("workflow", [end({ summary: "short" })]).map(({ kind }) => kind)).toEqual([
      "start",
      "text",
      "finish",
      "end",
    ]);
  });

  test("of a workflow that streamed its text is that text alone", () => {
    const events = decoded("workflow", [
      { event: "workflow_started", workflow_run_id: "run-1", data: {} },
      { event: "text_chunk", workflow_run_id: "run-1", data: { text: "Bon" } },
      { event: "text_chunk", workflow_run_id: "run-1", data: { text: "jour" } },
      {
        event: "workflow_finished",
        workflow_run_id: "run-1",
        data: { status: "succeeded", outputs: { r: "Bonjour" } },
      },
    ]);
    expect(events.flatMap((event) => (event.kind === "text" ? [event.text] : []))).toEqual(["Bon", "jour"]);
    expect(events[0]).toEqual({ kind: "start", id: "run-1" });
  });

  test("that moderation took back ends as filtered, and an agent's steps are left out", () => {
    const events = decoded("chat", [
      { event: "agent_thought", message_id: "1", thought: "look it up", tool: "search" },
      { event: "message_replace", message_id: "1", answer: "I cannot say that." },
      { event: "message_end", message_id: "1", metadata: { usage: { total_tokens: 9 } } },
    ]);
    expect(events.slice(1)).toEqual([
      { kind: "text", choice: 0, text: "I cannot say that." },
      { kind: "finish", choice: 0, reason: "content_filter" },
      { kind: "end" },
    ]);
  });

  test("has the app's pictures, also where their address lacks its host", () => {
    const file = {
      event: "message_file",
      message_id: "1",
      type: "image",
      belongs_to: "assistant",
      url: "/files/cat.png",
    };
    expect(decoded("chat", [file]).at(-1)).toEqual({
      kind: "image",
      choice: 0,
      source: { kind: "url", url: "https://dify.example/files/cat.png" },
    });
    expect(decoded("chat", [{ ...file, belongs_to: "user" }])).toEqual([]);
  });
});

describe("the last step", () => {
  const asked: SideRequest[] = [];
  const toolsThat = (answer: { status: number; text: string }): SendTools => ({
    nowMs: 0,
    ask: (request) => {
      asked.push(request);
      return Promise.resolve({ ...answer, fields: JSON.parse(answer.text) as Record<string, unknown> });
    },
    accessToken: () => Promise.reject(new Error("no token is needed")),
  });
  const send = (fields: object, tools: SendTools) =>
    beforeSend(
      {
        method: "POST",
        url: "https://dify.example/v1/chat-messages",
        headers: [],
        body: Buffer.from(JSON.stringify(fields)),
      },
      channel("chat"),
      CALL,
      tools,
    );
  const file = { type: "image", transfer_method: "local_file", data: "aGk=", mime_type: "image/jpeg", name: 'a"b.jpg' };

  test("uploads a file for the same user and names it by its id", async () => {
    const sent = await send({ user: "u-1", files: [file] }, toolsThat({ status: 201, text: '{"id":"f-1"}' }));
    expect(JSON.parse(sent.body.toString())).toEqual({
      user: "u-1",
      files: [{ type: "image", transfer_method: "local_file", upload_file_id: "f-1" }],
    });
    const [upload] = asked.splice(0);
    expect(upload?.url).toBe("https://dify.example/v1/files/upload");
    const body = String(upload?.body);
    expect(body).toContain('name="user"\r\n\r\nu-1\r\n');
    expect(body).toContain('name="file"; filename="a_b.jpg"\r\ncontent-type: image/jpeg\r\n\r\nhi\r\n');
  });

  test("gives each call without a user one of its own", async () => {
    const tools = toolsThat({ status: 201, text: "{}" });
    const users = await Promise.all(
      [1, 2].map(async () => (JSON.parse((await send({ user: "" }, tools)).body.toString()) as { user: string }).user),
    );
    expect(users.every((user) => user.startsWith("turnpike-"))).toBe(true);
    expect(new Set(users).size).toBe(2);
  });

  test("says why a file was not accepted", async () => {
    const text = '{"status":413,"code":"file_too_large","message":"File size exceeded."}';
    const refusal = await Promise.resolve(send({ user: "u", files: [file] }, toolsThat({ status: 413, text }))).catch(
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(ProviderFault);
    expect(refusal).toMatchObject({ failure: { kind: "invalid", status: 413, isRetryable: false } });
  });
});

test.each([
  ["401-unauthorized", "auth", true],
  ["400-not-initialized", "auth", true],
  ["400-provider-quota", "quota", true],
  ["400-app-unavailable", "overloaded", true],
  ["400-not-chat-app", "overloaded", true],
  ["400-invalid-param", "invalid", false],
  ["429-busy", "rate", true],
  ["429-rate", "rate", true],
  ["500-server", "overloaded", true],
])("the failure %s is of the kind %s", (name, kind, isRetryable) => {
  expect(failed(`${name}.json`)).toMatchObject({ kind, isRetryable });
});

test("a workflow that failed, or waits for a human, says so in its last event", () => {
  const end = { event: "workflow_finished", data: { status: "failed", error: "node LLM: no quota" } };
  expect(decoded("workflow", [end])[1]).toEqual({ kind: "error", text: JSON.stringify(end) });
  expect(failure(200, JSON.stringify(end))).toMatchObject({ kind: "overloaded", message: "node LLM: no quota" });
  const paused = { event: "workflow_paused", data: { status: "paused" } };
  expect(failure(200, JSON.stringify(paused))).toMatchObject({ kind: "invalid", code: "workflow_paused" });
});
