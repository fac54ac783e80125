/** FastGPT's apps as their documentation has them: OpenAI's chat behind a path of its own, with a usage that counts nothing. */
import { openAiChatVendor } from "../../../fake-upstream/openai/chat.ts";
import { type HostedFailure, type ReadHosted, jsonIn, startHosted } from "../hosted.ts";
import type { OwnVendor } from "../own-vendor.ts";
import { providerFixture } from "../fixtures.ts";

const KEY = "fastgpt-key-of-the-test";

const failure = (name: string, kind: HostedFailure["kind"]): HostedFailure => ({
  name,
  kind,
  status: Number.parseInt(name, 10),
  body: providerFixture("fastgpt", `${name}.json`),
});

const FAILURES: readonly HostedFailure[] = [
  failure("514-key", "auth"),
  failure("403-key", "auth"),
  failure("500-points", "quota"),
  failure("500-server", "overloaded"),
];

const read: ReadHosted = (request) => {
  const { path, headers } = request;
  if (path !== "/v1/chat/completions") return `there is no ${path}`;
  if (headers.authorization !== `Bearer ${KEY}`) return "the key is not a bearer token";
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 1 };
  return { vendor: openAiChatVendor, usage, path, json: jsonIn(request) };
};

export const vendor: OwnVendor = {
  name: "FastGPT",
  type: 22,
  key: KEY,
  model: "help-desk",
  takesTools: false,
  takesPictures: true,
  thinks: false,
  takesSchemas: false,
  counted: "estimated",
  failures: FAILURES,
  start: () => startHosted(FAILURES, read),
};
