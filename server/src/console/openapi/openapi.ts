/** Generates the OpenAPI document from the contract's table of endpoints, which is also what is mounted, and the relay's endpoints. */
import { z } from "zod";
import { API, FEATURE_NAMES } from "../../../../contract/src/api.ts";
import type { Endpoint } from "../../../../contract/src/endpoint.ts";
import { ERRORS } from "../../../../contract/src/error-codes.ts";
import { ALIAS_CALLS, type AliasCall } from "../../../../contract/src/family/alias-calls.ts";
import { BODY_FORMS } from "../../../../contract/src/family/body-forms.ts";
import { FIELD_TEXTS } from "./field-texts.ts";
import { RELAY_PATHS, RELAY_SECURITY } from "./openapi-relay.ts";
import { RELAY_FAILURE_RESPONSES, RELAY_FAILURE_SCHEMAS } from "./relay-failures.ts";

type Json = Record<string, unknown>;

const ENVELOPE_FAILURE = {
  type: "object",
  required: ["success", "message"],
  properties: {
    success: { const: false },
    message: { type: "string", description: "What to do, in English" },
    code: { type: "string", description: "Stable code of the refusal", enum: Object.keys(ERRORS) },
    field: { type: "string", description: "The field that was refused" },
    values: {
      type: "object",
      additionalProperties: { type: ["string", "number"] },
      description: "What the sentence of the code needs, for other languages",
    },
  },
} as const;

const SESSION = [{ session: [], userId: [] }, { accessToken: [] }];

const ACCESS_TEXT = {
  public: "Open to anybody.",
  optional: "Open to anybody; a session is read when there is one.",
  user: "Needs a session or an access token.",
  admin: "Needs an administrator (role 10 and up).",
  root: "Needs the super administrator (role 100).",
  signed: "Proves itself by its signature.",
} as const;

const OBJECT_TEXT = {
  none: "",
  self: " About the caller's own account.",
  own: " Only what belongs to the caller: somebody else's is answered like one that does not exist.",
  lowerRole: " Only for accounts of a lower role than the caller's.",
  site: " About the whole installation.",
} as const;

