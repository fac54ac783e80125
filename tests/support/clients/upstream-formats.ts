/** The four formats as upstreams of a test: a channel each, so that every client can be sent to every one of them. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DialectName } from "../../../server/src/dialects/neutral/neutral.ts";
import { BUILT_IN_PROVIDERS, type ProviderRegistry, loadProviders } from "../../../server/src/providers/registry.ts";

export interface UpstreamFormat {
  name: DialectName;
  /** Channel type. */
  type: number;
  /** A model of its own, by which a call is routed to it. */
  model: string;
}

/** OpenAI's provider speaks two formats, so each has a type of its own here that speaks only that one. */
export const UPSTREAM_FORMATS: readonly UpstreamFormat[] = [
  { name: "openai-chat", type: 9001, model: "gpt-4o" },
  { name: "openai-responses", type: 9002, model: "gpt-4.1" },
  { name: "anthropic-messages", type: 14, model: "claude-sonnet-4-5" },
  { name: "gemini", type: 24, model: "gemini-2.5-flash" },
];

const ownTypes = UPSTREAM_FORMATS.filter(({ type }) => type > 9000);

/** Writes the two types above as provider folders into the directory, for a server process of its own to be started with. */
export async function plantProviders(directory: string): Promise<void> {
  const openAi = join(BUILT_IN_PROVIDERS, "openai");
  for (const { name, type } of ownTypes) {
    const folder = join(directory, name);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "quirks.ts"), `export * from ${JSON.stringify(join(openAi, "quirks.ts"))};\n`);
    const changes = JSON.stringify({ id: type, slug: name, dialects: [name] });
    const manifest = `import { manifest as openAi } from ${JSON.stringify(join(openAi, "manifest.ts"))};\n`;
    await writeFile(join(folder, "manifest.ts"), `${manifest}export const manifest = { ...openAi, ...${changes} };\n`);
  }
}

/** The built-in providers and the two types above. */
export async function providersOfAllFormats(): Promise<ProviderRegistry> {
  const { all } = await loadProviders();
  const openAi = all.find(({ manifest }) => manifest.id === 1);
  if (openAi === undefined) throw new Error("there is no provider of type 1");
  const { manifest, ...rest } = openAi;
  const own = ownTypes.map(({ name, type }) => ({
    ...rest,
    manifest: { ...manifest, id: type, slug: name, dialects: [name] },
  }));
  const providers = [...all, ...own];
  return { all: providers, byType: (type) => providers.find((each) => each.manifest.id === type) };
}
