/** Converts a JSON schema to rows for readers: one for each field, with a readable type. */

export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  anyOf?: readonly Schema[];
  additionalProperties?: Schema | boolean;
  enum?: readonly unknown[];
  const?: unknown;
  description?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  format?: string;
}

export interface SchemaRow {
  /** `data.items[].id`: dots lead into objects, brackets into lists, `{name}` into maps. */
  name: string;
  type: string;
  isRequired: boolean;
  description: string;
}

/** Deeper fields are listed by their type alone. */
const MOST_DEPTH = 4;
/** Bounds that only say what a number can hold. */
const LARGEST = 1e9;

const bounds = ({ minimum, maximum, maxLength }: Schema): string[] => [
  ...(minimum !== undefined && minimum > -LARGEST ? [`from ${minimum}`] : []),
  ...(maximum !== undefined && maximum < LARGEST ? [`up to ${maximum}`] : []),
  ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
];

const isAny = (schema: Schema): boolean =>
  Object.keys(schema).every((key) => key === "description" || key === "default");

/** The type in words: "integer, from 1", "list of string", "`asc` or `desc`". */
export function typeText(schema: Schema): string {
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(" or ");
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeText))].join(" or ");
  if (schema.items !== undefined) return `list of ${typeText(schema.items)}`;
  if (typeof schema.additionalProperties === "object" && !isAny(schema.additionalProperties))
    return `map of ${typeText(schema.additionalProperties)}`;
  const name = Array.isArray(schema.type) ? schema.type.join(" or ") : (schema.type as string | undefined);
  return [name ?? "anything", ...bounds(schema)].join(", ");
}

/** What stands inside of it, and how that is written behind its name. */
const insides = (schema: Schema): (readonly [suffix: string, inner: Schema])[] => [
  ["", schema],
  ...(schema.items === undefined ? [] : insides(schema.items).map(([rest, inner]) => [`[]${rest}`, inner] as const)),
  ...(typeof schema.additionalProperties === "object"
    ? insides(schema.additionalProperties).map(([rest, inner]) => [`.{name}${rest}`, inner] as const)
    : []),
  ...(schema.anyOf ?? []).flatMap(insides),
];

/** The rows of an object's fields and of those inside of them. @param name of what the schema stands for, "" at the top */
export function rowsOf(schema: Schema, name = "", depth = 0): SchemaRow[] {
  if (depth > MOST_DEPTH) return [];
  return insides(schema).flatMap(([suffix, { properties = {}, required = [] }]) =>
    Object.entries(properties).flatMap(([field, inner]) => {
      const path = `${name}${suffix}`;
      const whole = path === "" ? field : `${path}.${field}`;
      const row = {
        name: whole,
        type: typeText(inner),
        isRequired: required.includes(field),
        description: inner.description ?? "",
      };
      return [row, ...rowsOf(inner, whole, depth + 1)];
    }),
  );
}