/** What one of them has to be permitted (docs/permissions.md). */
function actText({ act = "any" }: Endpoint): string {
  if (act === "any") return "";
  const permissions = typeof act === "string" ? [act] : act;
  return ` One who is restricted needs the permission ${permissions.map((name) => `\`${name}\``).join(" or ")}.`;
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _dropped, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any", reused: "inline" });
  return rest;
}

/** The schema of a body, each of its fields with its meaning. */
function describedSchema(schema: z.ZodType): Json {
  const described = (json: Json): Json => {
    const fields = Object.entries((json["properties"] ?? {}) as Record<string, Json>);
    const variants = json["anyOf"] as Json[] | undefined;
    return {
      ...json,
      ...(fields.length > 0 && {
        properties: Object.fromEntries(fields.map(([name, field]) => [name, texted(name, field)])),
      }),
      ...(variants !== undefined && { anyOf: variants.map(described) }),
    };
  };
  return described(schemaOf(schema, "input"));
}

const texted = (name: string, field: Json): Json => {
  const description = FIELD_TEXTS[name];
  return description === undefined ? field : { ...field, description };
};

/** Fields of an object schema as parameters. */
function parametersOf(schema: z.ZodType | undefined, place: "path" | "query"): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(schema, "input") as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, field]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    schema: field,
    ...(FIELD_TEXTS[name] !== undefined && { description: FIELD_TEXTS[name] }),
  }));
}

function successSchema(endpoint: Endpoint): Json {
  const extra = endpoint.extra === undefined ? {} : schemaOf(endpoint.extra, "output");
  const properties = {
    success: { const: true },
    message: { type: "string" },
    ...(endpoint.data === undefined ? {} : { data: schemaOf(endpoint.data, "output") }),
    ...(extra["properties"] as Json | undefined),
  };
  return { type: "object", required: ["success", "message"], properties };
}

const jsonContent = (schema: unknown): Json => ({ "application/json": { schema } });
const failure = (description: string): Json => ({
  description,
  content: jsonContent({ $ref: "#/components/schemas/Failure" }),
});

/** A stream that fails ends its connection without the last chunk, so that no client takes it for complete. */
const streamedContent = ({ mediaType = "text/plain" }: Endpoint): Json => ({
  description: "The text, streamed; a refusal is an envelope with `success: false`",
  content: {
    [mediaType.split(";", 1)[0] ?? mediaType]: { schema: { type: "string" } },
    ...jsonContent({ $ref: "#/components/schemas/Failure" }),
  },
});

/** Responses of an endpoint that redirects the browser; a refusal stays an envelope of status 200. */
const redirected: Json = {
  "302": { description: "Done: leads to a page of the console" },
  "200": failure("Refused; `message` says what to do"),
};

/** The response to the webhooks and callbacks of other sites. */
const callbackResponses: Json = {
  "200": { description: "A word of plain text", content: { "text/plain": { schema: { type: "string" } } } },
  "404": { description: "What it belongs to is not set up" },
};

function responsesOf(endpoint: Endpoint): Json {
  if (endpoint.answerKind === "callback") return callbackResponses;
  const isProtected = ["user", "admin", "root"].includes(endpoint.access);
  const streamed = endpoint.answerKind === "stream" ? streamedContent(endpoint) : undefined;
  const done = {
    "200": streamed ?? {
      description: "Done, or refused with `success: false` and a message that says what to do",
      content: jsonContent({ anyOf: [successSchema(endpoint), { $ref: "#/components/schemas/Failure" }] }),
    },
  };
  return {
    ...(endpoint.answerKind === "redirect" ? redirected : done),
    "400": failure("Malformed input; `field` names what was refused"),
    ...(isProtected ? { "401": failure("Not logged in"), "403": failure("The role does not allow this") } : {}),
    "429": failure("Too many requests; `Retry-After` says when to come back"),
  };
}

const otherForms = (endpointName: string): string => {
  const form = BODY_FORMS[endpointName];
  return form === undefined ? "" : ` Other forms of this API family: ${form.text}`;
};

/** An address that other gateways have for an endpoint. */
function aliasOperation({ method, path, to }: AliasCall): Json {
  const [feature = "", name = ""] = to.split(".");
  const endpoint = Object.entries(API).find(([key]) => key === feature)?.[1][name];
  if (endpoint === undefined) throw new Error(`The alias ${path} leads to ${to}, which is no endpoint`);
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => ({
    name: parameter,
    in: "path",
    required: true,
    schema: { type: "integer" },
    description: FIELD_TEXTS[String(parameter)] ?? "",
  }));
  const summary = `Another address of ${endpoint.method} ${endpoint.path}, as other gateways of this API family have it`;
  return {
    ...operationOf(feature, name, endpoint),
    operationId: `alias${method}${path.replaceAll(/\W+/g, "_")}`,
    summary,
    parameters,
  };
}

function operationOf(feature: string, name: string, endpoint: Endpoint): Json {
  const isOpen = ["public", "optional", "signed"].includes(endpoint.access);
  const stepUp = endpoint.stepUp === true ? " The password must have been confirmed within ten minutes." : "";
  return {
    operationId: name,
    tags: [feature],
    summary: endpoint.summary,
    description:
      ACCESS_TEXT[endpoint.access] +
      actText(endpoint) +
      OBJECT_TEXT[endpoint.object] +
      stepUp +
      otherForms(`${feature}.${name}`),
    security: isOpen ? [] : SESSION,
    parameters: [...parametersOf(endpoint.params, "path"), ...parametersOf(endpoint.query, "query")],
    ...(endpoint.body === undefined
      ? {}
      : { requestBody: { required: true, content: jsonContent(describedSchema(endpoint.body)) } }),
    responses: responsesOf(endpoint),
  };
}

function consolePaths(): Record<string, Json> {
  const paths: Record<string, Json> = {};
  for (const feature of FEATURE_NAMES) {
    for (const [name, endpoint] of Object.entries(API[feature])) {
      const path = (paths[endpoint.path] ??= {});
      path[endpoint.method.toLowerCase()] = operationOf(feature, name, endpoint);
    }
  }
  for (const alias of ALIAS_CALLS) (paths[alias.path] ??= {})[alias.method.toLowerCase()] = aliasOperation(alias);
  return paths;
}

/** The whole document, the same at every call. `docs/openapi.json` is this, and a check keeps the two equal. */
export function buildOpenApi(): Json {
  return {
    openapi: "3.1.0",
    info: {
      title: "Turnpike",
      version: "1",
      description:
        "The console API answers `{success, message, data}`; a refused action is HTTP 200 with `success: false`. " +
        "Every path is served with and without a trailing slash. The relay speaks the upstream's own dialects.",
      license: { name: "MIT" },
    },
    tags: [...FEATURE_NAMES.map((name) => ({ name })), { name: "relay" }],
    paths: { ...consolePaths(), ...RELAY_PATHS },
    components: {
      schemas: { Failure: ENVELOPE_FAILURE, ...RELAY_FAILURE_SCHEMAS },
      responses: RELAY_FAILURE_RESPONSES,
      securitySchemes: {
        session: { type: "apiKey", in: "cookie", name: "turnpike_session" },
        accessToken: { type: "http", scheme: "bearer", description: "The user's access token" },
        userId: { type: "apiKey", in: "header", name: "New-Api-User", description: "Id of the calling user" },
        ...RELAY_SECURITY,
      },
    },
  };
}
