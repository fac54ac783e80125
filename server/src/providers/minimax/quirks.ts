/** Where MiniMax's models differ from the formats they speak (platform.minimax.io/docs/api-reference/text-openai-api, /text-anthropic-api). */
import { numberOf } from "../../dialects/json/fields.ts";
import { type FieldPatch, effortAsSwitch, systemRole } from "../../dialects/openai-chat/compatible.ts";
import type { FormatName } from "../../dialects/dialect.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import type { Operation, Quirk } from "../provider.ts";

const isChat = (_model: string, operation: Operation): boolean => operation === "chat";
const isCompletions = (model: string, operation: Operation, dialect: FormatName): boolean =>
  isChat(model, operation) && dialect === "openai-chat";
/** Older models always think. */
const canBeStill = (model: string): boolean => /^MiniMax-M(?:[3-9]|\d\d)/.test(model);

const LEAST_TEMPERATURE = 0.01;

function temperature(body: JsonObject): FieldPatch {
  const asked = numberOf(body["temperature"]);
  if (asked === undefined || (asked > 0 && asked <= 1)) return {};
  return { set: { temperature: asked > 1 ? 1 : LEAST_TEMPERATURE } };
}

export const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isCompletions, patch: systemRole },
  { reason: "the vendor takes temperatures above 0 and up to 1", appliesTo: isChat, patch: temperature },
  {
    reason: "the vendor's models think or do not, by a field of its own where they can be still",
    appliesTo: isCompletions,
    patch: (body, _options, model) =>
      effortAsSwitch(body, (isOn) => (canBeStill(model) ? { thinking: { type: isOn ? "adaptive" : "disabled" } } : {})),
  },
];
