/** Where Kimi models differ from OpenAI's chat completions (platform.kimi.ai/docs/guide/use-thinking-effort, guide/kimi-k3-quickstart). */
import {
  type FieldPatch,
  blankThinking,
  effortAsSwitch,
  effortInWords,
  systemRole,
  without,
} from "../../dialects/openai-chat/compatible.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import type { Operation, Quirk } from "../provider.ts";

const isChat = (_model: string, operation: Operation): boolean => operation === "chat";
const isKimi = (model: string, operation: Operation): boolean => isChat(model, operation) && model.startsWith("kimi-");

/** They always think, and take their effort in three words. */
const takesEffort = (model: string): boolean => /^kimi-k[3-9]/.test(model);
/** They think unless they are told not to; the others of their generation always do. */
const canBeStill = (model: string): boolean => /^kimi-k2\.[56](?:-|$)/.test(model);

const WORDS = { none: "low", minimal: "low", medium: "high", xhigh: "max" } as const;
const SAMPLING = ["temperature", "top_p", "presence_penalty", "frequency_penalty"];

function effort(body: JsonObject, model: string): FieldPatch {
  if (takesEffort(model)) return effortInWords(body, WORDS);
  return effortAsSwitch(body, (isOn) => (!isOn && canBeStill(model) ? { thinking: { type: "disabled" } } : {}));
}

export const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isChat, patch: systemRole },
  {
    reason: "the sampling of Kimi models is fixed, and other values are refused",
    appliesTo: isKimi,
    patch: (body) => without(body, SAMPLING),
  },
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
];
