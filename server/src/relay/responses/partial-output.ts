/** The output of a response as far as its events have come, for one that does not come to its end; pure. */
import { isObject, listOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";

// Events: platform.openai.com/docs/api-reference/responses-streaming.

/** Deltas that add to a text of an item's parts, by where the parts are; other deltas come again in the item's own last event. */
const TEXTS: Readonly<Record<string, readonly [list: string, index: string, field: string]>> = {
  "response.output_text.delta": ["content", "content_index", "text"],
  "response.refusal.delta": ["content", "content_index", "refusal"],
  "response.reasoning_summary_text.delta": ["summary", "summary_index", "text"],
};

/** Items and parts beyond this place are no vendor's. */
const MAX_INDEX = 10_000;

interface Item {
  fields: JsonObject;
  isDone: boolean;
  /** Parts with the pieces of their texts. */
  parts: Map<number, { fields: JsonObject; list: string; field: string; pieces: string[] }>;
}

const placeOf = (value: unknown): number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_INDEX ? Number(value) : -1;

export class PartialOutput {
  readonly #items = new Map<number, Item>();

  /** Reads one event. Gives the characters by which what is kept has grown. */
  take(event: JsonObject): number {
    const type = textOf(event["type"]);
    const place = placeOf(event["output_index"]);
    if (place < 0) return 0;
    const isDone = type === "response.output_item.done";
    if ((isDone || type === "response.output_item.added") && isObject(event["item"])) {
      this.#items.set(place, { fields: event["item"], isDone, parts: new Map() });
      return JSON.stringify(event["item"]).length;
    }
    const item = this.#items.get(place);
    const text = TEXTS[type];
    if (item === undefined || text === undefined) return 0;
    const [list, index, field] = text;
    const part = placeOf(event[index]);
    if (part < 0) return 0;
    const kept = item.parts.getOrInsertComputed(part, () => ({ fields: partFields(type), list, field, pieces: [] }));
    const delta = textOf(event["delta"]);
    kept.pieces.push(delta);
    return delta.length;
  }

  /** What came, in its order; an item that has not ended is incomplete. */
  get items(): JsonObject[] {
    return [...this.#items]
      .toSorted(([a], [b]) => a - b)
      .map(([, item]) => (item.isDone ? item.fields : withParts(item)));
  }
}

const partFields = (type: string): JsonObject => {
  if (type === "response.refusal.delta") return { type: "refusal" };
  return type === "response.output_text.delta"
    ? { type: "output_text", annotations: [], logprobs: [] }
    : { type: "summary_text" };
};

function withParts({ fields, parts }: Item): JsonObject {
  const said = [...parts].toSorted(([a], [b]) => a - b).map(([, part]) => part);
  const lists = Map.groupBy(said, ({ list }) => list);
  const filled = [...lists].map(([list, each]) => [
    list,
    each.map((part, index) => ({
      ...objectOf(listOf(fields[list])[index]),
      ...part.fields,
      [part.field]: part.pieces.join(""),
    })),
  ]);
  return { ...fields, ...("status" in fields ? { status: "incomplete" } : {}), ...Object.fromEntries(filled) };
}
