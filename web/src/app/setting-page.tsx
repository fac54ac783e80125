/** The settings page with the panels that other features draw in it. */
import { type ComponentType, lazy } from "react";
import { OptionsPage } from "../features/options/page.tsx";
import type { SettingPanels } from "../features/options/tabs.tsx";
import { loadTexts } from "../lib/i18n.ts";

/** A panel that comes with the texts of its feature when it is opened. */
const panel = (texts: string, load: () => Promise<ComponentType>) =>
  lazy(async () => {
    const [component] = await Promise.all([load(), loadTexts(texts)]);
    return { default: component };
  });

const PANELS: SettingPanels = {
  identity_providers: panel(
    "identities",
    async () => (await import("../features/identities/providers-panel.tsx")).ProvidersPanel,
  ),
  // The route leads to their own page.
  prices: () => null,
  unpriced_models: panel("prices", async () => (await import("../features/prices/unpriced-panel.tsx")).UnpricedPanel),
  price_tables: panel("prices", async () => (await import("../features/prices/tables/panel.tsx")).TablesPanel),
  groups: panel("prices", async () => (await import("../features/prices/groups/panel.tsx")).GroupsPanel),
  price_list: panel("prices", async () => (await import("../features/prices/list/panel.tsx")).PriceListPanel),
  site_prices: panel("prices", async () => (await import("../features/prices/sites-panel.tsx")).SitesPanel),
  dry_run: panel("prices", async () => (await import("../features/prices/dry-run/panel.tsx")).DryRunPanel),
};

export const SettingPage = () => <OptionsPage panels={PANELS} />;
