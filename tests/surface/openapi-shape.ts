/** The schema of an OpenAPI 3.1 document, as far as ours uses it: unknown fields are refused. */
import { z } from "zod";

const TYPES = z.enum(["object", "array", "string", "number", "integer", "boolean", "null"]);

/** JSON Schema 2020-12 (json-schema.org/draft/2020-12). */
const jsonSchema: z.ZodType = z.lazy(() =>
  z.union([
    z.boolean(),
    z.strictObject({ $ref: z.string().startsWith("#/components/schemas/"), description: z.string().optional() }),
    z.strictObject({
      type: z.union([TYPES, z.array(TYPES)]).optional(),
      description: z.string().min(1).optional(),
      properties: z.record(z.string(), jsonSchema).optional(),
      patternProperties: z.record(z.string(), jsonSchema).optional(),
      propertyNames: jsonSchema.optional(),
      additionalProperties: jsonSchema.optional(),
      required: z.array(z.string()).optional(),
      items: jsonSchema.optional(),
      prefixItems: z.array(jsonSchema).optional(),
      anyOf: z.array(jsonSchema).min(1).optional(),
      oneOf: z.array(jsonSchema).min(1).optional(),
      allOf: z.array(jsonSchema).min(1).optional(),
      not: jsonSchema.optional(),
      enum: z
        .array(z.union([z.string(), z.number(), z.boolean(), z.null()]))
        .min(1)
        .optional(),
      const: z.unknown().optional(),
      default: z.unknown().optional(),
      format: z.string().optional(),
      pattern: z.string().optional(),
      minimum: z.number().optional(),
      maximum: z.number().optional(),
      exclusiveMinimum: z.number().optional(),
      exclusiveMaximum: z.number().optional(),
      multipleOf: z.number().optional(),
      minLength: z.int().optional(),
      maxLength: z.int().optional(),
      minItems: z.int().optional(),
      maxItems: z.int().optional(),
    }),
  ]),
);

const content = z.record(z.string().includes("/"), z.strictObject({ schema: jsonSchema }));
const response = z.strictObject({ description: z.string().min(1), content: content.optional() });
const parameter = z.strictObject({
  name: z.string().min(1),
  in: z.enum(["path", "query", "header"]),
  required: z.boolean().optional(),
  description: z.string().min(1),
  schema: jsonSchema,
});

const operation = z.strictObject({
  operationId: z.string().regex(/^[a-z]\w+$/),
  tags: z.array(z.string()).length(1),
  summary: z.string().regex(/^\p{Lu}.*[^.]$/u),
  description: z.string().optional(),
  security: z.array(z.record(z.string(), z.array(z.never()))),
  parameters: z.array(parameter),
  requestBody: z.strictObject({ required: z.boolean(), content }).optional(),
  responses: z.record(
    z.string().regex(/^[1-5]\d\d$/),
    z.union([response, z.strictObject({ $ref: z.string().startsWith("#/components/responses/") })]),
  ),
});

const securityScheme = z.strictObject({
  type: z.enum(["apiKey", "http"]),
  in: z.enum(["cookie", "header"]).optional(),
  name: z.string().optional(),
  scheme: z.literal("bearer").optional(),
  description: z.string().optional(),
});

export const openApiDocument = z.strictObject({
  openapi: z.string().startsWith("3.1."),
  info: z.strictObject({
    title: z.string(),
    version: z.string(),
    description: z.string(),
    license: z.strictObject({ name: z.string() }),
  }),
  tags: z.array(z.strictObject({ name: z.string() })),
  paths: z.record(
    z.string().startsWith("/"),
    z.strictObject({
      get: operation.optional(),
      post: operation.optional(),
      put: operation.optional(),
      delete: operation.optional(),
    }),
  ),
  components: z.strictObject({
    schemas: z.record(z.string(), jsonSchema),
    responses: z.record(z.string(), response),
    securitySchemes: z.record(z.string(), securityScheme),
  }),
});
