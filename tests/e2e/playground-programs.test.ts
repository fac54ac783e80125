/** The programs that the playground shows really make the call: with the vendors' own libraries, and with curl, through every API. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DIALECTS, programOf } from "../../web/src/features/playground/code/programs.ts";
import type { Sample } from "../../web/src/features/playground/code/sample.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { setUp, startTestServer, type TestServer } from "../support/systems/server.ts";

const run = promisify(execFile);
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let server: TestServer;
let upstream: FakeUpstream;
let sample: Sample;

beforeAll(async () => {
  upstream = await startFakeUpstream({ plan: { text: "It is 12 °C." } });
  server = await startTestServer({ ALLOW_PRIVATE_UPSTREAMS: "1" });
  const root = await setUp(server);
  const channel = { type: 1, name: "main", key: "sk-a", base_url: upstream.url, models: "gpt-4o", groups: ["default"] };
  await root.post("/api/channel/", channel);
  const made = await root.post("/api/token/", { name: "code", unlimited_quota: true, expired_time: -1 });
  sample = {
    root: server.app.url,
    key: `sk-${(made.body.data as { key: string }).key}`,
    model: "gpt-4o",
    system: "It's a 'quoted' \\ prompt.",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: 'What\'s the weather in "Oslo"?\n今天' },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
        ],
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: "12 °C" },
    ],
    tools: [
      {
        type: "function",
        function: {
          name: "get_weather",
          description: "Weather of a place",
          parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
        },
      },
    ],
    temperature: 0.3,
    max_tokens: 50,
  };
});
afterAll(async () => {
  await server?.stop();
  await upstream?.close();
});

/** The upstream was asked for all of it, in the words of whichever API reached it. */
function expectWhole(): void {
  const asked = upstream.requests.at(-1)?.json ?? {};
  const text = JSON.stringify(asked);
  expect(asked).toMatchObject({ model: "gpt-4o", temperature: 0.3 });
  expect(asked["max_tokens"] ?? asked["max_completion_tokens"] ?? asked["max_output_tokens"]).toBe(50);
  for (const part of ["It's a 'quoted' ", "今天", PIXEL, "get_weather", "call_", "12 °C", "Weather of a place"])
    expect(text).toContain(part);
}

test.each(DIALECTS)("Node, %s", async (dialect) => {
  const code = programOf(dialect, "node", sample);
  const { stdout } = await run(process.execPath, ["--input-type=module", "--no-warnings", "-e", code]);
  expect(stdout.trim()).toBe("It is 12 °C.");
  expectWhole();
});

test.each(DIALECTS)("curl, %s", async (dialect) => {
  const { stdout } = await run("bash", ["-c", programOf(dialect, "curl", sample)]);
  expect(stdout).toContain("It is 12 °C.");
  expectWhole();
});

test.each(DIALECTS)("Python, %s, has the same values in its own words", (dialect) => {
  const code = programOf(dialect, "python", sample);
  for (const part of ["temperature", "0.3", "50", "get_weather", PIXEL, "It's a 'quoted' \\\\ prompt."])
    expect(code).toContain(part);
  expect(code).not.toMatch(/\b(?:true|false|null|undefined|\[object)\b/);
  expect(code.match(/[([{]/g)?.length).toBe(code.match(/[)\]}]/g)?.length);
  if (dialect === "gemini") expect(code).toContain('"data": base64.b64decode(');
});
