/** The client's JSON body as an object, parsed once and only by the calls that have to look inside; the depth was bounded before. */
import { parseExact, withPlainSettings } from "../../dialects/json/exact.ts";
import { isJson } from "../../dialects/json/fields.ts";
import type { JsonField } from "../../dialects/json/bytes.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { RelayError } from "../call/relay-error.ts";
import type { Accepted } from "./accepted.ts";

/** Of the fields at the top level, whose values were only passed over so far, the first that is no JSON inside. */
function brokenField({ body, info }: Accepted): JsonField | undefined {
  return info.top.fields.find(({ valueStart, valueEnd }) => !isJson(body.toString("utf8", valueStart, valueEnd)));
}

function invalidJson(accepted: Accepted): RelayError {
  const field = brokenField(accepted);
  if (field === undefined) return new RelayError("invalid_json");
  const { name } = field;
  return new RelayError("invalid_json", { message: `The value of '${name}' is not valid JSON.`, param: name });
}

/** Fields of the body. Throws RelayError 400 naming the field whose value is no JSON inside. */
export function bodyFields(accepted: Accepted): JsonObject {
  if (accepted.fields !== undefined) return accepted.fields;
  try {
    // The top level was read before: it is an object.
    const fields = parseExact(accepted.body.toString("utf8")) as JsonObject;
    return (accepted.fields = withPlainSettings(fields));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidJson(accepted);
  }
}
