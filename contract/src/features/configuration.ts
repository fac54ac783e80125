/** Endpoints of configuration as code: the file of what is set, the plan of a file, its apply, and the marks of what files manage. */
import { z } from "zod";
import { applyBody, bodyBytes, exportQuery, planBody } from "../configuration/asked.ts";
import { managedMark, MANAGED_KINDS } from "../configuration/marks.ts";
import { CONFIGURATION_SECTIONS, configurationPlan } from "../configuration/plan.ts";
import { endpoint } from "../endpoint.ts";

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
