/** Saved lists of models, tags and endpoints that forms are filled from, as this API family has them (model/prefill_group.go of github.com/QuantumNous/new-api). */
import { z } from "zod";
import { AppError } from "../errors.ts";
import { hasUnseen, nameText } from "../names.ts";

export const PREFILL_TYPES = ["model", "tag", "endpoint"] as const;
export type PrefillType = (typeof PREFILL_TYPES)[number];

export const PREFILL_GROUPS_MAX = 200;
const PREFILL_ITEMS_MAX = 1000;
export const PREFILL_NAME_MAX = 64;
const DESCRIPTION_MAX = 255;
const ITEM_MAX = 255;
/** Characters of endpoints that come as JSON text. */
const TEXT_MAX = 65_536;

const address = z.strictObject({ path: z.string(), method: z.string() });
/** Names; or addresses by type of endpoint, such as `{"openai": {"path": "/v1/chat/completions", "method": "POST"}}`. */
const items = z.union([z.array(z.string()), z.record(z.string(), address)]);
export type PrefillItems = z.output<typeof items>;

export const prefillGroup = z.object({
  id: z.number(),
  name: z.string(),
  type: z.literal(PREFILL_TYPES),
  items,
  description: z.string(),
  created_time: z.number(),
  updated_time: z.number(),
});
export type PrefillGroup = z.output<typeof prefillGroup>;

const description = nameText.max(DESCRIPTION_MAX);
/** Endpoints also come as JSON text, which other consoles send; `readItems` says what is wrong with it. */
const sentItems = z.union([z.array(z.unknown()), z.record(z.string(), z.unknown()), z.string().max(TEXT_MAX)]);

export const newPrefillGroup = z.object({
  name: nameText,
  type: z.literal(PREFILL_TYPES),
  items: sentItems.optional(),
  description: description.optional(),
});
export type NewPrefillGroup = z.output<typeof newPrefillGroup>;

export const prefillUpdate = newPrefillGroup.partial().extend({ id: z.number().int() });
export type PrefillUpdate = z.output<typeof prefillUpdate>;

const refused = (message: string): AppError => new AppError("invalid_field", { field: "items", message });

/** Trimmed and distinct, in the order given. */
function readNames(sent: unknown): string[] {
  if (!Array.isArray(sent)) throw refused("Expected a list of names");
  const names = sent.map((name, place) => {
    const isFine = typeof name === "string" && name.trim().length <= ITEM_MAX && !hasUnseen(name.trim());
    if (!isFine) throw refused(`Item ${place + 1} is not a name of at most ${ITEM_MAX} visible characters`);
    return name.trim();
  });
  return [...new Set(names)].filter((name) => name !== "");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refused("The endpoints are not valid JSON");
  }
}

/** Addresses by type; a text in the place of an address is a path that wants POST. */
function readEndpoints(sent: unknown): Record<string, { path: string; method: string }> {
  const value = typeof sent === "string" ? (sent.trim() === "" ? {} : parsed(sent)) : sent;
  if (typeof value !== "object" || value === null) throw refused("Expected endpoints by type");
  if (Array.isArray(value) && value.length > 0) throw refused("Expected endpoints by type, not a list");
  return Object.fromEntries(
    Object.entries(value).map(([type, sentAddress]) => {
      const whole = typeof sentAddress === "string" ? { path: sentAddress, method: "POST" } : sentAddress;
      const { data } = address.safeParse(whole);
      const isFine = data !== undefined && data.path.startsWith("/") && data.path.length <= ITEM_MAX;
      const isNamed = type.trim() !== "" && type.length <= PREFILL_NAME_MAX && !hasUnseen(type);
      if (!isFine || !isNamed || !/^[A-Z]{3,7}$/.test(data.method))
        throw refused(`The endpoint "${type.slice(0, PREFILL_NAME_MAX)}" wants a path from "/" and a method`);
      return [type, data];
    }),
  );
}

/** The items of a list of this type, as they are stored. Throws AppError invalid_field `items`. */
export function readItems(type: PrefillType, sent: unknown): PrefillItems {
  const read = type === "endpoint" ? readEndpoints(sent ?? {}) : readNames(sent ?? []);
  if (Object.keys(read).length > PREFILL_ITEMS_MAX) throw refused(`At most ${PREFILL_ITEMS_MAX} items`);
  return read;
}
