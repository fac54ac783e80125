/** Reads cells that only LiteLLM's tables have: lists and JSON of PostgreSQL. */
import { type JsonFields, parseObject } from "../../util/json-read.ts";
import type { SourceRow } from "../source.ts";

/** One element of an array's text: in quotes, or up to the next comma. */
const ELEMENT = /"((?:[^"\\]|\\.)*)"|([^,{}"]+)/gy;

/** The texts of a `text[]`; none for NULL. */
export function listIn(row: SourceRow, column: string): string[] {
  const text = (row[column] ?? "").trim();
  if (!text.startsWith("{") || !text.endsWith("}")) return [];
  const elements: string[] = [];
  let from = 1;
  while (from < text.length - 1) {
    ELEMENT.lastIndex = from;
    const match = ELEMENT.exec(text);
    if (match === null) break;
    const [whole, quoted, plain = ""] = match;
    if (quoted !== undefined) elements.push(quoted.replaceAll(/\\(.)/g, "$1"));
    else if (plain !== "NULL") elements.push(plain);
    from += whole.length + 1;
  }
  return elements;
}

/** A JSON object; one without fields for anything else. */
export const fieldsIn = (row: SourceRow, column: string): JsonFields => parseObject(row[column] ?? "") ?? {};
