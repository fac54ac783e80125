/** The names of fields that a schema of a body knows, read from the schema itself: what is beside them would be dropped without a word. */
import { z } from "zod";

/**
 * Names at the top of what the schema takes.
 * @returns undefined where it takes any name, or something that is no object
 */
export function knownFields(schema: z.ZodType): ReadonlySet<string> | undefined {
  if (schema instanceof z.ZodUnion) {
    const variants = schema.options.map((option) => knownFields(option as z.ZodType));
    return variants.some((names) => names === undefined)
      ? undefined
      : new Set(variants.flatMap((names) => [...(names ?? [])]));
  }
  if (schema instanceof z.ZodPipe) return knownFields(schema.in as z.ZodType);
  if (!(schema instanceof z.ZodObject)) return undefined;
  const isOpen = schema.def.catchall !== undefined && !(schema.def.catchall instanceof z.ZodNever);
  return isOpen ? undefined : new Set(Object.keys(schema.shape));
}
