/** Earlier price tables: the latest that were in force, how they differ from those of now, and the way back to one. */
import { z } from "zod";
import { AppError } from "../../../../contract/src/errors.ts";
import {
  decimalMapText,
  isSameOwnPrice,
  modelsWithOwnPrice,
  OWN_RATIO_OPTIONS,
  ownPriceOf,
  type OwnPriceTables,
  ownPriceTexts,
} from "../../../../contract/src/pricing/own-prices.ts";
import { PRICE_VERSIONS_MOST, type PriceTablesVersion } from "../../../../contract/src/pricing/price-changes.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { audit, type ConfirmingActor } from "../kit/audit.ts";
import { changeOptions, type StoredOptions, storedPriceTables } from "../options/change.ts";
import { auditChange } from "../options/service.ts";
import { storedRatios } from "./changes.ts";

const decimals = z.record(z.string(), z.string());
/** What a row has that can be gone back to; tables younger than it are missing. */
const storedTables = z.object({
  ...Object.fromEntries(OWN_RATIO_OPTIONS.map((name) => [name, decimals.default({})])),
  ContextTiers: z.record(z.string(), z.array(z.unknown())).default({}),
  ToolPrices: z.unknown().optional(),
  GroupRatio: decimals,
});

interface Earlier {
  tables: OwnPriceTables;
  groups: Readonly<Record<string, string>>;
}

/** @param now what stands for tables that the row does not have */
function earlierOf(text: string, now: OwnPriceTables): Earlier {
  const { GroupRatio, ToolPrices = now.ToolPrices, ...own } = storedTables.parse(JSON.parse(text));
  // The row was written from values of exactly these options (snapshot/price-version.ts).
  return { tables: { ...own, ToolPrices } as unknown as OwnPriceTables, groups: GroupRatio };
}

/** The groups that were there and still are. */
const sharedGroups = (earlier: Earlier["groups"], now: Earlier["groups"]): string[] =>
  Object.keys(now).filter((group) => Object.hasOwn(earlier, group));

function differences(earlier: Earlier, now: Earlier) {
  const models = new Set([...modelsWithOwnPrice(earlier.tables), ...modelsWithOwnPrice(now.tables)]);
  return {
    differing_models: [...models].filter(
      (model) => !isSameOwnPrice(ownPriceOf(earlier.tables, model), ownPriceOf(now.tables, model)),
    ).length,
    differing_groups: sharedGroups(earlier.groups, now.groups).filter(
      (group) => earlier.groups[group] !== now.groups[group],
    ).length,
  };
}

/** The newest first. */
export async function listPriceVersions({
  database,
  snapshot,
}: Pick<ConsoleContext, "database" | "snapshot">): Promise<PriceTablesVersion[]> {
  const { options, priceVersion } = snapshot;
  const now: Earlier = { tables: options, groups: options.GroupRatio };
  const rows = await database.kysely
    .selectFrom("price_versions")
    .selectAll()
    .orderBy("id", "desc")
    .limit(PRICE_VERSIONS_MOST)
    .execute();
  return rows.map(({ id, created_time, tables }) => ({
    id,
    created_time,
    is_in_force: id === priceVersion,
    ...differences(earlierOf(tables, options), now),
  }));
}

/** The texts that go back, over what is stored. */
function wayBack(stored: StoredOptions, text: string): ReturnType<typeof ownPriceTexts> {
  const before = storedPriceTables(stored);
  const earlier = earlierOf(text, before);
  const was = ownPriceTexts(before);
  const texts = new Map(
    [...ownPriceTexts({ ...before, ...earlier.tables })].filter(([name, own]) => own !== was.get(name)),
  );
  const ratios = storedRatios(stored);
  const shared = sharedGroups(earlier.groups, ratios);
  if (shared.some((group) => earlier.groups[group] !== ratios[group]))
    texts.set(
      "GroupRatio",
      decimalMapText({
        ...ratios,
        ...Object.fromEntries(shared.map((group) => [group, earlier.groups[group] ?? "1"])),
      }),
    );
  return texts;
}

/**
 * Goes back to the prices of models and tools and the ratios of groups of a version; in force when it returns. Gives how many options
 * changed. Throws AppError not_found, and what changeOptions throws.
 */
export async function restorePriceVersion(
  context: ConsoleContext,
  actor: ConfirmingActor,
  id: number,
): Promise<number> {
  const row = await context.database.kysely
    .selectFrom("price_versions")
    .select("tables")
    .where("id", "=", id)
    .executeTakeFirst();
  if (row === undefined) throw new AppError("not_found");
  const changes = await changeOptions(context, actor, (stored) => wayBack(stored, row.tables));
  for (const change of changes) await auditChange(context, actor, change);
  if (changes.length > 0) await audit(context, actor, { code: "price_version_restored", values: { id } });
  return changes.length;
}
