/** The client's JSON body as an object, parsed once and only by the calls that have to look inside; the depth was bounded before. */
import { parseExact, withPlainSettings } from "../dialects/exact-json.ts";
import { isJson } from "../dialects/json-fields.ts";
import type { JsonField } from "../dialects/json-bytes.ts";
import type { JsonObject } from "../dialects/neutral.ts";
import { type Exchange, known } from "./exchange.ts";
import { Refusal } from "./refusal.ts";

/** Of the fields at the top level, whose values were only passed over so far, the first that is no JSON inside. */
function brokenField({ body, facts }: Exchange): JsonField | undefined {
  const { fields } = known(facts, "facts").top;
  return fields.find(({ valueStart, valueEnd }) => !isJson(body.toString("utf8", valueStart, valueEnd)));
}

function invalidJson(exchange: Exchange): Refusal {
  const field = brokenField(exchange);
  if (field === undefined) return new Refusal("invalid_json");
  const { name } = field;
  return new Refusal("invalid_json", { message: `The value of '${name}' is not valid JSON.`, param: name });
}

/** Fields of the body. Throws Refusal 400 naming the field whose value is no JSON inside. */
export function bodyFields(exchange: Exchange): JsonObject {
  if (exchange.fields !== undefined) return exchange.fields;
  try {
    // The top level was read before: it is an object.
    const fields = parseExact(exchange.body.toString("utf8")) as JsonObject;
    return (exchange.fields = withPlainSettings(fields));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidJson(exchange);
  }
}
