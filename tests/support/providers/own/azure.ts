/** Azure OpenAI's v1 surface as its documentation has it: OpenAI's two formats behind a path and a key's header of its own. */
import { openAiChatVendor } from "../../../fake-upstream/openai/chat.ts";
import { openAiResponsesVendor } from "../../../fake-upstream/openai/responses.ts";
import type { Vendor } from "../../../fake-upstream/vendor.ts";
import { type HostedFailure, type ReadHosted, jsonIn, startHosted } from "../hosted.ts";
import type { OwnVendor } from "../own-vendor.ts";
import { providerFixture } from "../fixtures.ts";

const KEY = "azure-key-0123456789";

const failure = (name: string, kind: HostedFailure["kind"]): HostedFailure => ({
  name,
  kind,
  status: Number.parseInt(name, 10),
  body: providerFixture("azure", `${name}.json`),
});

const FAILURES: readonly HostedFailure[] = [
  failure("401-key", "auth"),
  failure("401-token", "auth"),
  failure("429-rate", "rate"),
  failure("429-quota", "quota"),
  failure("400-content-filter", "content"),
  failure("500-server", "overloaded"),
];

const SERVED: Readonly<Record<string, { vendor: Vendor; usage: unknown }>> = {
  "/openai/v1/chat/completions": {
    vendor: openAiChatVendor,
    usage: {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 64 },
    },
  },
  "/openai/v1/responses": {
    vendor: openAiResponsesVendor,
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 64 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 120,
    },
  },
};

const read: ReadHosted = (request) => {
  const { path, headers } = request;
  const served = SERVED[path];
  if (served === undefined) return `there is no ${path}`;
  if (headers["api-key"] !== KEY || headers.authorization !== undefined) return "the key is not in its header";
  return { ...served, path: path.slice("/openai".length), json: jsonIn(request) };
};

export const vendor: OwnVendor = {
  name: "Azure OpenAI",
  type: 3,
  key: KEY,
  other: "v1",
  model: "gpt-4o",
  thinker: "gpt-5.4",
  takesTools: true,
  takesPictures: true,
  thinks: false,
  takesSchemas: true,
  counted: { inputTokens: 100, outputTokens: 20, cacheReadTokens: 64 },
  failures: FAILURES,
  start: () => startHosted(FAILURES, read),
};
