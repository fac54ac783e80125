/** Keys of another gateway's channels in the forms that it has, as keys here: one, several with their states, and those that stand in its configuration. */
import { KEY_STATUS, KEYS_PER_CHANNEL_MAX } from "../../../contract/src/channels/choices.ts";
import { readKeys } from "../../../contract/src/channels/key-text.ts";
import { type JsonFields, objectOf, parseObject, textOf } from "../util/json-read.ts";
import { textIn } from "./cells.ts";
import type { SourceRow } from "./source.ts";

export interface KeyThere {
  key: string;
  status: number;
  reason: string;
  /** Unix seconds. */
  time: number;
}

export interface KeysThere {
  keys: readonly KeyThere[];
  /** How a call gets one of them. */
  choice: "one" | "random" | "in_turn";
  /** Keys that stand again, and are left out. */
  duplicates: number;
  /** JSON among them cannot be read, or there are more than a channel holds. */
  isBroken: boolean;
}

const AWS = 33;
const VERTEX = 41;

/** one-api keeps what AWS and Vertex need in `config`; the key itself may be a dummy. */
function keyOfConfig(type: number, config: JsonFields): string | undefined {
  const [ak, sk, region, adc] = ["ak", "sk", "region", "vertex_ai_adc"].map((name) => textOf(config[name]).trim());
  if (type === AWS && ak !== "" && sk !== "") return `${ak}|${sk}|${region}`;
  return type === VERTEX && adc !== "" && adc !== undefined ? adc : undefined;
}

const numberOf = (value: unknown): number => (typeof value === "number" && Number.isSafeInteger(value) ? value : 0);

const STATUSES: ReadonlySet<number> = new Set(Object.values(KEY_STATUS));

/** Places in new-api's lists, before repeated keys are left out. */
function linesOf(text: string): string[] {
  const trimmed = text.trim();
  if (trimmed.startsWith("[")) return readKeys(trimmed).keys;
  return trimmed.split(/\r?\n/).map((line) => line.trim());
}

function several(text: string, info: JsonFields): KeysThere {
  const [statuses, reasons, times] = ["status_list", "disabled_reason", "disabled_time"].map((name) =>
    objectOf(info[`multi_key_${name}`]),
  );
  const places = linesOf(text).map((key, place): KeyThere => {
    const status = numberOf(statuses?.[place]) || KEY_STATUS.enabled;
    return {
      key,
      status: STATUSES.has(status) ? status : KEY_STATUS.disabled,
      reason: textOf(reasons?.[place]).slice(0, 255),
      time: numberOf(times?.[place]),
    };
  });
  const filled = places.filter(({ key }) => key !== "");
  const keys = [...Map.groupBy(filled, ({ key }) => key).values()].flatMap(([first]) => first ?? []);
  return {
    keys: keys.slice(0, KEYS_PER_CHANNEL_MAX),
    choice: info["multi_key_mode"] === "polling" ? "in_turn" : "random",
    duplicates: filled.length - keys.length,
    isBroken: keys.length === 0 || keys.length > KEYS_PER_CHANNEL_MAX,
  };
}

/** The keys of a row of `channels`. @param type the type here */
export function keysOfRow(row: SourceRow, type: number): KeysThere {
  const info = objectOf(parseObject(textIn(row, "channel_info")));
  const text = textIn(row, "key");
  if (info["is_multi_key"] === true) return several(text, info);
  const own = keyOfConfig(type, objectOf(parseObject(textIn(row, "config"))));
  // Of several lines the old program sent the first, or all of them as one key that no vendor takes.
  const { keys, duplicates, brokenLine } = readKeys(own ?? text);
  const found = keys.map((key) => ({ key, status: KEY_STATUS.enabled, reason: "", time: 0 }));
  return {
    keys: found.slice(0, KEYS_PER_CHANNEL_MAX),
    choice: found.length > 1 ? "random" : "one",
    duplicates,
    isBroken: brokenLine !== undefined || found.length === 0 || found.length > KEYS_PER_CHANNEL_MAX,
  };
}
