/** A provider is a folder: put one in a directory and it is there, with no other file changed. */
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startFakeUpstream } from "../../../tests/fake-upstream/fake-upstream.ts";
import { newChannel, startTestRelay } from "../relay/testing.ts";
import { BUILT_IN_PROVIDERS, loadProviders } from "./registry.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "turnpike-providers-"));
  for (const name of ["manifest", "endpoint", "quirks", "errors", "models"]) {
    const text = await readFile(join(BUILT_IN_PROVIDERS, "custom", `${name}.ts`), "utf8");
    const rooted = text
      .replaceAll('"../', `"${BUILT_IN_PROVIDERS}`)
      .replace(`${BUILT_IN_PROVIDERS}../`, join(BUILT_IN_PROVIDERS, "../"));
    await cp(join(BUILT_IN_PROVIDERS, "custom"), join(directory, "planted"), {
      recursive: true,
      filter: (path) => !path.endsWith(".ts"),
    });
    await writeFile(
      join(directory, "planted", `${name}.ts`),
      rooted.replace("id: 8", "id: 4711").replace('slug: "custom"', 'slug: "planted"'),
    );
  }
});

afterEach(() => rm(directory, { recursive: true }));

test("the built-in folders are all there, by type", async () => {
  const registry = await loadProviders();
  expect(registry.all.map(({ manifest }) => [manifest.id, manifest.slug])).toEqual([
    [1, "openai"],
    [8, "custom"],
    [14, "anthropic"],
    [24, "gemini"],
  ]);
  expect(registry.byType(1)?.manifest.name).toBe("OpenAI");
  expect(registry.byType(2)).toBeUndefined();
});

test("a planted folder appears and serves calls", async () => {
  const providers = await loadProviders([BUILT_IN_PROVIDERS, directory]);
  expect(providers.byType(4711)?.manifest.slug).toBe("planted");
  const upstream = await startFakeUpstream();
  const relay = await startTestRelay({ providers });
  relay.world.channels.push(newChannel({ type: 4711, baseUrl: `${upstream.url}/v1/chat/completions` }));
  const answer = await relay.post("/v1/chat/completions", {
    model: "gpt-4o",
    messages: [{ role: "user", content: "hi" }],
  });
  expect(answer.status).toBe(200);
  await relay.close();
  await upstream.close();
});

test("a folder without one of its files, and a type that is taken, stop the start", async () => {
  await rm(join(directory, "planted", "quirks.ts"));
  await expect(loadProviders([directory])).rejects.toThrow("quirks");
  await expect(loadProviders([BUILT_IN_PROVIDERS, BUILT_IN_PROVIDERS])).rejects.toThrow("channel type 1");
});
