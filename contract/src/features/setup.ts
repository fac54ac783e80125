/** Endpoints of the first-run wizard (spec sections 4, 5, 7). */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";

export const setupStatusSchema = z.object({
  /** True once the wizard is done. */
  status: z.boolean(),
  /** A super administrator exists already, so the wizard asks for no account. */
  root_init: z.boolean(),
  /** sqlite, postgres or mysql; empty once the wizard is done. */
  database_type: z.string(),
  /** The one-time code printed at the start is wanted, because the server listens beyond this machine. */
  code_required: z.boolean(),
});

const text = z.string().default("");

/** Missing fields are empty, so that every refusal is the spec's own message instead of a malformed request. */
export const setupFormSchema = z.object({
  username: text,
  password: text,
  confirmPassword: text,
  SelfUseModeEnabled: z.boolean().default(false),
  DemoSiteEnabled: z.boolean().default(false),
  code: text,
});

export const getSetup = endpoint({
  method: "GET",
  path: "/api/setup",
  access: "public",
  summary: "Whether the system is set up",
  data: setupStatusSchema,
});

export const submitSetup = endpoint({
  method: "POST",
  path: "/api/setup",
  access: "public",
  summary: "Set the system up: the administrator's account and the usage mode",
  body: setupFormSchema,
  openInDemo: true,
  rateLimit: "critical",
});
