/** Endpoints of the first-run wizard. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { nameText } from "../names.ts";
import { loginUserSchema } from "./sessions.ts";

export const setupStatusSchema = z.object({
  /** True once the wizard is done. */
  status: z.boolean(),
  /** A super administrator exists already, so the wizard asks for no account. */
  root_init: z.boolean(),
  /** sqlite, postgres or mysql; empty once the wizard is done. */
  database_type: z.string(),
  /** Where the data lies: the file of SQLite, else host and name of the database. Empty without the right code. */
  database_place: z.string(),
});

const text = z.string().default("");

/** Missing fields are empty, so that each refusal names what is missing instead of a malformed request. */
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
  /** The new administrator, who is logged in by the answer's cookie; null where an administrator was there already. */
  data: loginUserSchema.nullable(),
  openInDemo: true,
  rateLimit: "setup",
});
