/** The endpoint that shows what a parameter override makes of a body, for the channel form. */
import { z } from "zod";
import { endpoint, LONG_BODY_BYTES } from "../endpoint.ts";
import { nameText } from "../names.ts";

export const previewOverride = endpoint({
  method: "POST",
  path: "/api/channel/override/preview",
  access: "admin",
  act: "channels_see",
  object: "site",
  summary:
    "Applies a parameter override to a body that is sent along, as a call of the channel would be changed; nothing is stored or sent. A channel's key is shown as {api_key}",
  body: z.object({
    param_override: z.string(),
    body: z.string(),
    headers: z.record(z.string(), z.string()).optional(),
    model: nameText.optional(),
    original_model: nameText.optional(),
    request_path: z.string().optional(),
  }),
  bodyBytes: LONG_BODY_BYTES,
  data: z.object({
    /** JSON text of the body that would be sent. */
    body: z.string(),
    /** Headers that rules set, by name. */
    headers: z.record(z.string(), z.string()),
    /** Mode and path of what was applied. */
    applied: z.array(z.string()),
    /** The error that a rule answers the caller with; null where none does. */
    refusal: z
      .object({ message: z.string(), status: z.number(), code: z.string(), type: z.string(), skip_retry: z.boolean() })
      .nullable(),
    /** Why the rules do not fit the body; null where they do. */
    fault: z.string().nullable(),
  }),
});
