/** `npm run new-provider <name> <channel type>`: writes the file of a provider, and a test that fails until it is filled in and listed. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { providerRegistry } from "../server/src/providers/registry.ts";

const [, , slug = "", type = ""] = process.argv;
const title = slug.replaceAll(
  /(^|-)([a-z])/g,
  (_, dash: string, letter: string) => (dash === "" ? "" : " ") + letter.toUpperCase(),
);

const constant = slug.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PROVIDERS = "server/src/providers";
const FIXTURES = `tests/fixtures/providers/${slug}`;

/** What is left blank in the templates is what the test asks for. */
const TEMPLATES = [
  ["provider.ts", `${PROVIDERS}/${slug}.ts`],
  ["test.ts", `${PROVIDERS}/${slug}.test.ts`],
] as const;
const WORDS: Readonly<Record<string, string>> = { slug, type, title, constant };

function filled(template: string): string {
  const text = readFileSync(new URL(`./provider-template/${template}.txt`, import.meta.url), "utf8");
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, word: string) => WORDS[word] ?? "");
}

function complaint(): string | undefined {
  if (!/^[a-z][a-z0-9-]{1,40}$/.test(slug) || !/^\d{1,5}$/.test(type)) {
    return "Say a name in small letters and its channel type: npm run new-provider -- acme 4712";
  }
  const taken = providerRegistry().byType(Number(type));
  if (taken !== undefined) return `Channel type ${type} is ${taken.manifest.name}.`;
  const isTaken = [`${slug}.ts`, slug].some((name) => existsSync(`${ROOT}/${PROVIDERS}/${name}`));
  return isTaken ? `${slug} exists already.` : undefined;
}

const refusal = complaint();
if (refusal !== undefined) {
  console.error(refusal);
  process.exit(1);
}
mkdirSync(`${ROOT}/${FIXTURES}`, { recursive: true });
const files = TEMPLATES.map(([template, path]) => {
  writeFileSync(`${ROOT}/${path}`, filled(template));
  return path;
});
spawnSync(process.execPath, ["node_modules/oxfmt/bin/oxfmt", ...files], { stdio: "inherit", cwd: ROOT });
console.log(`${files.join(" and ")}. Next:
  1. import ${constant} in ${PROVIDERS}/registry.ts and add it to the list, by channel type
  2. fill in ${slug}.ts and ${FIXTURES}/ (chat-address.txt, error-401.json, error-429.json) from its public documentation
  3. npm test -- ${PROVIDERS}/${slug}   fails until that is done
It is in the relay, the channel form and /api/models as soon as the server starts again. What is not as with any OpenAI-compatible vendor
goes into the same definition: docs/recipes.md, "Add a vendor".`);
