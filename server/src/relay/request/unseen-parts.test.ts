/** Tests of unseen parts: found in every format, in any spelling, and seen parts are not taken for them. */
import { expect, test } from "vitest";
import {
  CHAT,
  GENERATE,
  WINDOW,
  address,
  asItem,
  chat,
  claude,
  gemini,
  heldScene,
  imageUrl,
  inline,
  response,
  tools,
  withParts,
  words,
} from "../../../../tests/support/relay/held.ts";

const scene = heldScene();

const TOOL = {
  type: "function",
  function: { name: "open", parameters: { type: "object", properties: { file_id: { type: "string" } } } },
};

/** Two characters and four digits, as a program writes a character that it escapes. */
const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
const AS_JSON = { responseMimeType: "application/json", maxOutputTokens: 10 };

test.each([
  ["a stored response", "/v1/responses", response({ previous_response_id: "resp_1" })],
  ["a conversation", "/v1/responses", response({ conversation: { id: "conv_1" } })],
  ["a stored prompt", "/v1/responses", response({ prompt: { id: "pmpt_1" } })],
  ["an item by its id", "/v1/responses", response({ input: [{ type: "item_reference", id: "msg_1" }] })],
  ["an item that is only an id", "/v1/responses", response({ input: [{ id: "msg_1" }] })],
  [
    "a tool that reads for the model",
    "/v1/responses",
    response({ tools: [{ type: "mcp", server_url: "https://a.example" }] }),
  ],
  ["a file by its id", CHAT, chat("gpt-4o", { messages: withParts({ type: "file", file: { file_id: "file-1" } }) })],
  [
    "a file of content that is no list",
    CHAT,
    chat("gpt-4o", { messages: [{ role: "user", content: { type: "file", file: { file_id: "file-1" } } }] }),
  ],
  [
    "a document of content that is no list",
    "/v1/messages",
    claude([], { messages: [{ role: "user", content: { type: "document", source: { type: "url", url: "u" } } }] }),
  ],
  ["an entry that is no list", "/v1/responses", response({ input: { type: "input_file", file_url: "u" } })],
  ["messages that are no list", CHAT, chat("gpt-4o", { messages: { role: "user", content: { type: "file" } } })],
  ["a search of OpenRouter's", CHAT, chat("gpt-4o", { plugins: [{ id: "web" }] })],
  ["a tool of OpenRouter's", "/v1/responses", response({ tools: [{ type: "openrouter:web_fetch" }] })],
  ["a file named in words", CHAT, chat("gpt-4o", { messages: [{ role: "system", content: "fileid://file-1" }] })],
  [
    "a film by its address",
    CHAT,
    chat("gpt-4o", { messages: withParts({ type: "video_url", video_url: { url: "https://a.example/b.mp4" } }) }),
  ],
  [
    "a document",
    "/v1/messages",
    claude([{ type: "document", source: { type: "url", url: "https://a.example/b.pdf" } }]),
  ],
  [
    "a search of Anthropic",
    "/v1/messages",
    claude([{ type: "text", text: "hello" }], { tools: [{ type: "web_fetch_20250910", name: "web_fetch" }] }),
  ],
  ["a file of Google", GENERATE, gemini({ fileData: { fileUri: "https://a.example/b" } })],
  ["a cached context", GENERATE, gemini({ text: "hello" }, { cachedContent: "cachedContents/1" })],
  ["a film of Google", GENERATE, gemini(inline("Video/mp4"))],
  ["a document in a picture's place", CHAT, chat("gpt-4o", { messages: withParts(imageUrl("data:application/pdf")) })],
  ["a film in a picture's place", CHAT, chat("gpt-4o", { messages: withParts(imageUrl("DATA:video/mp4")) })],
  ["a file of Google's store in a picture's place", CHAT, chat("gpt-4o", { messages: withParts(address("gs://a/b")) })],
  [
    "a document in the place of a picture of Responses",
    "/v1/responses",
    response({ input: asItem({ type: "input_image", image_url: "data:text/plain;base64,aGVsbG8=" }) }),
  ],
  [
    "a document in the place of a picture of Messages",
    "/v1/messages",
    claude([{ type: "image", source: { type: "base64", media_type: "application/pdf", data: "aGVsbG8=" } }]),
  ],
  ["thoughts by their id", "/v1/responses", response({ input: [{ type: "reasoning", id: "rs_1", summary: [] }] })],
  ["a picture by its id", "/v1/responses", response({ input: [{ type: "image_generation_call", id: "ig_1" }] })],
  [
    "an item with fields of nothing",
    "/v1/responses",
    response({ input: [{ id: "msg_1", status: null, content: [] }] }),
  ],
  ["an item alone", "/v1/responses", response({ input: { id: "msg_1", role: "user" } })],
  [
    "a spoken answer by its id",
    CHAT,
    chat("gpt-4o", { messages: [...words, { role: "assistant", audio: { id: "audio_1" } }] }),
  ],
  [
    "a tool that an item of the input brings",
    "/v1/responses",
    response({ input: [{ type: "additional_tools", tools: [{ type: "mcp", server_url: "https://a.example" }] }] }),
  ],
  ["a tool that is no list", CHAT, chat("gpt-4o", { tools: { type: "web_search" } })],
  ["a model that searches unasked", CHAT, chat("sonar-deep-research")],
])("%s is held for as the whole context window", async (_name, path, body) => {
  const quota = await scene.heldFor(path, body);
  expect(quota).toBeGreaterThanOrEqual(WINDOW + 10);
  expect(quota).toBeLessThan(WINDOW * 1.3);
});

