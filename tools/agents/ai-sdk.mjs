/**
 * A small agent of the AI SDK: one prompt, a shell as its tool, and the conversation kept in a file of its folder.
 * `node ai-sdk.mjs <folder of packages> <openai | google> <address> <model> <new | resumed> <prompt>`, the key in AI_SDK_KEY. Started by process.ts.
 */
import { execSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [packages, provider, address, model, start, prompt] = process.argv.slice(2);
const load = createRequire(join(packages, "package.json"));
const { jsonSchema, stepCountIs, streamText, tool } = load("ai");
const apiKey = process.env.AI_SDK_KEY;

/** Each as its documentation has it for another address: with the version. */
const PROVIDERS = {
  openai: () => load("@ai-sdk/openai").createOpenAI({ apiKey, baseURL: `${address}/v1` })(model),
  google: () => load("@ai-sdk/google").createGoogleGenerativeAI({ apiKey, baseURL: `${address}/v1beta` })(model),
};

const parameters = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
const run = tool({
  description: "Runs a command and gives what it prints.",
  inputSchema: jsonSchema(parameters),
  execute: ({ command }) => execSync(command).toString(),
});

const earlier = start === "resumed" ? JSON.parse(readFileSync("conversation.json", "utf8")) : [];
const messages = [...earlier, { role: "user", content: prompt }];
const answer = streamText({
  model: PROVIDERS[provider](),
  messages,
  tools: { run_in_shell: run },
  stopWhen: stepCountIs(6),
  // By default this provider refers to what OpenAI stored, which no other vendor has.
  providerOptions: { openai: { store: false } },
  onError: ({ error }) => process.stderr.write(`${error}\n`),
});
const [text, response] = await Promise.all([answer.text, answer.response]);
writeFileSync("conversation.json", JSON.stringify([...messages, ...response.messages]));
process.stdout.write(`${text}\n`);
