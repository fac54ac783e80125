/** `npm run new-provider <name> <channel type>`: writes the manifest that a provider is, and a test that fails until it is filled in. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { BUILT_IN_PROVIDERS, loadProviders } from "../server/src/providers/registry.ts";

const [, , slug = "", type = ""] = process.argv;
const title = slug.replaceAll(
  /(^|-)([a-z])/g,
  (_, dash: string, letter: string) => (dash === "" ? "" : " ") + letter.toUpperCase(),
);

/** What is left blank in the templates is what the test asks for. */
const TEMPLATES = ["manifest.ts", "test.ts"];
const WORDS: Readonly<Record<string, string>> = { slug, type, title, initial: title.slice(0, 1) };

function filled(template: string): string {
  const text = readFileSync(new URL(`./provider-template/${template}.txt`, import.meta.url), "utf8");
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, word: string) => WORDS[word] ?? "");
}

async function complaint(): Promise<string | undefined> {
  if (!/^[a-z][a-z0-9-]{1,40}$/.test(slug) || !/^\d{1,5}$/.test(type)) {
    return "Say a name in small letters and its channel type: npm run new-provider -- acme 4712";
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
for (const template of TEMPLATES) {
  const name = template === "test.ts" ? `${slug}.test.ts` : template;
  writeFileSync(`${folder}/${name}`, filled(template));
}
spawnSync(process.execPath, ["node_modules/oxfmt/bin/oxfmt", folder], { stdio: "inherit" });
console.log(`${TEMPLATES.length} files in server/src/providers/${slug}. Next:
  1. fill in manifest.ts and fixtures/ (chat-address.txt, error-401.json, error-429.json) from its public documentation
  2. npm test -- server/src/providers/${slug}   fails until that is done
It is in the relay, the channel form and /api/models as soon as the server starts again. What is not as with any OpenAI-compatible vendor
goes into files beside the manifest: CONTRIBUTING.md, "Add a provider".`);
