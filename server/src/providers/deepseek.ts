/** DeepSeek: channel type 43 (api-docs.deepseek.com/quick_start/pricing). */
import { servedMessages } from "../dialects/anthropic-messages/vendors/compatible.ts";
import { objectOf } from "../dialects/json/fields.ts";
import { readFailure } from "../dialects/neutral/failure.ts";
import {
  effortAsSwitch,
  hasLostThinking,
  isCompletions,
  olderLimit,
  systemRole,
} from "../dialects/openai-chat/compatible.ts";
import { nameQuirks } from "../dialects/name-quirks.ts";
import { servedResponses } from "../dialects/openai-responses/vendors/compatible.ts";
import { type BalanceOf, amountIn, bearerGet, objectIn, unreadableBalance } from "./balance.ts";
import { defineProvider } from "./define.ts";
import type { ProviderCall, ProviderChannel, ProviderRequest, Quirk, UpstreamFailure } from "./provider.ts";

// Where DeepSeek's operations are: completions, which fill in the middle, under /beta (api-docs.deepseek.com/guides/fim_completion).

const ROOT = /(?:\/(?:v1|beta))?\/*$/;

/** The client's own path behind the base URL, which may end in /v1 or /beta. */
function endpoint(channel: ProviderChannel, { operation, path }: ProviderCall): ProviderRequest {
  const own = operation === "models" ? "/v1/models" : path;
  const target = operation === "completions" ? own.replace(/^\/v1\//, "/beta/") : own;
  return { url: channel.baseUrl.replace(ROOT, "") + target, headers: ["authorization", `Bearer ${channel.key}`] };
}

// Where DeepSeek differs from OpenAI's chat completions (api-docs.deepseek.com/api/create-chat-completion, guides/thinking_mode), and what it
// takes of Messages (guides/anthropic_api, api/create-message) and Responses (guides/responses_api).

const OFF = { type: "disabled" } as const;

/** Its own calls, whose thinking it finds again by their ids where a client dropped it (api/create-message, "messages"). */
const OWN_CALL = /^call_\d+_/;

const quirks: readonly Quirk[] = [
  ...nameQuirks("deepseek"),
  { reason: "the vendor knows the role system and no developer", appliesTo: isCompletions, patch: systemRole },
  { reason: "the vendor bounds answers by max_tokens alone", appliesTo: isCompletions, patch: olderLimit },
  {
    reason: "the vendor switches thinking off by a field of its own",
    appliesTo: isCompletions,
    patch: (body) => (body["reasoning_effort"] === "none" ? effortAsSwitch(body, () => ({ thinking: OFF })) : {}),
  },
  {
    reason: "the vendor refuses to think on where the thinking before an earlier call was not sent back",
    appliesTo: isCompletions,
    patch: (body) =>
      objectOf(body["thinking"])["type"] !== OFF.type && hasLostThinking(body) ? { set: { thinking: OFF } } : {},
  },
  servedMessages({
    vendor: "DeepSeek",
    blocks: ["server_tool_use", "web_search_tool_result"],
    tools: ["web_search_"],
    fetchesPictures: true,
    wantsThinking: (id) => !OWN_CALL.test(id),
  }),
  servedResponses({
    vendor: "DeepSeek",
    tools: ["function", "custom", "web_search"],
    customTools: ["apply_patch"],
    fetchesPictures: true,
  }),
];

// Failures of DeepSeek: their statuses say the kind (api-docs.deepseek.com/quick_start/error_codes), but for content it refuses.

/** The whole message of a 400 for refused content: neither its status nor its code distinguishes it from a malformed request. */
const REFUSED_CONTENT = /^content exists risk$/i;

function failure(status: number, body: string): UpstreamFailure {
  const read = readFailure(status, body);
  return REFUSED_CONTENT.test(read.message) ? { ...read, kind: "content", isRetryable: false } : read;
}

/** DeepSeek's balance by currency (api-docs.deepseek.com/api/get-user-balance): the first one with money in it, else the first. */
const balance: BalanceOf = async (ask, channel) => {
  const root = { ...channel, baseUrl: channel.baseUrl.replace(/\/beta\/*$/, "") };
  const { balance_infos: infos } = await ask(bearerGet(root, "/user/balance"));
  const balances = (Array.isArray(infos) ? infos : []).map((info: unknown) => {
    const { currency, total_balance: total } = objectIn(info);
    return { amount: amountIn(total), currency: String(currency) };
  });
  const found = balances.find(({ amount }) => Number(amount) > 0) ?? balances[0];
  if (found === undefined) throw unreadableBalance();
  return found;
};

export const deepseek = defineProvider({
  id: 43,
  slug: "deepseek",
  name: "DeepSeek",
  defaultBaseUrl: "https://api.deepseek.com",
  models: ["deepseek-flash", "deepseek-v4-pro", "deepseek-v4-flash"],
  natives: {
    // api-docs.deepseek.com/api/create-message, guides/anthropic_api
    "anthropic-messages": { root: "/anthropic/v1", keyHeader: "x-api-key" },
    // api-docs.deepseek.com/api/create-response
    "openai-responses": { root: "" },
  },
  baseEndings: ["/beta"],
  notice: "nativeFormats",
  operations: ["chat", "completions", "models"],
  // api-docs.deepseek.com/api/create-chat-completion lists functions alone.
  webSearch: "none",
  mark: { glyph: "D", colour: "#4a5fe0" },
  endpoint,
  quirks,
  failure,
  balance,
});
