/** Requests to export, plan and apply a configuration file; apart from the endpoints, since the console's pages do not need them. */
import { z } from "zod";
import { DOCUMENT_BYTES_MAX } from "./document.ts";
import { configurationPlan } from "./plan.ts";

/** Resolved secrets may be longer than their references. */
export const bodyBytes = DOCUMENT_BYTES_MAX + 1024 * 1024;

const file = {
  /** The file as JSON, its references to the environment and to files resolved: `{"secret": "..."}`. */
  document: z.unknown(),
  /** What exists and no file manages may be changed, and comes under the mark of this file. */
  adopt: z.boolean().default(false),
  /** What becomes of things under this file's mark that it does not name any more. */
  missing: z.enum(["keep", "prune", "release"]).default("keep"),
};

/** What an export, a plan and an apply are asked with, over the network and from the operator's terminal. */
export const exportQuery = z.object({
  managed_by: z.string().max(64).default("main"),
  /** `stored` keeps what the server has; `env` names a variable for each secret. */
  secrets: z.enum(["stored", "env"]).default("stored"),
});
export const planBody = z.object(file);
export const applyBody = z.object({
  ...file,
  /** Of the plan that was reviewed. */
  plan: configurationPlan.pick({ document: true, revisions: true }),
  /** People whose calls of the last days would cost another amount get a message. */
  announce: z.boolean().default(false),
});
