/** Tests of holds for calls of priced tools, and for media in requests that are no chats. */
import { expect, test } from "vitest";
import { CHAT, WINDOW, chat, claude, heldScene, response, tools } from "../../../../tests/support/relay/held.ts";

const scene = heldScene();

const TOOL_QUOTA = 5_000;

test.each([
  ["/v1/responses", response({ tools: [{ type: "web_search" }] }), 10],
  ["/v1/responses", response({ tools: [{ type: "web_search" }], max_tool_calls: 3 }), 3],
  ["/v1/responses", response({ tools: [{ type: "web_search" }], max_tool_calls: 30 }), 30],
  ["/v1/responses", response({ input: [{ type: "additional_tools", tools: [{ type: "web_search" }] }] }), 10],
  ["/v1/messages", claude([{ type: "text", text: "a" }], { tools: tools("web_search_20250305", { max_uses: 2 }) }), 2],
  ["/v1/messages", claude([{ type: "text", text: "a" }], { tools: tools("web_search_20250305") }), 10],
  [CHAT, chat("gpt-4o", { web_search_options: {} }), 10],
  [CHAT, chat("gpt-4o", { plugins: [{ id: "web" }] }), 1],
])("at %s the tools of %j are held for as often as they may be called: %d", async (path, body, calls) => {
  const quota = await scene.heldFor(path, body);
  const ofTools = quota - WINDOW;
  expect([ofTools >= calls * TOOL_QUOTA, ofTools < calls * TOOL_QUOTA + 1_000]).toEqual([true, true]);
});

test("one call of a tool is enough where the balance does not reach for more", async () => {
  scene.relay.billing.balance = 6_000;
  expect(await scene.heldFor("/v1/responses", response({ tools: [{ type: "web_search" }] }))).toBe(6_000);
  scene.relay.billing.balance = 4_000;
  const refused = await scene.relay.post("/v1/responses", response({ tools: [{ type: "web_search" }] }));
  expect(refused.status).toBe(403);
});

const PICTURES = Array.from({ length: 16 }, (_, index) => ({ image_url: `https://a.example/${index}.png` }));

test.each([
  ["/v1/images/edits", { prompt: "a", images: PICTURES }, 16 * 7_100],
  ["/v1/images/edits", { prompt: "a", images: PICTURES.map(() => ({ file_id: "file-1" })) }, 16 * 7_100],
  ["/v1/images/edits", { prompt: "a", image: ["https://a.example/b.png", "https://a.example/c.png"] }, 2 * 7_100],
  ["/v1/embeddings", { input: [{ image: "https://a.example/b.png" }, { image: "https://a.example/c.png" }] }, 10_000],
  ["/v1/embeddings", { input: [{ video: "https://a.example/b.mp4" }, { text: "a" }] }, WINDOW],
  ["/v1/embeddings", { input: [{ image: "data:application/pdf;base64,aGVsbG8=" }] }, WINDOW],
  ["/v1/rerank", { query: "a", documents: [{ image: "https://a.example/b.png" }] }, 5_000],
  ["/v1/embeddings", { input: ["image", "video"] }, 0],
  ["/v1/embeddings", { input: "an image" }, 0],
])("%s with %j is held for its media", async (path, body, tokens) => {
  const quota = await scene.heldFor(path, { model: "gpt-4o", ...body });
  expect([quota >= tokens, quota < tokens + 8_000]).toEqual([true, true]);
});