test.each([
  ["words", CHAT, chat("gpt-4o")],
  [
    "words about files",
    CHAT,
    chat("gpt-4o", { messages: [{ role: "user", content: 'what is "file_id", and "document"?' }] }),
  ],
  ["a client's own tool that takes files", CHAT, chat("gpt-4o", { tools: [TOOL] })],
  ["fields that say no", "/v1/responses", response({ previous_response_id: null, conversation: null })],
  [
    "what agents send back, with its ids",
    "/v1/responses",
    response({
      input: [
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" },
        { type: "function_call", id: "fc_1", call_id: "call_1", name: "open", arguments: "" },
        { type: "function_call_output", id: "fo_1", call_id: "call_1", output: "done" },
        { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "so" }] },
      ],
    }),
  ],
  ["empty lists of servers", "/v1/messages", claude([{ type: "text", text: "hello" }], { mcp_servers: [] })],
  ["an answer in JSON", GENERATE, gemini({ text: "hello" }, { generationConfig: AS_JSON })],
  ["functions of Google", GENERATE, gemini({ text: "hello" }, { tools: [{ functionDeclarations: [{ name: "a" }] }] })],
])("of %s all is seen", async (_name, path, body) => {
  expect(await scene.heldFor(path, body)).toBeLessThan(200);
});

test.each([
  [
    CHAT,
    "gpt-4o",
    "web_search builtin_function retrieval x_search web_extractor browser_search code_interpreter brand_new",
  ],
  [
    "/v1/responses",
    "gpt-4o",
    "web_search_preview file_search mcp code_interpreter shell programmatic_tool_calling x_search code_execution collections_search image_search knowledge_search brand_new",
  ],
  [
    "/v1/messages",
    "claude-sonnet-4-5",
    "web_search_20250305 web_fetch_20250910 code_execution_20250825 advisor_20260301 mcp_toolset web_fetch x",
  ],
] as const)(
  "whatever tool the vendor runs at %s, %s may read as much as its window has",
  async (path, model, types) => {
    for (const type of types.split(" ")) {
      const tool = { type, name: "a", environment: { type: "container_auto" } };
      const body = { model, messages: words, input: "hello", max_tokens: 10, max_output_tokens: 10, stream: true };
      expect([type, (await scene.heldFor(path, { ...body, tools: [TOOL, tool] })) >= WINDOW]).toEqual([type, true]);
    }
  },
);

test.each([
  [CHAT, "gpt-4o", "function custom"],
  [
    "/v1/responses",
    "gpt-4o",
    "function custom local_shell apply_patch computer computer_use_preview shell tool_search",
  ],
  [
    "/v1/messages",
    "claude-sonnet-4-5",
    "custom computer_20251124 bash_20250124 text_editor_20250728 memory_20250818 tool_search_tool_bm25_20251119",
  ],
] as const)("tools that the client runs at %s, %s read nothing unseen", async (path, model, types) => {
  const body = { model, messages: words, input: "hello", max_tokens: 10, max_output_tokens: 10, stream: true };
  const groups = [{ type: "namespace", name: "mine", tools: tools("function") }];
  const all = [...tools(types), ...(path === "/v1/responses" ? groups : [])];
  expect(await scene.heldFor(path, { ...body, tools: all })).toBeLessThan(700);
});

