/** Endpoints of configuration as code: the file of what is set, the plan of a file, its apply, and the marks of what files manage. */
import { z } from "zod";
import { DOCUMENT_BYTES_MAX } from "../configuration/document.ts";
import { managedMark, MANAGED_KINDS } from "../configuration/marks.ts";
import { configurationPlan, CONFIGURATION_SECTIONS } from "../configuration/plan.ts";
import { endpoint } from "../endpoint.ts";

/** Resolved secrets may be longer than their references. */
const bodyBytes = DOCUMENT_BYTES_MAX + 1024 * 1024;

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

export const exportConfiguration = endpoint({
  method: "GET",
  path: "/api/configuration",
  access: "root",
  object: "site",
  summary:
    "Options, groups, prices, channels and identity providers as a configuration file, in a stable order; secrets are references",
  query: exportQuery,
  data: z.record(z.string(), z.unknown()),
});

export const planConfiguration = endpoint({
  method: "POST",
  path: "/api/configuration/plan",
  access: "root",
  object: "site",
  summary:
    "What applying a configuration file would create, change and delete, what it would be refused for, and what it means for prices and callers; nothing changes",
  body: planBody,
  bodyBytes,
  data: configurationPlan,
});

export const applyConfiguration = endpoint({
  method: "POST",
  path: "/api/configuration/apply",
  access: "root",
  object: "site",
  summary:
    "Applies a configuration file as its plan says, each section whole or not at all; refused where what is stored has changed since the plan",
  body: applyBody,
  bodyBytes,
  data: z.object({ applied: z.array(z.enum(CONFIGURATION_SECTIONS)), changed: z.number() }),
});

export const listManaged = endpoint({
  method: "GET",
  path: "/api/configuration/managed",
  access: "admin",
  act: ["options", "money", "channels_see"],
  object: "site",
  summary: "What configuration files manage, by whom and since when; only of the kind that is asked for",
  query: z.object({ kind: z.enum(MANAGED_KINDS) }),
  data: z.array(managedMark),
});
