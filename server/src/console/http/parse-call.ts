/** Reads the path, query and body of a console call: other forms of the API family are converted to the contract's, and unknown fields are refused by name or listed as ignored. */
import type { IncomingMessage } from "node:http";
import type { z } from "zod";
import type { Endpoint } from "../../../../contract/src/endpoint.ts";
import { ERRORS } from "../../../../contract/src/error-codes.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import type { AliasCall } from "../../../../contract/src/family/alias-calls.ts";
import { answerForm, bodyInOurForm, queryInOurForm } from "../../../../contract/src/family/body-forms.ts";
import { judgeUnknown, knownFields } from "../../../../contract/src/family/fields.ts";
import { readJsonBody } from "./body.ts";

interface ReceivingRoute {
  /** `<feature>.<endpoint>`. */
  name: string;
  endpoint: Endpoint;
  alias?: AliasCall;
}

/** Parameters of the path and of the query. Throws AppError invalid_field. */
export function parseAddress(
  { params: paramsSchema, query: querySchema }: Endpoint,
  { params, query }: { params: Readonly<Record<string, string>>; query: Readonly<Record<string, string>> },
) {
  const known = querySchema === undefined ? undefined : knownFields(querySchema);
  return {
    params: parseWith(paramsSchema, params),
    query: parseWith(querySchema, queryInOurForm(query, known)),
  };
}

interface ReadBody {
  body: unknown;
  ignored: readonly string[];
  /** How `data` of the answer becomes what a sender of this form reads; undefined for our own form. */
  dataForm: ((data: unknown) => unknown) | undefined;
}

/**
 * The body as the endpoint's schema knows it, and the names of what was sent beside that.
 * Throws AppError field_unsupported for a field that elsewhere would change what happens, and what the schema refuses.
 */
export async function parseBody(
  incoming: IncomingMessage,
  params: Readonly<Record<string, string>>,
  { name, endpoint, alias }: ReceivingRoute,
): Promise<ReadBody> {
  if (endpoint.body === undefined) return { body: undefined, ignored: [], dataForm: undefined };
  const sent = await readJsonBody(incoming, endpoint);
  const aliased = alias?.body === undefined || !isObject(sent) ? sent : alias.body(params, sent);
  const body = bodyInOurForm(name, aliased);
  const known = knownFields(endpoint.body);
  const dataForm = answerForm(name, aliased);
  if (!isObject(body) || known === undefined) return { body: parseWith(endpoint.body, body), ignored: [], dataForm };
  const { refused, ignored } = judgeUnknown(name, body, known);
  if (refused !== undefined) {
    const message = `${ERRORS.field_unsupported.message}: ${refused}`;
    throw new AppError("field_unsupported", { message, field: refused, values: { field: refused } });
  }
  return { body: parseWith(endpoint.body, body), ignored, dataForm };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Path of the first text with a zero character: PostgreSQL stores none, and SQLite's patterns end there. */
function zeroCharacterIn(value: unknown, path = ""): string | undefined {
  if (typeof value === "string") return value.includes("\0") ? path : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const found = zeroCharacterIn(inner, path === "" ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Throws AppError invalid_field, naming the field, where the schema refuses or a text has a character that no database takes. */
function parseWith(schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return undefined;
  const zero = zeroCharacterIn(value);
  if (zero !== undefined)
    throw new AppError("invalid_field", { message: "Please take out the zero character", field: zero });
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join(".") ?? "";
  const named = field === "" ? {} : { field };
  if (issue?.code === "custom" && issue.params?.["code"] === "name_characters")
    throw new AppError("name_characters", named);
  throw new AppError("invalid_field", { message: issue?.message ?? "", ...named });
}
