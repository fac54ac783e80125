/** Group endpoints: names with a ratio (option GroupRatio), who may use them, and saved lists that forms are filled from. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { newPrefillGroup, prefillGroup, prefillUpdate } from "../family/prefill-groups.ts";
import { pathId, queryText } from "../query.ts";

/** A token with this group is routed by the option AutoGroups; it is not a real group. */
export const AUTO_GROUP = "auto";

/** Description and ratio by group name; the ratio is 1 where the group has none. */
export const groupEntries = z.record(z.string(), z.object({ desc: z.string(), ratio: z.number() }));
export type GroupEntries = z.output<typeof groupEntries>;

export const listGroups = endpoint({
  method: "GET",
  path: "/api/group",
  access: "admin",
  act: "any",
  object: "site",
  summary: "Names of all groups that have a ratio",
  data: z.array(z.string()),
});

export const ownGroups = endpoint({
  method: "GET",
  path: "/api/user/self/groups",
  access: "user",
  object: "self",
  summary: "Groups the user may use",
  data: groupEntries,
});

export const publicGroups = endpoint({
  method: "GET",
  path: "/api/user/groups",
  access: "optional",
  object: "none",
  summary: "Groups the caller may use; for a visitor those everybody may use",
  data: groupEntries,
});

export const groupUsage = z.object({
  group: z.string(),
  /** Users in it, deregistered ones aside. */
  users: z.number(),
  /** Tokens that name it; those without a group of their own count with their users. */
  tokens: z.number(),
  channels: z.number(),
});
export type GroupUsage = z.output<typeof groupUsage>;

export const listGroupUsage = endpoint({
  method: "GET",
  path: "/api/group/usage",
  access: "admin",
  act: ["options", "money", "users", "channels_see"],
  object: "site",
  summary: "How many users, tokens and channels name each group",
  data: z.array(groupUsage),
});

const savedLists = { path: "/api/prefill_group", access: "admin", object: "site" } as const;

export const listPrefillGroups = endpoint({
  ...savedLists,
  method: "GET",
  act: "channels_see",
  summary: "Saved lists of models, tags or endpoints, the latest changed first; of one `type` where it is named",
  query: z.object({ type: queryText }),
  data: z.array(prefillGroup),
});

export const createPrefillGroup = endpoint({
  ...savedLists,
  method: "POST",
  act: "channels_write",
  summary: "Saves a list. Its name is unique among all lists",
  body: newPrefillGroup,
  data: prefillGroup,
});

export const updatePrefillGroup = endpoint({
  ...savedLists,
  method: "PUT",
  act: "channels_write",
  summary: "Changes a saved list; fields that are not sent stay",
  body: prefillUpdate,
  data: prefillGroup,
});

export const deletePrefillGroup = endpoint({
  ...savedLists,
  method: "DELETE",
  path: "/api/prefill_group/{id}",
  act: "channels_write",
  summary: "Deletes a saved list",
  params: pathId,
});
