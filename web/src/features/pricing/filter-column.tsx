/** The column left of the price list: the group whose prices are shown, how models are billed, their families, and the formula. */
import { Checkbox } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { FamilyMark, type LookName } from "../../ui/display/provider-mark.tsx";
import { RatioTag } from "../../ui/display/tags.tsx";
import { familyName } from "./model/families.ts";
import { Formula } from "./formula.tsx";
import { useGroupSwitch } from "./group-switch.ts";
import styles from "./pricing.module.css";
import type { PricePage } from "./view.ts";

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

function Families({ page }: { page: PricePage }) {
  const { t } = useTranslation("pricing");
  const toggle = (family: string): void => {
    const next = page.families.includes(family)
      ? page.families.filter((other) => other !== family)
      : [...page.families, family];
    page.list.setFilters({ family: next.join(",") });
  };
  return (
    <section>
      <h2 className={styles.columnTitle}>{t("column.families")}</h2>
      {page.familyCounts.map(({ value, count }) => (
        <label key={value} className={styles.choice}>
          <Checkbox size="xs" checked={page.families.includes(value)} onChange={() => toggle(value)} />
          <FamilyMark family={value as LookName} size={20} />
          <span className={styles.choiceName}>{familyName(value) ?? t("otherFamily")}</span>
          <span className={styles.choiceCount}>{formatNumber(count)}</span>
        </label>
      ))}
    </section>
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

export const FilterColumn = ({ page, label }: { page: PricePage; label: string }) => (
  <aside className={styles.column} aria-label={label}>
    {page.all === undefined ? (
      <Bones />
    ) : (
      <>
        <Groups page={page} />
        <Billing page={page} />
        <Families page={page} />
        <Formula />
      </>
    )}
  </aside>
);
