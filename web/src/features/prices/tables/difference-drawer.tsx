/** What drafts of price tables change: entries, models with their prices before and after, and saving. */
import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { IconArrowRight } from "@tabler/icons-react";
import { type ReactNode, useMemo } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { replaceTables } from "../../../../../contract/src/features/prices.ts";
import type {
  EntryDifference,
  ModelDifference,
  TableDraft,
  TablesDifference,
} from "../../../../../contract/src/pricing/table-changes.ts";
import { call } from "../../../lib/api.ts";
import { useStatus } from "../../../lib/status.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { Tag } from "../../../ui/display/tags.tsx";
import { withStepUp } from "../../../ui/feedback/step-up.ts";
import { SideDrawer } from "../../../ui/form/form-drawer.tsx";
import { unlessOff } from "../../../ui/plain.tsx";
import { TryDraft } from "../try-draft.tsx";
import styles from "./difference.module.css";
import { priceChanges } from "./difference.ts";

interface Props {
  difference: TablesDifference;
  drafts: readonly TableDraft[];
  isComparing: boolean;
  onLeaveOut: () => void;
  onClose: () => void;
  onRefused: (error: unknown) => void;
  onSaved: () => void;
}

export function DifferenceDrawer({ difference, drafts, isComparing, onLeaveOut, onClose, onRefused, onSaved }: Props) {
  const { t } = useTranslation("prices");
  const save = useMutation({
    mutationFn: () => withStepUp(() => call(replaceTables, { body: { tables: [...drafts] } }).then(() => true)),
    onSuccess: (isDone) => isDone && onSaved(),
    onError: onRefused,
    meta: { showsOwnError: true },
  });
  return (
    <SideDrawer
      isOpen
      onClose={onClose}
      title={t("tables.difference.title")}
      foot={
        <>
          <Button onClick={onClose}>{t("tables.difference.back")}</Button>
          <BusyButton variant="filled" isBusy={save.isPending || isComparing} onClick={() => save.mutate()}>
            {t("tables.difference.save", { count: drafts.length })}
          </BusyButton>
        </>
      }
    >
      <Counts difference={difference} />
      {difference.redundant_count > 0 && (
        <div className={styles.redundant}>
          <p>{t("tables.difference.redundant", { count: difference.redundant_count })}</p>
          <Button {...unlessOff(isComparing, onLeaveOut)}>{t("tables.difference.leaveOut")}</Button>
        </div>
      )}
      <TryTables drafts={drafts} />
      <Models difference={difference} />
      <Entries entries={difference.entries} count={difference.entry_count} />
    </SideDrawer>
  );
}

/** The dry run of the drafts on past calls; the rule for broken streams is no price. */
function TryTables({ drafts }: Pick<Props, "drafts">) {
  const draft = useMemo(() => {
    const tables = drafts.filter(({ key }) => key !== "BrokenStreamBilling");
    return { options: Object.fromEntries(tables.map(({ key, value }) => [key, value])) };
  }, [drafts]);
  return Object.keys(draft.options).length === 0 ? null : <TryDraft draft={draft} />;
}

function Counts({ difference: { tables } }: { difference: TablesDifference }) {
  const { t } = useTranslation("prices");
  return (
    <ul className={styles.counts}>
      {tables.map(({ key, added, changed, removed }) => (
        <li key={key}>
          <b>{t(`tables.name.${key}`)}</b>
          <span>
            {added + changed + removed === 0
              ? t("tables.difference.same")
              : t("tables.difference.counts", { added, changed, removed })}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** A value before and after; what is not there is said in words. */
function Step({ from, to, unit }: { from: ReactNode; to: ReactNode; unit?: string }) {
  const { t } = useTranslation("prices");
  const none = <span className={styles.none}>{t("tables.difference.none")}</span>;
  return (
    <span className={styles.step}>
      {from === undefined ? none : <del>{from}</del>}
      <IconArrowRight size={13} stroke={1.5} role="img" aria-label={t("tables.difference.becomes")} />
      {to === undefined ? none : <ins>{to}</ins>}
      {unit !== undefined && <span className={styles.unit}>{unit}</span>}
    </span>
  );
}

/** At least two decimals, as prices are read. */
const withCents = (text: string): string => {
  const [whole = "", decimals = ""] = text.split(".");
  return `${whole}.${decimals.padEnd(2, "0")}`;
};

function Model({ row }: { row: ModelDifference }) {
  const { t } = useTranslation("prices");
  const { quota_per_unit } = useStatus();
  const changes = row.is_repriced ? priceChanges(row.from, row.to, quota_per_unit) : [];
  const dollars = (text: string | undefined) => (text === undefined ? undefined : `$${withCents(text)}`);
  return (
    <li className={styles.model}>
      <span className={styles.modelName}>
        <span className="mono">{row.model}</span>
        {row.is_enabled && <Tag tone="green">{t("tables.difference.enabled")}</Tag>}
      </span>
      {changes.length === 0 && <span className={styles.none}>{t("tables.difference.samePrice")}</span>}
      {changes.map(({ part, from, to }) => (
        <span key={part} className={styles.part}>
          <span>{t(`tables.part.${part}`)}</span>
          {part === "tiers" ? (
            <Step from={from} to={to} />
          ) : (
            <Step
              from={dollars(from)}
              to={dollars(to)}
              unit={t(part === "call" ? "tables.perCall" : "tables.perMillion")}
            />
          )}
        </span>
      ))}
    </li>
  );
}

function Models({ difference }: { difference: TablesDifference }) {
  const { t } = useTranslation("prices");
  const { models, model_count: count, repriced_count: repriced } = difference;
  if (count === 0) return null;
  const more = count - models.length;
  return (
    <section className={styles.section}>
      <h3>{t("tables.difference.models", { count })}</h3>
      <p className={styles.none}>{t("tables.difference.repriced", { count: repriced })}</p>
      <ul className={styles.list}>
        {models.map((row) => (
          <Model key={row.model} row={row} />
        ))}
      </ul>
      {more > 0 && <p className={styles.none}>{t("tables.difference.more", { count: more })}</p>}
    </section>
  );
}

function Entries({ entries, count }: { entries: readonly EntryDifference[]; count: number }) {
  const { t } = useTranslation("prices");
  if (count === 0) return null;
  const more = count - entries.length;
  const valueText = (key: string, value: string | null) =>
    value !== null && key === "BrokenStreamBilling" ? t(`tables.rule.${value}`) : (value ?? undefined);
  return (
    <section className={styles.section}>
      <h3>{t("tables.difference.entries", { count })}</h3>
      <ul className={styles.list}>
        {entries.map(({ key, name, from, to }) => (
          <li key={`${key} ${name}`} className={styles.model}>
            <span className={styles.modelName}>
              {name === "" ? t(`tables.name.${key}`) : <span className="mono">{name}</span>}
            </span>
            <span className={styles.part}>
              <span>{name === "" ? "" : t(`tables.name.${key}`)}</span>
              <Step from={valueText(key, from)} to={valueText(key, to)} />
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && <p className={styles.none}>{t("tables.difference.moreEntries", { count: more })}</p>}
    </section>
  );
}
