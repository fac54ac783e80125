/** Whether a request asks its model to think, and for how many tokens, by every field that a decoder or a vendor reads. */
import { isObject, objectOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { THINKING_FIELDS, VENDORS_THINKING_FIELDS } from "../../dialects/neutral/thinking-fields.ts";
import { type Accepted, requestField } from "./accepted.ts";

/** Clients of one format send those of another too, which go on in their own bytes. */
const FIELDS: ReadonlySet<string> = new Set([...Object.values(THINKING_FIELDS).flat(), ...VENDORS_THINKING_FIELDS]);

/** Google's are one of many settings. */
const thinkingConfig = (config: JsonObject): unknown => config["thinkingConfig"] ?? config["thinking_config"];

const SAYS_NO: ReadonlySet<unknown> = new Set([undefined, null, false, "", "none", 0]);

const asks = (value: unknown): boolean =>
  !SAYS_NO.has(value) && !(isObject(value) && (value["type"] === "disabled" || value["thinkingBudget"] === 0));

function asksBy(name: string, value: unknown): boolean {
  if (name === "generationConfig" || name === "generation_config") return asks(thinkingConfig(objectOf(value)));
  if (name === "chat_template_kwargs") return Object.values(objectOf(value)).some(asks);
  return asks(value);
}

/** Whether the request itself has to do with thinking. */
export const asksToThink = (accepted: Accepted): boolean =>
  accepted.info.top.fields.some(({ name }) => FIELDS.has(name) && asksBy(name, requestField(accepted, name)));

const saysNothing = ({ info, form }: Accepted): boolean =>
  form === undefined && !info.top.fields.some(({ name }) => FIELDS.has(name));

export interface WantedThinking {
  readonly asks: boolean;
  /** Tokens that the request allows for thinking alone; 0 where it names none. */
  readonly budget: number;
  /** A word says how much to think, which vendors take before any budget. */
  readonly hasEffort: boolean;
}

const NO_THINKING: WantedThinking = { asks: false, budget: 0, hasEffort: false };

/** What the request says of thinking. */
export function wantedThinking(accepted: Accepted): WantedThinking {
  if (saysNothing(accepted)) return NO_THINKING;
  const field = (name: string): JsonObject => objectOf(requestField(accepted, name));
  const [thinking, reasoning, output] = ["thinking", "reasoning", "output_config"].map(field) as [
    JsonObject,
    JsonObject,
    JsonObject,
  ];
  const google = objectOf(
    thinkingConfig(objectOf(requestField(accepted, "generationConfig") ?? field("generation_config"))),
  );
  const budgets = [
    thinking["budget_tokens"],
    reasoning["max_tokens"],
    requestField(accepted, "thinking_budget"),
    google["thinkingBudget"] ?? google["thinking_budget"],
  ].map((value) => Number(value) || 0);
  const efforts = [
    requestField(accepted, "reasoning_effort"),
    reasoning["effort"],
    output["effort"],
    google["thinkingLevel"],
  ];
  return { asks: asksToThink(accepted), budget: Math.max(...budgets), hasEffort: efforts.some(asks) };
}
