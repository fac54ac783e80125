/** Ownership of things in configuration files: what a plan may do with one, and what becomes of those the file names no more. */
import type { ManagedKind } from "../../../../contract/src/configuration/marks.ts";
import type { PlanChange, PlanEntry, PlanRefusal } from "../../../../contract/src/configuration/plan.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import type { Manager } from "../managed-store.ts";

/** How a file is planned. */
export interface PlanWish {
  managedBy: string;
  isLocked: boolean;
  adopt: boolean;
  missing: "keep" | "prune" | "release";
}

/** The plan of one section, beside its writes. */
export interface SectionPlan {
  entries: PlanEntry[];
  refused: PlanRefusal[];
  kept: { kind: ManagedKind; name: string }[];
}

export const emptySection = (): SectionPlan => ({ entries: [], refused: [], kept: [] });

/** Puts what a field is refused for under its path in the file. Anything but an AppError is thrown on. */
export function refuseAt(section: SectionPlan, path: string, error: unknown): void {
  if (!(error instanceof AppError)) throw error;
  const field = error.field === undefined || path.endsWith(`.${error.field}`) ? "" : `.${error.field}`;
  section.refused.push({ path: `${path}${field}`, code: error.code, message: error.message });
}

interface Thing {
  kind: ManagedKind;
  name: string;
  path: string;
  manager: Manager | undefined;
  exists: boolean;
  changes: PlanChange[];
}

const refusal = (path: string, message: string): PlanRefusal => ({ path, code: "configuration_invalid", message });

/**
 * Enters one thing of the file: it is made, changed or marked, or refused because it is another file's, or no file's and not to be adopted.
 * Gives whether it is to be written.
 */
export function enter(section: SectionPlan, wish: PlanWish, thing: Thing): boolean {
  const { kind, name, path, manager, exists, changes } = thing;
  if (manager !== undefined && manager.managedBy !== wish.managedBy) {
    section.refused.push(refusal(path, `It is managed by the configuration "${manager.managedBy}"`));
    return false;
  }
  const isOurs = manager !== undefined;
  if (!exists) {
    section.entries.push({ kind, name, path, act: "create", changes });
    return true;
  }
  if (changes.length > 0 && !isOurs && !wish.adopt) {
    section.refused.push(
      refusal(path, "It exists and no configuration manages it: plan and apply with --adopt to change it"),
    );
    return false;
  }
  const isMarked = isOurs && manager.isLocked === wish.isLocked;
  if (changes.length > 0) section.entries.push({ kind, name, path, act: "change", changes });
  else if (isOurs ? !isMarked : wish.adopt) section.entries.push({ kind, name, path, act: "mark", changes: [] });
  return changes.length > 0;
}

/** Enters what is under this file's mark and not in the file any more. Gives the names that are to be deleted. */
export function enterMissing(
  section: SectionPlan,
  wish: PlanWish,
  kind: ManagedKind,
  missing: readonly { name: string; path: string }[],
): ReadonlySet<string> {
  const deleted = new Set<string>();
  for (const { name, path } of missing) {
    if (wish.missing === "keep") {
      section.kept.push({ kind, name });
      continue;
    }
    section.entries.push({ kind, name, path, act: wish.missing === "prune" ? "delete" : "release", changes: [] });
    if (wish.missing === "prune") deleted.add(name);
  }
  return deleted;
}

/** Names under this file's mark that the file does not have. */
export const missingNames = (
  managers: ReadonlyMap<string, Manager>,
  wish: PlanWish,
  named: ReadonlySet<string>,
): string[] =>
  [...managers.values()].flatMap(({ name, managedBy }) =>
    managedBy === wish.managedBy && !named.has(name) ? [name] : [],
  );
