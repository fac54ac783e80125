/** Rules of groups that options hold: the ratio of a call by the groups of its user and its token, and the groups a user may choose. Pure; server and console share them. */

import { fractionOf, multiply, parseRatio } from "./money.ts";

type TextMap = Readonly<Record<string, string>>;

/** The options of group ratios, as decimal texts. */
export interface RatioTables {
  readonly GroupRatio: TextMap;
  readonly GroupGroupRatio: Readonly<Record<string, TextMap>>;
}

const SPECIAL_GROUPS = "group_ratio_setting.group_special_usable_group";

/** The options of who may use which group. */
export interface UsableTables {
  readonly UserUsableGroups: TextMap;
  readonly [SPECIAL_GROUPS]: Readonly<Record<string, TextMap>>;
}

/** The ratio that a call is multiplied by. */
export interface AppliedRatio {
  /** Decimal text. */
  ratio: string;
  /** True where GroupGroupRatio has it for users of this group; false where it is the group's own of GroupRatio. */
  isOfPair: boolean;
}

const entryOf = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/**
 * What a call in `group` is multiplied by for a user of `userGroup`: the ratio of that pair, else the group's own. Undefined where the
 * group has none in GroupRatio: no call can use it, whatever pairs say. `userGroup` is "" for a visitor.
 */
export function appliedRatio(options: RatioTables, userGroup: string, group: string): AppliedRatio | undefined {
  const own = entryOf(options.GroupRatio, group);
  if (own === undefined) return undefined;
  const ofPair = entryOf(entryOf(options.GroupGroupRatio, userGroup) ?? {}, group);
  return ofPair === undefined ? { ratio: own, isOfPair: false } : { ratio: ofPair, isOfPair: true };
}

/** What the option group_ratio_setting.group_special_usable_group says of one group: its name, and whether it is added or taken. */
export interface SpecialGroup {
  group: string;
  isTaken: boolean;
}

/** Reads a name of that option: `+:vip` and `vip` add the group, `-:vip` takes it away. */
export function specialGroupOf(name: string): SpecialGroup {
  const isTaken = name.startsWith("-:");
  return { group: isTaken || name.startsWith("+:") ? name.slice(2) : name, isTaken };
}

/** Description of the own group of users whose group not everybody may choose. */
const OWN_GROUP = "User group";

/**
 * Groups that a user of `userGroup` may use, to their descriptions: UserUsableGroups, what is added for this group, without what is
 * taken from it, and always the own one. `userGroup` is "" for a visitor.
 */
export function usableGroupsFor(options: UsableTables, userGroup: string): ReadonlyMap<string, string> {
  const groups = new Map(Object.entries(options.UserUsableGroups));
  const special = entryOf(options[SPECIAL_GROUPS], userGroup) ?? {};
  for (const [name, description] of Object.entries(special)) {
    const { group, isTaken } = specialGroupOf(name);
    if (isTaken) groups.delete(group);
    else groups.set(group, description);
  }
  if (userGroup !== "" && !groups.has(userGroup)) groups.set(userGroup, OWN_GROUP);
  return groups;
}

/** What a user has paid for, and the site's unit of it. */
interface Paid {
  /** Quota of all credited top-ups, without what refunds and disputes took back. */
  paidQuota: number;
  /** Option QuotaPerUnit. */
  quotaPerUnit: number;
}

/**
 * The group that a user rises into by what they have paid for: of the option PaidGroups (group to units) the one with the highest bound
 * that is reached. Undefined where they stay: in a group that stands in no entry and is not `default` an administrator has put them,
 * and a user never moves to a group with a lower bound than their own. Throws a RangeError for bounds that are no decimals.
 */
export function raisedGroup(paidGroups: TextMap, group: string, { paidQuota, quotaPerUnit }: Paid): string | undefined {
  const own = entryOf(paidGroups, group);
  if (own === undefined && group !== "default") return undefined;
  const bounds = Object.entries(paidGroups)
    .map(([name, units]) => ({ name, bound: multiply(parseRatio(units), fractionOf(quotaPerUnit)) }))
    .filter(({ bound }) => bound.numerator <= BigInt(paidQuota) * bound.denominator)
    .toSorted((a, b) => Number(a.bound.numerator * b.bound.denominator - b.bound.numerator * a.bound.denominator));
  const reached = bounds.at(-1);
  if (reached === undefined || reached.name === group) return undefined;
  if (own === undefined) return reached.name;
  const ownBound = multiply(parseRatio(own), fractionOf(quotaPerUnit));
  const isHigher = reached.bound.numerator * ownBound.denominator > ownBound.numerator * reached.bound.denominator;
  return isHigher ? reached.name : undefined;
}
