/** Endpoints that read and change the system's options. */
import { z } from "zod";
import { endpoint, LONG_BODY_BYTES } from "../endpoint.ts";

export const optionRowSchema = z.object({
  key: z.string(),
  /** Always text; empty for a secret, which cannot be read back. */
  value: z.string(),
  /** Whether a non-empty value is stored; for a secret this is all that is shown. */
  is_set: z.boolean(),
});

export const optionDescriptionSchema = z.object({
  key: z.string(),
  kind: z.enum(["boolean", "integer", "decimal", "text", "choice", "lines", "commaList", "json", "url"]),
  page: z.enum(["operation", "ratelimit", "models", "system", "other"]),
  default: z.string(),
  is_secret: z.boolean(),
  needs_step_up: z.boolean(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  choices: z.array(z.string()).optional(),
});

export const listOptions = endpoint({
  method: "GET",
  path: "/api/option",
  access: "admin",
  object: "site",
  summary: "Every option and its value, by name; secrets are left blank",
  data: z.array(optionRowSchema),
});

export const describeOptions = endpoint({
  method: "GET",
  path: "/api/option/schema",
  access: "admin",
  object: "site",
  summary: "Type, default and limits of every option",
  data: z.array(optionDescriptionSchema),
});

export const updateOption = endpoint({
  method: "PUT",
  path: "/api/option",
  access: "admin",
  object: "site",
  summary: "Change one option; secret, sign-in and payment options need the password confirmed",
  body: z.object({ key: z.string().min(1), value: z.string() }),
  bodyBytes: LONG_BODY_BYTES,
});

export const resetModelRatio = endpoint({
  method: "POST",
  path: "/api/option/rest_model_ratio",
  access: "admin",
  object: "site",
  summary: "Put the model ratios back to their defaults",
});
