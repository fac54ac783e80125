/** Where the name of each entry of the bars stands in the shell's texts, for the forms in which entries are shown and hidden. */
import type { HeaderEntry, SidebarEntry, SidebarGroup } from "../../../contract/src/bar-entries.ts";

export const HEADER_NAMES: Readonly<Record<HeaderEntry, string>> = {
  home: "shell:nav.home",
  console: "shell:nav.console",
  pricing: "shell:nav.pricing",
  docs: "shell:nav.docs",
  about: "shell:nav.about",
};

export const SIDEBAR_NAMES: Readonly<Record<SidebarEntry, string>> = {
  playground: "shell:entries.playground",
  studio: "shell:entries.studio",
  chat: "shell:chat.apps",
  detail: "shell:entries.dashboard",
  token: "shell:entries.tokens",
  log: "shell:entries.logs",
  midjourney: "shell:entries.drawing",
  task: "shell:entries.tasks",
  channel: "shell:entries.channels",
  prices: "shell:entries.prices",
  health: "shell:entries.health",
  route: "shell:entries.routing",
  redemption: "shell:entries.redemptions",
  orders: "shell:entries.orders",
  user: "shell:entries.users",
  notification: "shell:entries.notifications",
  audit: "shell:entries.audit",
  system: "shell:entries.system",
  setting: "shell:entries.settings",
  topup: "shell:entries.wallet",
  personal: "shell:entries.personal",
};

export const SIDEBAR_GROUP_NAMES: Readonly<Record<SidebarGroup, string>> = {
  chat: "shell:groups.chat",
  console: "shell:groups.console",
  admin: "shell:groups.admin",
  personal: "shell:groups.personal",
};
