/** Names of the fields of a call, read from the schemas of the contract. */
import { z } from "zod";
import { API } from "../../contract/src/api.ts";
import type { Endpoint } from "../../contract/src/endpoint.ts";

const ENDPOINTS: readonly Endpoint[] = Object.values(API).flatMap((feature) => Object.values(feature));

/** The endpoint that answers `GET /api/token`, or undefined where there is none. */
export function endpointOf(call: string): Endpoint | undefined {
  return ENDPOINTS.find(({ method, path }) => `${method} ${path}` === call);
}

interface JsonSchema {
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  additionalProperties?: JsonSchema | boolean;
}

/** Fields of an object; of the rows of a list, of a page of rows and of a map, beside its own. */
function namesIn(schema: JsonSchema): string[] {
  const { properties = {}, items, anyOf = [], allOf = [], additionalProperties: values } = schema;
  const rows = properties["items"]?.items;
  const inner = [items, rows, typeof values === "object" ? values : undefined, ...anyOf, ...allOf];
  return [...Object.keys(properties), ...inner.flatMap((each) => (each === undefined ? [] : namesIn(each)))];
}

/** Fields of a schema; none where there is no schema. */
export function fieldsOf(schema: z.ZodType | undefined, io: "input" | "output"): ReadonlySet<string> {
  if (schema === undefined) return new Set();
  return new Set(namesIn(z.toJSONSchema(schema, { io, unrepresentable: "any", reused: "inline" }) as JsonSchema));
}
