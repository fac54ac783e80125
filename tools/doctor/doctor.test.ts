/** Tests of the command: it reports failures in the console's texts, exits with 1 where there is one, and never prints the key. */
import { spawn } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../../tests/fake-upstream/fake-upstream.ts";
import { newChannel, newToken, startTestRelay, TEST_KEY, type TestRelay } from "../../tests/support/relay/harness.ts";
import { SERVER_ENVIRONMENT } from "../setup/runtime.mjs";

const KEY = `sk-${TEST_KEY}`;
let upstream: FakeUpstream;
let relay: TestRelay;

beforeAll(async () => {
  upstream = await startFakeUpstream({
    validates: false,
    plan: ({ body }) =>
      body.toString().includes("weather_of")
        ? { toolCalls: [{ name: "weather_of", arguments: "{}" }] }
        : { text: "one, two", chunks: 4 },
  });
  relay = await startTestRelay();
  relay.world.channels = [newChannel({ baseUrl: upstream.url })];
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});

interface Run {
  code: number | null;
  out: string;
}

/** Runs the command to its end; `input` is its standard input. */
function run(words: readonly string[], { input = "", env = {} }: { input?: string; env?: object } = {}): Promise<Run> {
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, ["tools/doctor.ts", ...words], {
    env: { ...SERVER_ENVIRONMENT, PATH, NO_COLOR: "1", ...env },
  });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (out += part.toString()));
  child.stdin.end(input);
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, out })));
}

it("finds nothing wrong, with the key from standard input and a model of the list", async () => {
  const { code, out } = await run(["codex", `${relay.url}/v1`, "-"], { input: `${KEY}\n` });
  expect(out).toContain("Codex, ");
  expect(out).toContain("gpt-4o");
  expect(out).toMatch(/ok +Handshake of a WebSocket: 101/);
  expect(out).not.toContain("FAILED");
  expect(out).not.toContain(TEST_KEY);
  expect(code).toBe(0);
});

it("says what fails and how to mend it, in either language, with the key from the environment", async () => {
  relay.world.tokens.set(TEST_KEY, newToken({ status: 2 }));
  const env = { TURNPIKE_KEY: KEY };
  const { code, out } = await run(["claude-code", relay.url, "--model", "gpt-4o"], { env });
  expect([code, out.includes("FAILED")]).toEqual([1, true]);
  expect(out).toContain("The key is disabled");
  expect(out).toMatch(/request id: \S+/);
  expect(out).not.toContain(TEST_KEY);
  const chinese = await run(["claude-code", `${relay.url}/`, "--model", "gpt-4o", "--language", "zh"], { env });
  expect(chinese.out).toContain("密钥已禁用");
  relay.world.tokens.set(TEST_KEY, newToken());
});

it("names the programs, and wants an address and a key", async () => {
  expect((await run(["nothing", relay.url, KEY])).out).toContain("Name one of: claude-code, codex");
  expect((await run(["codex", "gate.acme.dev", KEY])).out).toContain("Give the address");
  const keyless = await run(["codex", relay.url]);
  expect([keyless.code, keyless.out.includes("Give the key")]).toEqual([2, true]);
});
