/** Endpoints of the first-run wizard. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { nameText } from "../names.ts";
import { loginUserSchema } from "./sessions.ts";

export const setupStatusSchema = z.object({
  /** True once the wizard is done. */
  status: z.boolean(),
  /** A super administrator exists, so the wizard does not ask for an account. */
  root_init: z.boolean(),
  /** sqlite, postgres or mysql; empty once the wizard is done. */
  database_type: z.string(),
  /** Where the data is: the SQLite file, or the host and name of the database. Empty without the right code. */
  database_place: z.string(),
});

const text = z.string().default("");

/** A missing field counts as empty, so that the refusal names the field instead of calling the request malformed. */
export const setupFormSchema = z.object({
  username: nameText.default(""),
  password: text,
  confirmPassword: text,
  SelfUseModeEnabled: z.boolean().default(false),
  DemoSiteEnabled: z.boolean().default(false),
  /** The one-time code of the wizard's printed address. */
  code: text,
});

export const getSetup = endpoint({
  method: "GET",
  path: "/api/setup",
  access: "public",
  object: "none",
  summary: "Whether the system is set up",
  query: z.object({ code: text }),
  data: setupStatusSchema,
});

export const submitSetup = endpoint({
  method: "POST",
  path: "/api/setup",
  access: "public",
  object: "site",
  summary: "Set the system up: the administrator's account and the usage mode",
  body: setupFormSchema,
  /** The new administrator, whom the answer's cookie logs in; null where an administrator existed before. */
  data: loginUserSchema.nullable(),
  openInDemo: true,
  rateLimit: "setup",
});
