/** The column left of the price list: the group whose prices are shown, how models are billed, their kinds and vendors, and the formula. */
import { Checkbox } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { Modality } from "../../../../contract/src/pricing/listed-facts.ts";
import type { ModelKind } from "../../../../contract/src/pricing/model-kind.ts";
import { formatNumber, formatRatio } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { ChoiceFilter } from "../../ui/data-table/filters.tsx";
import { FamilyMark } from "../../ui/display/provider-mark.tsx";
import { RatioTag } from "../../ui/display/tags.tsx";
import { OTHER_VENDOR, lookOf } from "./model/families.ts";
import { capitalised } from "./model/price-list.ts";
import { Formula } from "./formula.tsx";
import styles from "./pricing.module.css";
import { AVAILABLE, type PricePage, type ValueCount } from "./view.ts";
import { toast } from "../../ui/feedback/toast-store.ts";

/** The click on a group: prices are then those of that group. */
export function useGroupSwitch({
  list,
  groups,
  viewed,
}: Pick<PricePage, "list" | "groups" | "viewed">): (name: string) => void {
  const { t } = useTranslation("pricing");
  return (name) => {
    const group = groups.find((choice) => choice.name === name);
    if (group === undefined || name === viewed?.name) return;
    list.setFilters({ group: group.isOwn ? undefined : name });
    toast.info(t("viewing", { group: name }), t("viewingRatio", { ratio: formatRatio(group.ratio) }));
  };
}

