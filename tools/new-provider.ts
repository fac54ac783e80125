/** `npm run new-provider <name> <channel type>`: writes the files every provider has, and a test that fails until they are filled in. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { BUILT_IN_PROVIDERS, loadProviders } from "../server/src/providers/registry.ts";

const [, , slug = "", type = ""] = process.argv;
const title = slug.replaceAll(
  /(^|-)([a-z])/g,
  (_, dash: string, letter: string) => (dash === "" ? "" : " ") + letter.toUpperCase(),
);

/** File name -> text. What is left blank here is what the test asks for. */
const FILES: Readonly<Record<string, string>> = {
  "manifest.ts": `/** ${title} as the console and the relay list it: channel type ${type}. */
import type { ProviderManifest } from "../provider.ts";

export const manifest: ProviderManifest = {
  id: ${type},
  slug: "${slug}",
  name: "${title}",
  dialect: "openai-chat",
  defaultBaseUrl: "",
  keyHint: "",
  fields: [{ name: "base_url", label: "baseUrl", isRequired: false }],
  operations: ["chat", "models"],
  supportsStreamUsage: true,
  canTest: true,
  mark: { glyph: "${title.slice(0, 1)}", colour: "#6b7280" },
};
`,
  "endpoint.ts": `/** Where an operation of ${title} goes and how it is authorised; name the page of its documentation here. */
import type { Operation, ProviderChannel, ProviderRequest } from "../provider.ts";

/** \`path\` is the client's own path and query; GET /v1/models for the list of models. */
export function endpoint(channel: ProviderChannel, operation: Operation, path: string, _model: string): ProviderRequest {
  const base = channel.baseUrl.replace(/\\/+$/, "");
  const headers = ["authorization", \`Bearer \${channel.key}\`];
  return { url: base + (operation === "models" ? "/v1/models" : path), headers };
}
`,
  "quirks.ts": `/** Where ${title} differs from its dialect, each with its reason. */
import type { Quirk } from "../provider.ts";

export const quirks: readonly Quirk[] = [];
`,
  "errors.ts": `/** ${title}'s failed answers; name the page of its documentation here. */
import { readOpenAiFailure } from "../../dialects/openai-chat-errors.ts";
import type { UpstreamFailure } from "../provider.ts";

export const failure = (status: number, body: string): UpstreamFailure => readOpenAiFailure(status, body);
`,
  "models.ts": `/** Models a new ${title} channel starts with; name the page of its documentation here. */
export const models: readonly string[] = [];
`,
  [`${slug}.test.ts`]: `/** Holds ${title} to its documentation: addresses, keys, models and errors as its pages print them. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { endpoint } from "./endpoint.ts";
import { failure } from "./errors.ts";
import { manifest } from "./manifest.ts";
import { models } from "./models.ts";

const channel = { baseUrl: manifest.defaultBaseUrl, key: "key-of-the-test", other: "", openaiOrganization: "" };
const fixture = (name: string): string => readFileSync(new URL(\`./fixtures/\${name}\`, import.meta.url), "utf8");

test("the manifest says where it is and how a key looks", () => {
  expect(URL.canParse(manifest.defaultBaseUrl)).toBe(true);
  expect(manifest.keyHint).not.toBe("");
});

test("a chat call goes to the documented address with the key", () => {
  const { url, headers } = endpoint(channel, "chat", "/v1/chat/completions", "");
  expect(url).toBe(fixture("chat-address.txt").trim());
  expect(headers.join("\\n")).toContain("key-of-the-test");
});

test("it offers models", () => {
  expect(models.length).toBeGreaterThan(0);
});

test("a refused key is an auth error that another channel may answer", () => {
  expect(failure(401, fixture("error-401.json"))).toMatchObject({ kind: "auth", isRetryable: true });
});

test("a rate limit is one", () => {
  expect(failure(429, fixture("error-429.json"))).toMatchObject({ kind: "rate", isRetryable: true });
});
`,
};

async function complaint(): Promise<string | undefined> {
  if (!/^[a-z][a-z0-9-]{1,40}$/.test(slug) || !/^\d{1,5}$/.test(type)) {
    return "Say a name in small letters and its channel type: npm run new-provider -- deepseek 43";
  }
  const taken = (await loadProviders()).byType(Number(type));
  if (taken !== undefined) return `Channel type ${type} is ${taken.manifest.name}.`;
  return existsSync(`${BUILT_IN_PROVIDERS}${slug}`) ? `${slug} exists already.` : undefined;
}

const refusal = await complaint();
if (refusal !== undefined) {
  console.error(refusal);
  process.exit(1);
}
const folder = `${BUILT_IN_PROVIDERS}${slug}`;
mkdirSync(`${folder}/fixtures`, { recursive: true });
for (const [name, text] of Object.entries(FILES)) writeFileSync(`${folder}/${name}`, text);
spawnSync(process.execPath, ["node_modules/oxfmt/bin/oxfmt", folder], { stdio: "inherit" });
console.log(`${Object.keys(FILES).length} files in server/src/providers/${slug}. Next:
  1. fill in manifest.ts, models.ts and fixtures/ (chat-address.txt, error-401.json, error-429.json) from its public documentation
  2. npm test -- server/src/providers/${slug}   fails until that is done
It is in the relay, the channel form and /api/models as soon as the server starts again.`);
