/** What the page shows, from the price list, the address and the viewer: the group, its rows and the filters' counts. */
import { useMemo } from "react";
import { useStatus } from "../../lib/status.ts";
import { useViewer } from "../../lib/viewer.ts";
import { type ListState, useListState } from "../../ui/data-table/list-state.ts";
import type { PricingEntry } from "../../../../contract/src/features/pricing.ts";
import { sortRows } from "./model/compare.ts";
import { vendorOf } from "./model/families.ts";
import { countBy, filterRows, type PriceRow, priceRows, type PriceView, takenBy } from "./model/price-list.ts";

const FILTERS = ["group", "keyword", "billing", "vendor", "kind", "takes", "usable"] as const;
/** Of the table, in px. */
export const PRICE_ROW_HEIGHT = 38;
/** A page of the list has so many rows until the reader chooses: it scrolls, and few sites have more models. */
const LEAST_ROWS = 50;
/** The sorted column. */
export const AVAILABLE = "available";

export interface PriceList {
  entries: readonly PricingEntry[];
  groupRatio: Readonly<Record<string, number>>;
  usableGroup: Readonly<Record<string, string>>;
}

export interface GroupChoice {
  name: string;
  description: string;
  ratio: number;
  /** The viewer's own; for a visitor the default group. */
  isOwn: boolean;
}

/** The groups of the list, the viewer's own first. */
function groupsOf(list: PriceList, own: string): GroupChoice[] {
  return Object.entries(list.groupRatio)
    .map(([name, ratio]) => ({ name, ratio, description: list.usableGroup[name] ?? "", isOwn: name === own }))
    .toSorted((a, b) => Number(b.isOwn) - Number(a.isOwn));
}

export interface ValueCount {
  value: string;
  count: number;
}

export interface PricePage {
  list: ListState<(typeof FILTERS)[number]>;
  groups: readonly GroupChoice[];
  viewed: GroupChoice | undefined;
  view: PriceView;
  isGuest: boolean;
  /** The site publishes which models are used most. */
  hasUses: boolean;
  /** Undefined while nothing was loaded. */
  all: readonly PriceRow[] | undefined;
  found: readonly PriceRow[];
  /** Of `found`, what this page of the table shows. */
  shown: readonly PriceRow[];
  billing: number | undefined;
  vendors: readonly string[];
  vendorCounts: readonly ValueCount[];
  kinds: readonly string[];
  kindCounts: readonly ValueCount[];
  takes: readonly string[];
  takenCounts: readonly ValueCount[];
  isUsableOnly: boolean;
}

const DEFAULT_GROUP = "default";

/** The group of the address where the viewer may use it, else their own, else the first. */
const chosenGroup = (groups: readonly GroupChoice[], asked: string | undefined): GroupChoice | undefined =>
  groups.find((group) => group.name === asked) ?? groups.find((group) => group.isOwn) ?? groups[0];

const billingOf = (text: string | undefined): number | undefined =>
  text === "0" || text === "1" ? Number(text) : undefined;
const listOf = (text: string | undefined): string[] => (text ?? "").split(",").filter(Boolean);

export interface GroupView {
  groups: readonly GroupChoice[];
  viewed: GroupChoice | undefined;
  view: PriceView;
}

/**
 * The group through which prices are looked at.
 * @param prices undefined while they load
 * @param asked the group of the address; another one is shown where the viewer may not use it
 */
export function useGroupView(prices: PriceList | undefined, asked: string | undefined): GroupView {
  const viewer = useViewer();
  const status = useStatus();
  const own = viewer?.group || DEFAULT_GROUP;
  const groups = useMemo(() => (prices === undefined ? [] : groupsOf(prices, own)), [prices, own]);
  const viewed = chosenGroup(groups, asked);
  const view = useMemo(
    (): PriceView => ({
      group: viewed?.name ?? "",
      groupRatio: viewed?.ratio ?? 1,
      quotaPerUnit: status.quota_per_unit,
      chargesUnpriced: status.self_use_mode_enabled,
    }),
    [viewed, status.quota_per_unit, status.self_use_mode_enabled],
  );
  return { groups, viewed, view };
}

/**
 * @param prices undefined while they load
 * @param speeds median milliseconds until the first token, by model; undefined while they load, and for visitors
 * @param uses thousandths of a week's answered calls, by model; undefined while they load, and where they are not published
 */
export function usePricePage(
  prices: PriceList | undefined,
  speeds: Readonly<Record<string, number>> | undefined,
  uses: Readonly<Record<string, number>> | undefined,
): PricePage {
  const raw = useListState(FILTERS, PRICE_ROW_HEIGHT, LEAST_ROWS);
  const viewer = useViewer();
  const { groups, viewed, view } = useGroupView(prices, raw.filters.group);
  const sort = raw.sort ?? { by: AVAILABLE, isDescending: true };
  const all = useMemo(
    () => prices && priceRows(prices.entries, view, sort.by !== AVAILABLE || sort.isDescending, speeds, uses),
    [prices, view, sort.by, sort.isDescending, speeds, uses],
  );
  const billing = billingOf(raw.filters.billing);
  const vendors = listOf(raw.filters.vendor);
  const kinds = listOf(raw.filters.kind);
  const takes = listOf(raw.filters.takes);
  const isUsableOnly = raw.filters.usable === "1";
  const wanted = { keyword: raw.filters.keyword ?? "", billing, vendors, kinds, takes, isUsableOnly };
  const found = sortRows(filterRows(all ?? [], wanted, vendorOf), sort.by, sort.isDescending);
  // The viewed group is a point of view, not a filter: it takes no row away.
  const { group: _group, ...filters } = raw.filters;
  const list = {
    ...raw,
    sort,
    isFiltered: Object.keys(filters).length > 0,
    clearFilters: () => raw.setFilters(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined]))),
  };
  const start = (list.page - 1) * list.size;
  const vendorCounts = useMemo(() => countBy((all ?? []).map(({ entry }) => vendorOf(entry))), [all]);
  const takenCounts = useMemo(() => countBy((all ?? []).flatMap(({ entry }) => takenBy(entry))), [all]);
  const kindCounts = useMemo(() => countBy((all ?? []).map(({ entry }) => entry.kind)), [all]);
  return {
    list,
    groups,
    viewed,
    view,
    isGuest: viewer === null,
    hasUses: useStatus().model_rankings_enabled,
    all,
    found,
    shown: found.slice(start, start + list.size),
    billing,
    vendors,
    vendorCounts,
    kinds,
    kindCounts,
    takes,
    takenCounts,
    isUsableOnly,
  };
}