function Groups({ page }: { page: PricePage }) {
  const { t } = useTranslation("pricing");
  const show = useGroupSwitch(page);
  return (
    <section>
      <h2 className={styles.columnTitle}>{t("column.groups")}</h2>
      <ul className={styles.groupList}>
        {page.groups.map((group) => (
          <li key={group.name}>
            <button
              type="button"
              className={styles.groupChoice}
              aria-pressed={group.name === page.viewed?.name}
              onClick={() => show(group.name)}
            >
              <span className={styles.groupWords}>
                <span className={styles.groupName}>
                  {group.isOwn && !page.isGuest ? t("yours", { group: group.name }) : visible(group.name)}
                </span>
                {group.description && <span className={styles.groupText}>{group.description}</span>}
              </span>
              <RatioTag ratio={group.ratio} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const KINDS = [0, 1] as const;

/** Both kinds on is no filter, and the last one on cannot be taken off. */
function nextBilling(current: number | undefined, kind: number): string | undefined {
  if (current === undefined) return String(1 - kind);
  return current === kind ? String(kind) : undefined;
}

function Billing({ page }: { page: PricePage }) {
  const { t } = useTranslation("pricing");
  return (
    <section>
      <h2 className={styles.columnTitle}>{t("column.billing")}</h2>
      {KINDS.map((kind) => (
        <label key={kind} className={styles.choice}>
          <Checkbox
            size="xs"
            checked={page.billing === undefined || page.billing === kind}
            onChange={() => page.list.setFilters({ billing: nextBilling(page.billing, kind) })}
          />
          <span className={styles.choiceName}>{t(`billing.${kind}`)}</span>
          <span className={styles.choiceCount}>
            {formatNumber((page.all ?? []).filter(({ entry }) => entry.quota_type === kind).length)}
          </span>
        </label>
      ))}
    </section>
  );
}

/** Choices with how many models each has; none ticked shows all. */
function Counted({ title, counts, chosen, onChange, nameOf, markOf }: CountedProps) {
  const toggle = (value: string): void =>
    onChange((chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value]).join(","));
  return (
    <section>
      <h2 className={styles.columnTitle}>{title}</h2>
      {counts.map(({ value, count }) => (
        <label key={value} className={styles.choice}>
          <Checkbox size="xs" checked={chosen.includes(value)} onChange={() => toggle(value)} />
          {markOf?.(value)}
          <span className={styles.choiceName}>{nameOf(value)}</span>
          <span className={styles.choiceCount}>{formatNumber(count)}</span>
        </label>
      ))}
    </section>
  );
}

interface CountedProps {
  title: string;
  counts: readonly ValueCount[];
  chosen: readonly string[];
  onChange: (joined: string) => void;
  nameOf: (value: string) => string;
  markOf?: (value: string) => ReactNode;
}

function Vendors({ page }: { page: PricePage }) {
  const { t } = useTranslation("pricing");
  return (
    <Counted
      title={t("column.vendors")}
      counts={page.vendorCounts}
      chosen={page.vendors}
      onChange={(vendor) => page.list.setFilters({ vendor })}
      nameOf={(vendor) => (vendor === OTHER_VENDOR ? t("otherVendor") : vendor)}
      markOf={(vendor) => <FamilyMark family={lookOf(vendor)} size={20} />}
    />
  );
}

function Kinds({ page }: { page: PricePage }) {
  const { t } = useTranslation("pricing");
  // One kind alone is nothing to choose from.
  if (page.kindCounts.length < 2) return null;
  return (
    <Counted
      title={t("column.kinds")}
      counts={page.kindCounts}
      chosen={page.kinds}
      onChange={(kind) => page.list.setFilters({ kind })}
      nameOf={(kind) => t(`modelKind.${kind as ModelKind}`)}
    />
  );
}

/** Pictures, sound and films that a model reads; nothing where no price list names any. */
function Takes({ page }: { page: PricePage }) {
  const { t } = useTranslation("pricing");
  if (page.takenCounts.length === 0) return null;
  return (
    <Counted
      title={t("column.takes")}
      counts={page.takenCounts}
      chosen={page.takes}
      onChange={(takes) => page.list.setFilters({ takes })}
      nameOf={(each) => capitalised(t(`modality.${each as Modality}`))}
    />
  );
}

function Usable({ page }: { page: PricePage }) {
  const { t } = useTranslation("pricing");
  return (
    <label className={styles.choice}>
      <Checkbox
        size="xs"
        checked={page.isUsableOnly}
        onChange={() => page.list.setFilters({ usable: page.isUsableOnly ? undefined : "1" })}
      />
      <span className={styles.choiceName}>{t("usableIn", { group: page.viewed?.name ?? "" })}</span>
    </label>
  );
}

const SORTS = [
  "-use",
  "input",
  "-input",
  "output",
  "-output",
  "-context",
  "context",
  "firstToken",
  "-firstToken",
] as const;

/** Also by numbers whose column has no room; visitors know no times. */
export function SortFilter({ page: { list, isGuest, hasUses } }: { page: PricePage }) {
  const { t } = useTranslation("pricing");
  const { sort } = list;
  const chosen = sort === undefined || sort.by === AVAILABLE ? undefined : `${sort.isDescending ? "-" : ""}${sort.by}`;
  return (
    <ChoiceFilter
      label={t("sort.label")}
      choices={SORTS.filter((each) => (!isGuest || !each.endsWith("firstToken")) && (hasUses || each !== "-use")).map(
        (value) => ({
          value,
          text: t(`sort.${value}`),
        }),
      )}
      value={chosen}
      onChange={list.setSort}
    />
  );
}

const BONE_WIDTHS = [56, 40, 64, 48, 60, 44];

/** Before the list is there: nothing stands below what is still to grow, so nothing moves when it comes. */
function Bones() {
  const { t } = useTranslation("pricing");
  return (
    <section aria-hidden>
      <h2 className={styles.columnTitle}>{t("column.groups")}</h2>
      {BONE_WIDTHS.map((width) => (
        <span key={width} className={styles.bone} style={{ width: `${width}%` }} />
      ))}
    </section>
  );
}

interface FilterColumnProps {
  page: PricePage;
  label: string;
  /** No list came: there is nothing to filter, and nothing to wait for. */
  isFailed: boolean;
}

export const FilterColumn = ({ page, label, isFailed }: FilterColumnProps) => (
  <aside className={styles.column} aria-label={label}>
    {page.all === undefined ? (
      !isFailed && <Bones />
    ) : (
      <>
        <Groups page={page} />
        <section>
          <SortFilter page={page} />
        </section>
        <Usable page={page} />
        <Billing page={page} />
        <Kinds page={page} />
        <Takes page={page} />
        <Vendors page={page} />
        <Formula />
      </>
    )}
  </aside>
);
