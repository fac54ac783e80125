/** Where Qwen models differ from OpenAI's chat completions and embeddings (help.aliyun.com/zh/model-studio/qwen-api-reference, deep-thinking). */
import {
  type FieldPatch,
  effortAsSwitch,
  effortInWords,
  olderLimit,
  plainVectors,
  systemRole,
} from "../../dialects/openai-chat/compatible.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import type { Operation, Quirk } from "../provider.ts";

const isChat = (_model: string, operation: Operation): boolean => operation === "chat";

/** From this generation on the effort can be chosen. */
const takesEffort = (model: string): boolean => /^qwen(?:3\.[89]|[4-9])/.test(model);
/** Open models that think unless they are told not to, and do so in streams only. */
const thinksInStreamsOnly = (model: string): boolean => /^qwen3-(?:\d+(?:\.\d+)?b)(?:-a\d+b)?$/.test(model);

const asSwitch = (body: JsonObject): FieldPatch => effortAsSwitch(body, (isOn) => ({ enable_thinking: isOn }));

function effort(body: JsonObject, model: string): FieldPatch {
  if (!takesEffort(model) || body["reasoning_effort"] === "none") return asSwitch(body);
  return effortInWords(body, { minimal: "low", max: "xhigh" });
}

export const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isChat, patch: systemRole },
  { reason: "the vendor bounds answers by max_tokens alone", appliesTo: isChat, patch: olderLimit },
  {
    reason: "the vendor switches thinking on and off by a field of its own",
    appliesTo: isChat,
    patch: (body, _options, model) => effort(body, model),
  },
  {
    reason: "this model thinks in streams only",
    appliesTo: (model, operation) => operation === "chat" && thinksInStreamsOnly(model),
    patch: (body) => (body["stream"] === true ? {} : { set: { enable_thinking: false } }),
  },
  {
    reason: "the vendor's vectors are numbers only",
    appliesTo: (_model, operation) => operation === "embeddings",
    patch: plainVectors,
  },
];
