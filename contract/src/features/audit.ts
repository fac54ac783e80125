/** The audit trail: who changed which option, price, channel or user, from what to what and when; and taking a change back. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { listPage, pathId, queryPage, queryPageSize, queryText, queryTime } from "../query.ts";

/** What an entry is about; `site` is everything that is no single thing. */
export const AUDIT_KINDS = ["option", "price", "channel", "user", "code", "site"] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

/** Characters of a value in an entry; longer ones are cut, and their change cannot be taken back. */
export const AUDIT_VALUE_MAX = 4_000;
/** Characters of all values of an entry together; values beyond that are left out. */
export const AUDIT_ENTRY_MAX = 48_000;
/** Entries that the trail has at most; the oldest are deleted first. */
export const AUDIT_ENTRIES_MAX = 500_000;

/** One field that changed. Of a secret there is neither value: only that it is another one. */
export const auditChange = z.object({
  field: z.string(),
  from: z.string().optional(),
  to: z.string().optional(),
  /** A value is not there whole. */
  is_cut: z.boolean(),
});
export type AuditChange = z.output<typeof auditChange>;

export const auditEntry = z.object({
  id: z.number(),
  /** Unix seconds. */
  created_time: z.number(),
  /** User name of the person who did it, as it was then. */
  actor: z.string(),
  actor_id: z.number(),
  kind: z.enum(AUDIT_KINDS),
  /** Name of the option or the model, number of the channel, user or code; blank where it is about several or none. */
  object: z.string(),
  /** What it was called then. */
  object_name: z.string(),
  /** JSON of the event (logs/events.ts): its code and values. */
  event: z.string(),
  changes: z.array(auditChange),
  /** Whether the caller may take it back, as far as the entry shows: what was changed since decides when it is tried. */
  can_revert: z.boolean(),
});
export type AuditEntry = z.output<typeof auditEntry>;

export const listAudit = endpoint({
  method: "GET",
  path: "/api/audit",
  access: "admin",
  act: "any",
  object: "site",
  summary:
    "What administrators changed, newest first: of channels, users, options, prices and codes as far as the caller may see those; what is about users only of people below the caller's role",
  query: z.object({
    /** One of AUDIT_KINDS. */
    kind: queryText,
    /** Exact: name of the option or model, number of the channel, user or code. */
    object: queryText,
    /** User name of the person who did it, exact. */
    actor: queryText,
    /** Unix seconds, inclusive. */
    start_timestamp: queryTime,
    end_timestamp: queryTime,
    p: queryPage(1),
    page_size: queryPageSize,
  }),
  data: listPage(auditEntry),
});

export const revertAudit = endpoint({
  method: "POST",
  path: "/api/audit/{id}/revert",
  access: "admin",
  act: "any",
  object: "site",
  summary:
    "Takes a change of an option, a price, a channel or a user back, by the rules of the act that made it: the same permission and confirmation, and only while everything it changed is still as it left it",
  params: pathId,
});
