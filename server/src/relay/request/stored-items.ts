/** Items of a Responses input that stand there by their ids: their vendor has what they say. */
import { JsonFault, type JsonTop, fieldOf, readTopLevel, valueOf } from "../../dialects/json/bytes.ts";
import { ownOf } from "../../dialects/json/fields.ts";
import { entriesOf } from "./named-values.ts";

const OPEN_OBJECT = 123;
const ID = Buffer.from('"id"');

/** Fields in which an item says something itself, by its type; those of all others stand last (api-reference/responses/create, "input"). */
const OWN_CONTENT: Readonly<Record<string, readonly string[]>> = {
  // A summary is none of the thoughts.
  reasoning: ["encrypted_content", "content"],
};
const CONTENT =
  "content encrypted_content arguments input output action actions operation result results code tools".split(" ");

/** Of a call without arguments the name is all there is to say. */
const CALLED = ["call_id", "name"];

const NOTHING = /^(?:null|""|\[\s*\]|\{\s*\})$/;
/** `{}` with blanks, at most; longer values are something. */
const SHORT_BYTES = 64;

function hasValue(body: Buffer, top: JsonTop, name: string): boolean {
  const field = fieldOf(top, name);
  if (field === undefined) return false;
  const { valueStart, valueEnd } = field;
  return valueEnd - valueStart > SHORT_BYTES || !NOTHING.test(body.toString("latin1", valueStart, valueEnd));
}

function isStored(item: Buffer): boolean {
  const top = readTopLevel(item.toString("latin1"), Number.POSITIVE_INFINITY);
  const has = (name: string): boolean => hasValue(item, top, name);
  if (!has("id")) return false;
  const type = valueOf(item, top, "type");
  const content = (typeof type === "string" ? ownOf(OWN_CONTENT, type) : undefined) ?? CONTENT;
  return !content.some(has) && !CALLED.every(has);
}

/** An entry that is no object is none to anybody. */
function isStoredEntry(entry: Buffer): boolean {
  if (entry[0] !== OPEN_OBJECT || !entry.includes(ID)) return false;
  try {
    return isStored(entry);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    // It is the upstream's to refuse.
    return true;
  }
}

/** True where an item has an id, and no content of its own. */
export function hasStoredItem(body: Buffer, top: JsonTop): boolean {
  const field = fieldOf(top, "input");
  if (field === undefined || !body.includes(ID)) return false;
  return entriesOf(body, field).some(({ start, end }) => isStoredEntry(body.subarray(start, end)));
}
