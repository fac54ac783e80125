/** The tabs of a user's page, in their order, and the permission that each needs. */
import type { Act } from "../../../../../contract/src/permissions.ts";
import { PERSON_TABS, type PersonTab } from "../route.ts";

const ACTS: Readonly<Record<PersonTab, Act>> = {
  usage: "logs",
  calls: "logs",
  tokens: ["users", "money"],
  ledger: "money",
  orders: "money",
  security: "users",
  notes: "users",
};

/** Of another person; the super administrator has no notes about themselves. */
const OF_OTHERS: ReadonlySet<PersonTab> = new Set<PersonTab>(["notes"]);

/** The tabs that are shown. @param may whether the viewer is permitted an act @param isOwn whether it is the viewer's own page */
export const tabsFor = (may: (act: Act) => boolean, isOwn: boolean): PersonTab[] =>
  PERSON_TABS.filter((tab) => may(ACTS[tab]) && !(isOwn && OF_OTHERS.has(tab)));
