/** The prices of the site: models, groups, dry runs, scheduled and past changes, the price list, and other sites. */
import { type ComponentType, lazy, Suspense } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { useSearchState } from "../../lib/search.ts";
import { importPart } from "../../ui/feedback/missing-part.ts";
import { Segmented } from "../../ui/form/fields.tsx";
import { useOpenInView } from "../../ui/open-in-view.ts";
import { Page } from "../../ui/page.tsx";
import styles from "./changes/changes.module.css";
import { PRICE_TABS, pricesSearch } from "./route.ts";

type Tab = (typeof PRICE_TABS)[number];

/** Each comes with its first use. */
const panel = (load: () => Promise<ComponentType>) => lazy(importPart(async () => ({ default: await load() })));

const PANELS: Readonly<Record<Tab, ComponentType>> = {
  models: panel(async () => (await import("./editor/prices-panel.tsx")).PricesPanel),
  groups: panel(async () => (await import("./groups/panel.tsx")).GroupsPanel),
  dry_run: panel(async () => (await import("./dry-run/panel.tsx")).DryRunPanel),
  changes: panel(async () => (await import("./changes/panel.tsx")).ChangesPanel),
  list: panel(async () => (await import("./list/panel.tsx")).PriceListPanel),
  sites: panel(async () => (await import("./sites-panel.tsx")).SitesPanel),
};

/** The panels' own fields of the address; another tab begins without them. */
const OWN_FIELDS = {
  p: undefined,
  sort: undefined,
  keyword: undefined,
  origin: undefined,
  differs: undefined,
  enabled: undefined,
  open: undefined,
  model: undefined,
};

export function PricesPage() {
  const { t } = useTranslation("prices");
  const [{ tab = "models" }, change] = useSearchState(pricesSearch);
  const Panel = PANELS[tab];
  const row = useOpenInView<HTMLDivElement>(tab);
  return (
    <Page title={t("page.title")} purpose={t(`page.purpose.${tab}`)}>
      <div ref={row} className={styles.tabs}>
        <Segmented
          label={t("page.tabs")}
          options={PRICE_TABS.map((value) => ({ value, text: t(`page.tab.${value}`) }))}
          value={tab}
          onChange={(value) => change({ ...OWN_FIELDS, tab: value === "models" ? undefined : value })}
        />
      </div>
      {/* The list of models has the frame of a table, up to the edges of the sheet. */}
      <div className={tab === "models" ? styles.whole : styles.part}>
        <Suspense fallback={<div className={styles.waiting} aria-busy />}>
          <Panel key={tab} />
        </Suspense>
      </div>
    </Page>
  );
}