test("an entry of Google's tools that declares no functions reads what it likes", async () => {
  for (const tool of [
    { googleSearch: {} },
    { url_context: {} },
    { brandNew: {} },
    { functionDeclarations: [], googleMaps: {} },
  ])
    expect(await scene.heldFor(GENERATE, gemini({ text: "hello" }, { tools: [tool] }))).toBeGreaterThanOrEqual(WINDOW);
});

const escapedAs = (body: object, from: string, to: string): string => JSON.stringify(body).replaceAll(from, to);
const SLASHED = "application\\/pdf";

test.each([
  ["a slash as PHP does", GENERATE, escapedAs(gemini(inline("application/pdf")), "application/pdf", SLASHED)],
  ["a slash of a film", GENERATE, escapedAs(gemini(inline("video/mp4")), "o/m", "o\\/m")],
  ["a slash by its number", GENERATE, escapedAs(gemini(inline("video/mp4")), "o/m", "o\\u002fm")],
  [
    "slashes of a file in words",
    CHAT,
    escapedAs(chat("gpt-4o", { messages: [{ role: "system", content: "fileid://f" }] }), "//", "\\/\\/"),
  ],
  ["a digit of an id", "/v1/responses", escapedAs(response({ input: [{ id: "msg_1" }] }), "msg_1", "msg_\\u0031")],
  [
    "a digit of a tool",
    "/v1/messages",
    escapedAs(claude([], { messages: words, tools: tools("web_search_20250305") }), "_20250305", "_\\u003220250305"),
  ],
  [
    "a slash of a document's type",
    CHAT,
    escapedAs(chat("gpt-4o", { messages: withParts(imageUrl("data:application/pdf")) }), "application/pdf", SLASHED),
  ],
  ["a dash", CHAT, escapedAs(chat("gpt-4o", { messages: words }), "hello", "\\\\\\u002d")],
])("%s that is escaped hides nothing", async (_name, path, text) => {
  expect(await scene.heldForText(path, text)).toBeGreaterThanOrEqual(WINDOW);
});

test("a recording whose slash is escaped is held for as one", async () => {
  const sound = gemini({ inlineData: { mimeType: "audio/mp3", data: "A".repeat(32_000) } });
  const plain = await scene.heldFor(GENERATE, sound);
  expect(await scene.heldForText(GENERATE, escapedAs(sound, "audio/mp3", "audio\\/mp3"))).toBe(plain);
});

test.each([
  ["Go", "<b>'\"&`+é", (text: string) => text.replace(/[<>&]/g, escaped)],
  [
    ".NET",
    "<b>'\"&`+é",
    (text: string) => text.replace(/[<>&'`+\u0080-\uffff]/g, escaped).replaceAll('\\"', "\\u0022"),
  ],
  ["PHP", "a/b é /c", (text: string) => text.replace(/[\u0080-\uffff]/g, escaped).replaceAll("/", "\\/")],
  ["Python", "é\u007f\u0001", (text: string) => text.replace(/[\u007f-\uffff]/g, escaped)],
  ["someone who writes of escapes", "\\u0041 and \\\\u0030", (text: string) => text],
])("what %s escapes hides nothing, and is held for as it is", async (_name, content, write) => {
  const messages = withParts({ type: "text", text: content }, imageUrl("data:image/png"));
  expect(await scene.heldForText(CHAT, write(JSON.stringify(chat("gpt-4o", { messages, stream: true }))))).toBeLessThan(
    7_000,
  );
  const picture = gemini({ inlineData: { mimeType: "image/png", data: "ab/c".repeat(2_000) } });
  expect(await scene.heldForText(GENERATE, write(JSON.stringify(picture)))).toBeLessThan(7_000);
});
test("a name whose letters are escaped hides nothing", async () => {
  const body = JSON.stringify(chat("gpt-4o", { messages: withParts({ type: "file", file: { file_id: "x" } }) }));
  expect(await scene.heldForText(CHAT, body.replaceAll("file", "\\u0066ile"))).toBeGreaterThanOrEqual(WINDOW);
});
