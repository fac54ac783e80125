/** The audit trail's rows: what an act of the administrators' log is about, and the fields it changed, bounded and without secrets. */
import {
  AUDIT_ENTRY_MAX,
  AUDIT_VALUE_MAX,
  type AuditChange,
  type AuditKind,
} from "../../../../contract/src/features/audit.ts";
import type { LogEvent, LogEventCode, LogEventValues } from "../../../../contract/src/logs/events.ts";
import type { Queries } from "../../db/portable.ts";
import { objectOf, textOf } from "../../util/json-read.ts";
import { storable, storableCut } from "../../util/text.ts";

/** A field before and after, whole; without both for a secret. */
export interface FieldChange {
  field: string;
  from?: string | undefined;
  to?: string | undefined;
}

interface Trail {
  kind: AuditKind;
  objectId: string;
  objectName: string;
  changes: readonly FieldChange[];
}

export interface TrailActor {
  id: number;
  username: string;
}

/** Things that one act may name by their numbers; each has an entry of its own. */
const OBJECTS_MAX = 100;
const NAME_MAX = 255;

/** The kind of object in an event's `id`, by how its code begins; the first that fits counts. */
const KINDS: readonly (readonly [beginning: string, kind: AuditKind])[] = [
  ["option_", "option"],
  ["price", "price"],
  ["ratios_reset", "price"],
  ["channel", "channel"],
  ["tag_", "channel"],
  ["disabled_channels", "channel"],
  ["abilities_", "channel"],
  ["balances_", "channel"],
  ["user_", "user"],
  ["identity_removed", "user"],
  ["factors_removed", "user"],
  ["code", "code"],
  ["invalid_codes", "code"],
];

/** What an act is about. */
export const kindOf = (code: LogEventCode): AuditKind =>
  KINDS.find(([beginning]) => code.startsWith(beginning))?.[1] ?? "site";

const shown = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);

/** The fields in which two objects differ. */
export function differences(before: object, after: object): FieldChange[] {
  const [was, is] = [objectOf(before), objectOf(after)];
  const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return fields
    .map((field) => ({ field, from: shown(was[field]), to: shown(is[field]) }))
    .filter(({ from, to }) => from !== to);
}

/** What the detail of an act says of changed fields: before and after, or only that a secret is another. */
function changesIn(event: LogEvent, detail: object): FieldChange[] {
  const { before, after, password } = objectOf(detail);
  const values = event.values as LogEventValues;
  if (event.code === "user_quota_changed")
    return [{ field: "quota", from: shown(values["from"]), to: shown(values["to"]) }];
  const fields =
    Array.isArray(before) || Array.isArray(after)
      ? [{ field: "permissions", from: shown(before), to: shown(after) }]
      : differences(objectOf(before), objectOf(after));
  return password === undefined ? fields : [...fields, { field: "password" }];
}

/** One entry for each model of a change of prices. */
function priceTrails(detail: object): Trail[] {
  const { changes } = objectOf(detail);
  return (Array.isArray(changes) ? changes : []).map(objectOf).map(({ model, from, to }) => ({
    kind: "price",
    objectId: textOf(model),
    objectName: textOf(model),
    changes: [{ field: "price", from: shown(from), to: shown(to) }],
  }));
}

function optionTrail(detail: object): Trail {
  const { option, from, to } = objectOf(detail);
  const name = textOf(option);
  const isShown = typeof from === "string" && typeof to === "string";
  return { kind: "option", objectId: name, objectName: name, changes: [{ field: name, ...(isShown && { from, to }) }] };
}

/** What an act is about: several entries where it names several things. @param changes where the detail does not have them */
export function trailsOf(event: LogEvent, detail: object, changes?: readonly FieldChange[]): Trail[] {
  if (event.code === "option_changed")
    return [optionTrail(changes?.[0] ? { option: changes[0].field, ...changes[0] } : detail)];
  if (event.code === "prices_changed") return priceTrails(detail);
  const kind = kindOf(event.code);
  const values = event.values as LogEventValues;
  const objectName = shown(values["name"]);
  const fields = changes ?? changesIn(event, detail);
  const { channel_ids: ids } = objectOf(detail);
  const several = Array.isArray(ids) ? ids : Array.isArray(values["ids"]) ? values["ids"] : [];
  if (several.length > 0)
    return several.slice(0, OBJECTS_MAX).map((id) => ({ kind, objectId: shown(id), objectName, changes: fields }));
  return [{ kind, objectId: kind === "site" ? "" : shown(values["id"]), objectName, changes: fields }];
}

const cut = (text: string, most: number): string => storable(text.length > most ? text.slice(0, most) : text);

/** Values within the bounds of an entry: long ones are cut, and what no longer fits is left out. */
export function bounded(changes: readonly FieldChange[]): AuditChange[] {
  let room = AUDIT_ENTRY_MAX;
  return changes.map(({ field, from, to }) => {
    if (from === undefined || to === undefined) return { field, is_cut: false };
    const most = Math.min(AUDIT_VALUE_MAX, Math.max(0, Math.floor(room / 2)));
    const is_cut = from.length > most || to.length > most;
    room -= Math.min(from.length, most) + Math.min(to.length, most);
    return { field, from: cut(from, most), to: cut(to, most), is_cut };
  });
}

interface TrailAct {
  actor: TrailActor;
  event: LogEvent;
  detail: object;
  changes?: readonly FieldChange[] | undefined;
  /** Unix seconds. */
  now: number;
}

/** Writes the entries of an act. */
export async function recordTrail(queries: Queries, { actor, event, detail, changes, now }: TrailAct): Promise<void> {
  const rows = trailsOf(event, detail, changes).map((trail) => ({
    created_time: now,
    actor_id: actor.id,
    actor: storableCut(actor.username, NAME_MAX),
    kind: trail.kind,
    object_id: storableCut(trail.objectId, NAME_MAX),
    object_name: storableCut(trail.objectName, NAME_MAX),
    user_id: trail.kind === "user" ? Number(trail.objectId) || 0 : 0,
    event: JSON.stringify(event),
    changes: JSON.stringify(bounded(trail.changes)),
  }));
  if (rows.length > 0) await queries.insertInto("audit_entries").values(rows).execute();
}
