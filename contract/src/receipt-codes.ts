/** Codes in receipts: the rule by which an incomplete answer was charged, and why channels were skipped. */
import type { BrokenStreamRule } from "./pricing/broken-stream.ts";

/** Each rule, with the sentence that earlier versions stored instead. */
export const CHARGE_RULES = {
  client_left: "the client left: charged for what was delivered",
  quota_reached: "the balance ended: charged for what was delivered",
  upstream_broke_delivered: "the upstream broke off: charged for what was delivered",
  upstream_broke_input_only: "the upstream broke off: charged for its input alone",
  upstream_broke_nothing: "the upstream broke off: not charged",
  gateway_broke_delivered: "the gateway broke off: charged for what was delivered",
  gateway_broke_input_only: "the gateway broke off: charged for its input alone",
  gateway_broke_nothing: "the gateway broke off: not charged",
} as const satisfies Readonly<
  Record<"client_left" | "quota_reached" | `${"upstream" | "gateway"}_broke_${BrokenStreamRule}`, string>
>;
export type ChargeRule = keyof typeof CHARGE_RULES;

interface SkipDefinition {
  /** Names of the values that are stored with the code; all are text. */
  values: readonly string[];
  /** How the sentence begins that earlier versions stored instead; the rest of it is the only value. Undefined where none did. */
  former: string | undefined;
}

/** Why a channel was not tried. */
export const SKIP_REASONS = {
  disabled: { values: [], former: "disabled" },
  no_enabled_key: { values: [], former: "no enabled key" },
  /** It offers the model to other groups alone. */
  group: { values: ["groups"], former: undefined },
  /** It does not offer the model. */
  model: { values: [], former: undefined },
  busy: { values: [], former: "busy" },
  unknown_channel_type: { values: [], former: "unknown channel type" },
  /** Its vendor has ended the service. */
  provider_retired: { values: [], former: undefined },
  resting: { values: [], former: "resting after failures" },
  resting_as_asked: { values: [], former: "resting as its upstream asked" },
  probed: { values: [], former: "being probed by another call" },
  unsupported_operation: { values: ["operation"], former: "does not serve " },
  /** `limit` is the channel's own, `tokens` what the call's input was estimated at. */
  input_limit: { values: ["limit", "tokens"], former: undefined },
  untranslatable: { values: ["field"], former: "cannot do what was asked: " },
} as const satisfies Readonly<Record<string, SkipDefinition>>;
export type SkipCode = keyof typeof SKIP_REASONS;

type ValuesOf<Code extends SkipCode> = (typeof SKIP_REASONS)[Code]["values"][number];

/** A code with the values that its sentence takes. */
export type SkipReason = {
  [Code in SkipCode]: ValuesOf<Code> extends never
    ? { readonly code: Code; readonly values?: undefined }
    : { readonly code: Code; readonly values: Readonly<Record<ValuesOf<Code>, string>> };
}[SkipCode];

const entriesOf = <Key extends string, Value>(table: Readonly<Record<Key, Value>>): [Key, Value][] =>
  Object.entries(table) as [Key, Value][];

/** Reads the rule of a receipt of any earlier version. Undefined where there is none or a later version wrote it. */
export function readChargeRule(sent: unknown): ChargeRule | undefined {
  return entriesOf<ChargeRule, string>(CHARGE_RULES).find(([code, former]) => sent === code || sent === former)?.[0];
}

/** Whether the upstream or the gateway ended the answer; such a call counts as failed. */
export const isBrokenOff = (rule: ChargeRule): boolean => rule.includes("_broke_");

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** Reads the sentence of an earlier version. */
function formerReason(sentence: string): SkipReason | undefined {
  for (const [code, { values, former }] of entriesOf<SkipCode, SkipDefinition>(SKIP_REASONS)) {
    const [name] = values;
    if (former === undefined) continue;
    if (name === undefined && sentence === former) return { code } as SkipReason;
    if (name !== undefined && sentence.startsWith(former))
      return { code, values: { [name]: sentence.slice(former.length) } } as SkipReason;
  }
  return undefined;
}

/** Reads why a channel was skipped, in a receipt of any earlier version. Undefined where a later version wrote it. */
export function readSkipReason(sent: unknown): SkipReason | undefined {
  if (!isObject(sent)) return undefined;
  const { code, values, reason } = sent;
  if (typeof code !== "string") return typeof reason === "string" ? formerReason(reason) : undefined;
  if (!Object.hasOwn(SKIP_REASONS, code)) return undefined;
  const names: readonly string[] = SKIP_REASONS[code as SkipCode].values;
  if (names.length === 0) return { code } as SkipReason;
  const isWhole = isObject(values) && names.every((name) => typeof values[name] === "string");
  return isWhole ? ({ code, values } as SkipReason) : undefined;
}
