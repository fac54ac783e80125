/** Moonshot's Kimi: channel type 25 (platform.kimi.com/docs/models; abroad api.moonshot.ai). */
import { cacheMarkOnTop, messagesQuirk, servedMessages } from "../dialects/anthropic-messages/vendors/compatible.ts";
import type { FormatName } from "../dialects/dialect.ts";
import { objectOf, ownOf, textOf } from "../dialects/json/fields.ts";
import { readFailure, withKind } from "../dialects/neutral/failure.ts";
import type { JsonObject } from "../dialects/neutral/neutral.ts";
import {
  type EffortNames,
  type FieldPatch,
  blankThinking,
  effortAsSwitch,
  mappedEffort,
  isCompletions,
  systemRole,
  without,
} from "../dialects/openai-chat/compatible.ts";
import { type BalanceOf, amountIn, bearerGet, currencyAbroad, objectIn } from "./balance.ts";
import { nameQuirks, refusedSampling } from "../dialects/name-quirks.ts";
import { defineProvider } from "./define.ts";
import type { Operation, Quirk, UpstreamFailure } from "./provider.ts";

// Where Kimi models differ from OpenAI's chat completions (platform.kimi.ai/docs/guide/use-thinking-effort, guide/kimi-k3-quickstart), and what
// they take of Messages (platform.kimi.ai/docs/api/messages).

const isKimi = (model: string, operation: Operation, dialect: FormatName): boolean =>
  isCompletions(model, operation, dialect) && model.startsWith("kimi-");

/** They always think, and take one of three efforts. */
const takesEffort = (model: string): boolean => /^kimi-k[3-9]/.test(model);
/** They think unless the request says otherwise; the others of their generation always do. */
const canBeStill = (model: string): boolean => /^kimi-k2\.[56](?:-|$)/.test(model);

const WORDS: EffortNames = { none: "low", minimal: "low", medium: "high", xhigh: "max" };

function effort(body: JsonObject, model: string): FieldPatch {
  if (takesEffort(model)) return mappedEffort(body, WORDS);
  return effortAsSwitch(body, (isOn) => (!isOn && canBeStill(model) ? { thinking: { type: "disabled" } } : {}));
}

function effortOfMessages(body: JsonObject): FieldPatch {
  const { effort, ...config } = objectOf(body["output_config"]);
  const word = ownOf(WORDS, textOf(effort));
  return word === undefined ? {} : { set: { output_config: { ...config, effort: word } } };
}

const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isCompletions, patch: systemRole },
  ...nameQuirks("moonshot"),
  refusedSampling("moonshot", "the sampling of Kimi models is fixed, and other values are refused"),
  {
    reason: "Kimi models know other words for how long they think",
    appliesTo: isKimi,
    patch: (body, _options, model) => effort(body, model),
  },
  {
    reason: "Kimi models refuse earlier calls without the thinking before them",
    appliesTo: isKimi,
    patch: blankThinking,
  },
  servedMessages({
    vendor: "Moonshot",
    toolChoices: ["auto", "any", "none"],
    takesSchemas: true,
    wantsThinking: () => true,
  }),
  messagesQuirk("the sampling of Kimi models is fixed, and other values are refused", (body) =>
    without(body, ["temperature", "top_p", "top_k"]),
  ),
  messagesQuirk("Kimi models know other words for how long they think", effortOfMessages),
  messagesQuirk("the vendor writes its cache where the request itself says so", cacheMarkOnTop),
];

// Failures of Moonshot, whose types say what the status does not (platform.kimi.ai/docs/api/errors).

const KINDS = {
  content_filter: "content",
  exceeded_current_quota_error: "quota",
  engine_overloaded_error: "overloaded",
} as const;

const failure = (status: number, body: string): UpstreamFailure => withKind(readFailure(status, body), KINDS);

/** Moonshot's balance, vouchers among it: yuan, and dollars abroad (platform.moonshot.cn/docs/api/balance). */
const balance: BalanceOf = async (ask, channel) => ({
  amount: amountIn(objectIn((await ask(bearerGet(channel, "/v1/users/me/balance")))["data"])["available_balance"]),
  currency: currencyAbroad(channel.baseUrl, ".moonshot.ai"),
});

export const moonshot = defineProvider({
  id: 25,
  slug: "moonshot",
  name: "Moonshot (Kimi)",
  defaultBaseUrl: "https://api.moonshot.cn",
  models: [
    "kimi-k3.1-pro",
    "kimi-k3.1-pro-highspeed",
    "kimi-k3",
    "kimi-k2.7-code",
    "kimi-k2.7-code-highspeed",
    "kimi-k2.6",
    "moonshot-v1-8k",
    "moonshot-v1-32k",
    "moonshot-v1-128k",
  ],
  // platform.kimi.ai/docs/api/messages; its Responses (docs/api/responses) take one model and few settings.
  natives: { "anthropic-messages": { root: "/anthropic/v1", models: /^kimi-/ } },
  notice: "nativeFormats",
  operations: ["chat", "models"],
  // platform.moonshot.cn/docs/guide/use-web-search: its $web_search is a call that the client answers.
  webSearch: "none",
  // platform.kimi.com/docs/api/chat
  openAiSettings: { names: ["prompt_cache_key"] },
  mark: { glyph: "K", colour: "#5a6475" },
  quirks,
  failure,
  balance,
});
