/** The body of an upstream's error as a client of the same format reads it: as it came, but for keys, addresses and names of accounts; part of the hub. */
import { isObject, objectOf, parseObject, textOf } from "../json/fields.ts";
import { holdsAccountId, namesAccount, type ReadFailure, redact } from "./failure.ts";
import type { JsonObject } from "./neutral.ts";

/** Characters of a body; more is no message for a client. */
const MOST = 65_536;

/** A string of a JSON text, quotes included. */
const LITERAL = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

/** Fields that say whose account it is, with what they say. */
const ACCOUNT_FIELD =
  /("(?:account|organi[sz]ation|org|project|tenant|subscription|workspace|team|user|principal|customer|consumer)(?:[_-]?(?:id|name|number))?"\s*:\s*)(?:"(?!")[^"\\]*(?:\\.[^"\\]*)*"|-?\d+)/gi;

/** Kinds that speak of the operator's key and account. */
const OF_OPERATOR: ReadonlySet<ReadFailure["kind"]> = new Set(["auth", "quota"]);

/** A limit is the operator's: its words go on where they give no figure of it and name no account, and nothing is said beside them. */
function isPlainLimit(error: JsonObject): boolean {
  const message = textOf(error["message"]);
  const isFlat = Object.values(error).every((value) => typeof value !== "object" || value === null);
  return isFlat && !/\d/.test(message) && !namesAccount(message);
}

interface PassedError {
  /** As text, whatever came. */
  body: string;
  failure: ReadFailure;
  /** Takes out what is known to be secret; patterns find the others. */
  hide(text: string): string;
  /** What the format asks of its envelope beside `error.message`. */
  isEnvelope?: ((fields: JsonObject) => boolean) | undefined;
}

/**
 * The text to send; undefined where the body is no envelope of the format, or says more of the operator than a client may read. Strings are
 * compared as they are spelled out, so that no escape hides a key; every byte that is not of a redacted string stays.
 */
export function passedError({ body, failure, hide, isEnvelope }: PassedError): string | undefined {
  // The character stands for bytes that are no UTF-8: sent as text they would be others.
  if (OF_OPERATOR.has(failure.kind) || body.length > MOST || body.includes("\uFFFD")) return undefined;
  const fields = parseObject(body);
  const error = objectOf(fields?.["error"]);
  const message = textOf(error["message"]);
  if (fields === undefined || message === "" || isEnvelope?.(fields) === false) return undefined;
  let namesMore = false;
  const shown = body.replace(ACCOUNT_FIELD, '$1"[account]"').replace(LITERAL, (literal) => {
    const text = String(JSON.parse(literal));
    const safe = redact(hide(text));
    if (text !== message && holdsAccountId(safe)) namesMore = true;
    return safe === text ? literal : JSON.stringify(safe);
  });
  if (namesMore || (failure.kind === "rate" && (shown !== body || !isPlainLimit(error)))) return undefined;
  return shown;
}

/** True for an error beside parts of an answer, which is no envelope of OpenAI's. */
export const isPlainEnvelope = ({ error, type, object, choices }: JsonObject): boolean =>
  isObject(error) && type === undefined && object === undefined && choices === undefined;
