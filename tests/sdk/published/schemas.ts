/** JSON schemas of the official library's published types, made when they are first asked for, and what in a value breaks them. */
import { fileURLToPath } from "node:url";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { type CompletedConfig, DEFAULT_CONFIG, createGenerator, createProgram } from "ts-json-schema-generator";
import { fieldsOf } from "../../support/clients/client-formats.ts";
import type { Published, PublishedRealtime } from "./types.ts";

export type PublishedName = keyof Published | keyof PublishedRealtime;
type Schema = Record<string, unknown>;
type Definitions = Readonly<Record<string, Schema>>;

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const REFERENCE = "#/definitions/";

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The definition behind a reference, or the schema itself. */
function resolved(schema: Schema, definitions: Definitions): Schema {
  const { $ref } = schema;
  if (typeof $ref !== "string") return schema;
  const found = definitions[decodeURIComponent($ref.slice(REFERENCE.length))];
  if (found === undefined) throw new Error(`no definition ${$ref}`);
  return resolved(found, definitions);
}

/** All members of a union, also of unions within it. */
function membersOf(schema: Schema, definitions: Definitions): Schema[] {
  const { anyOf } = resolved(schema, definitions);
  return Array.isArray(anyOf) ? anyOf.filter(isSchema).flatMap((each) => membersOf(each, definitions)) : [schema];
}

/** The only values that a member's `type` may have; undefined where it may be another or absent. */
function tagsOf(member: Schema, definitions: Definitions): unknown[] | undefined {
  const { properties, required } = resolved(member, definitions);
  if (!isSchema(properties) || !Array.isArray(required) || !required.includes("type")) return undefined;
  const { const: only, enum: all } = fieldsOf(properties["type"]);
  return Array.isArray(all) ? all : only === undefined ? undefined : [only];
}

/** A union whose members differ by `type` is read by it, so that a fault is one of the member that was meant. */
function byTag(anyOf: readonly Schema[], definitions: Definitions): Schema | undefined {
  const members = anyOf.flatMap((each) => membersOf(each, definitions));
  const objects = members.filter((each) => resolved(each, definitions)["type"] !== "null");
  const tags = objects.map((each) => tagsOf(each, definitions));
  const all = tags.flatMap((each) => each ?? []);
  if (objects.length < 2 || tags.includes(undefined) || new Set(all).size < all.length) return undefined;
  const union = { type: "object", discriminator: { propertyName: "type" }, required: ["type"], oneOf: objects };
  return objects.length === members.length ? union : { anyOf: [union, { type: "null" }] };
}

/** The same schema with its unions read by their tags. */
function tagged(value: unknown, definitions: Definitions): unknown {
  if (Array.isArray(value)) return value.map((each) => tagged(each, definitions));
  if (!isSchema(value)) return value;
  const { anyOf, ...others } = value;
  const union = Array.isArray(anyOf) ? byTag(anyOf.filter(isSchema), definitions) : undefined;
  const entries = Object.entries(union === undefined ? value : { ...others, ...union });
  return Object.fromEntries(entries.map(([name, each]) => [name, tagged(each, definitions)]));
}

const CONFIG: CompletedConfig = {
  ...DEFAULT_CONFIG,
  path: here("types.ts"),
  tsconfig: here("tsconfig.json"),
  expose: "all",
  jsDoc: "none",
  skipTypeCheck: true,
  // Answers may have members of newer versions, of vendors and of the gateway: the library reads past them.
  additionalProperties: true,
  sortProps: false,
};

function definitionsOf(root: string, tsProgram: ReturnType<typeof createProgram>): Record<string, Schema> {
  const generator = createGenerator({ ...CONFIG, tsProgram, type: root });
  const { definitions = {} } = generator.createSchema(root) as { definitions?: Record<string, Schema> };
  // The library joins it from `output`; OpenAI does not send it.
  const response = definitions["Response"];
  if (Array.isArray(response?.["required"]))
    response["required"] = response["required"].filter((name) => name !== "output_text");
  return definitions;
}

/** A validator for each member of the types' roots. */
function compiled(): Map<string, ValidateFunction> {
  const program = createProgram(CONFIG);
  const validators = ["Published", "PublishedRealtime"].flatMap((root) => {
    const definitions = definitionsOf(root, program);
    const ajv = new Ajv({ allErrors: true, strict: false, discriminator: true });
    ajv.addSchema({ $id: root, definitions: tagged(definitions, definitions) });
    const names = Object.keys(fieldsOf(definitions[root]?.["properties"]));
    return names.map((name) => [name, ajv.compile({ $ref: `${root}${REFERENCE}${root}/properties/${name}` })] as const);
  });
  return new Map(validators);
}

let validators: Map<string, ValidateFunction> | undefined;

/** Where and how, without the index of what is listed. */
function described({ instancePath, message = "", params }: ErrorObject): string {
  const path = instancePath.replaceAll(/\/\d+/g, "[]").replace(/^\//, "") || "it";
  const { allowedValues, allowedValue, tagValue } = params as Record<string, unknown>;
  const allowed = allowedValues ?? allowedValue ?? tagValue;
  return `${path} ${message}${allowed === undefined ? "" : `: ${JSON.stringify(allowed)}`}`;
}

/** What breaks the published type of this name, each once; empty where nothing does. Throws where no such type is published. */
export function publishedFaults(name: PublishedName, value: unknown): string[] {
  validators ??= compiled();
  const validate = validators.get(name);
  if (validate === undefined) throw new Error(`no published type ${name}`);
  return validate(value) ? [] : [...new Set((validate.errors ?? []).map(described))];
}
