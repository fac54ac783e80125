/** The panel of price tables: own entries of each table as JSON, and a preview of what they change before they are stored. */
import { Tabs, Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useMemo, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { resetModelRatio } from "../../../../../contract/src/features/options.ts";
import { compareTables } from "../../../../../contract/src/features/prices.ts";
import {
  PRICE_TABLES,
  type PriceTable,
  type TablesDifference,
} from "../../../../../contract/src/pricing/table-changes.ts";
import { ApiError, call } from "../../../lib/api.ts";
import { rowsQuery } from "../../../ui/option-rows.ts";
import { oneOf, searchReader, useSearchState } from "../../../lib/search.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { PanelBar } from "../../../ui/form/panel-bar.tsx";
import { useUnsavedGuard } from "../../../ui/form/unsaved.ts";
import {
  countEntries,
  type Drafts,
  keysOf,
  type Rows,
  sentOf,
  textOf,
  withText,
  isOvertaken,
  rebased,
  without,
  type FoundTables,
  splitTables,
} from "./drafts.ts";
import styles from "./tables.module.css";
import { BROKEN_STREAM_RULES } from "../../../../../contract/src/pricing/broken-stream.ts";
import { formatJson } from "../../../../../contract/src/options/json-places.ts";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { Segmented } from "../../../ui/form/fields.tsx";
import { useOpenInView } from "../../../ui/open-in-view.ts";
import { JsonEditor } from "../../../ui/form/json-editor.tsx";

/** A draft that the server refuses. */
interface TableProblem {
  key: PriceTable;
  message: string;
  line: number | undefined;
}

interface Props {
  table: PriceTable;
  rows: Rows;
  drafts: Drafts;
  problem: TableProblem | undefined;
  onChange: (drafts: Drafts) => void;
}

/** One price table: its JSON or its rule, tables found in a paste, and the choice where another user saved first. */
function TableEditor({ table, rows, drafts, problem, onChange }: Props) {
  const { t } = useTranslation("prices");
  const text = textOf(rows, drafts, table);
  const change = (next: string) => onChange(withText(rows, drafts, table, next));
  return (
    <div className={styles.editor}>
      {isOvertaken(rows, drafts, table) && <Overtaken table={table} rows={rows} drafts={drafts} onChange={onChange} />}
      {table === "BrokenStreamBilling" ? (
        <div className={styles.rule}>
          <p className={styles.help}>{t("tables.help.BrokenStreamBilling")}</p>
          <Segmented
            label={t("tables.name.BrokenStreamBilling")}
            options={BROKEN_STREAM_RULES.map((rule) => ({ value: rule, text: t(`tables.rule.${rule}`) }))}
            value={BROKEN_STREAM_RULES.find((rule) => rule === text) ?? "delivered"}
            onChange={change}
          />
          {problem !== undefined && <Notice tone="red">{problem.message}</Notice>}
        </div>
      ) : (
        <>
          <JsonEditor
            label={t(`tables.name.${table}`)}
            help={t(`tables.help.${table}`)}
            value={text}
            onChange={change}
            error={problem?.message}
            errorLine={problem?.line}
          />
          <Pasted table={table} text={text} rows={rows} drafts={drafts} onChange={onChange} />
        </>
      )}
    </div>
  );
}

/** Offers to put the tables that a paste holds each into its place. */
function Pasted({ table, text, rows, drafts, onChange }: Omit<Props, "problem"> & { text: string }) {
  const { t } = useTranslation("prices");
  const found = useMemo(() => splitTables(text), [text]);
  if (found === undefined) return null;
  const names = [...found.tables.keys()].map((key) => t(`tables.name.${key}`)).join(t("tables.comma"));
  return (
    <div className={styles.pasted}>
      <Notice tone="blue">
        {t("tables.paste.found", { count: found.tables.size, names })}{" "}
        {found.others.length > 0 && t("tables.paste.others", { count: found.others.length })}
      </Notice>
      <Button onClick={() => onChange(spread(rows, without(drafts, table), found))}>{t("tables.paste.spread")}</Button>
    </div>
  );
}

const spread = (rows: Rows, drafts: Drafts, { tables }: FoundTables): Drafts =>
  [...tables].reduce((all, [key, text]) => withText(rows, all, key, formatJson(text)), drafts);

/** Another user stored this table since the draft was begun. */
function Overtaken({ table, rows, drafts, onChange }: Omit<Props, "problem">) {
  const { t } = useTranslation("prices");
  const user = rows.get(table)?.updated_by ?? "";
  return (
    <div className={styles.pasted}>
      <Notice tone="amber">{t(user === "" ? "tables.conflict.somebody" : "tables.conflict.text", { user })}</Notice>
      <Button onClick={() => onChange(without(drafts, table))}>{t("tables.conflict.theirs")}</Button>
      <Button onClick={() => onChange(rebased(rows, drafts, table))}>{t("tables.conflict.mine")}</Button>
    </div>
  );
}

const DifferenceDrawer = lazy(async () => ({ default: (await import("./difference-drawer.tsx")).DifferenceDrawer }));

const tableSearch = searchReader({ option: oneOf(...PRICE_TABLES) });

export function TablesPanel() {
  const { t } = useTranslation("prices");
  const rows = useQuery(rowsQuery);
  const byKey = useMemo(() => new Map(rows.data?.map((row) => [row.key, row] as const)), [rows.data]);
  if (rows.data !== undefined) return <Tables rows={byKey} />;
  if (rows.error === null) return <div className={styles.loading} role="status" aria-label={t("tables.loading")} />;
  return <ErrorState title={t("tables.notLoaded")} error={rows.error} onRetry={() => void rows.refetch()} />;
}

const isTable = (name: string | undefined): name is PriceTable => PRICE_TABLES.some((key) => key === name);

/** Where the server says that a draft is wrong; undefined for errors about something else. */
function problemOf(error: unknown): TableProblem | undefined {
  if (!(error instanceof ApiError) || !isTable(error.field) || error.code === "option_changed") return undefined;
  const values = error.extra["values"] as { line?: number } | undefined;
  return { key: error.field, message: error.message, line: values?.line };
}

/** The drafts, what the server says of them, and the acts upon both. */
function useTables(rows: Rows) {
  const { t } = useTranslation("prices");
  const queries = useQueryClient();
  const [search] = useSearchState(tableSearch);
  const [open, setOpen] = useState<PriceTable>(search.option ?? "ModelPrice");
  const [drafts, setDrafts] = useState<Drafts>({});
  const [problem, setProblem] = useState<TableProblem>();
  const [difference, setDifference] = useState<TablesDifference>();
  const { freely } = useUnsavedGuard(keysOf(drafts).length > 0);

  const change = (next: Drafts) => {
    setProblem(undefined);
    setDrafts(next);
  };
  const refused = (error: unknown) => {
    const found = problemOf(error);
    setDifference(undefined);
    setProblem(found);
    void queries.invalidateQueries({ queryKey: rowsQuery.queryKey });
    if (error instanceof ApiError && isTable(error.field)) setOpen(error.field);
    if (found === undefined) toast.error(error);
  };
  const compare = useMutation({
    mutationFn: (tables: Drafts) => call(compareTables, { body: { tables: sentOf(tables) } }),
    onSuccess: setDifference,
    onError: refused,
    meta: { showsOwnError: true },
  });
  const saved = async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: rowsQuery.queryKey }),
      queries.invalidateQueries({ queryKey: ["prices"] }),
    ]);
    freely(() => change({}));
    setDifference(undefined);
    toast.success(t("tables.saved"));
  };
  /** Takes the entries out of the drafts that the price list has anyway, and looks at the difference again. */
  const leaveOut = ({ lean }: TablesDifference) => {
    const next = lean.reduce((all, { key, value }) => withText(rows, all, key, value), drafts);
    change(next);
    if (keysOf(next).length === 0) setDifference(undefined);
    else compare.mutate(next);
  };
  return { open, setOpen, drafts, problem, difference, setDifference, change, refused, compare, saved, leaveOut };
}

function Tables({ rows }: { rows: Rows }) {
  const { t } = useTranslation("prices");
  const { drafts, difference, compare, ...tables } = useTables(rows);
  const changed = keysOf(drafts);
  return (
    <div>
      <Head />
      <TableTabs {...tables} rows={rows} drafts={drafts} />
      {changed.length > 0 && (
        <PanelBar
          title={t("tables.changed", { count: changed.length })}
          text={changed.map((key) => t(`tables.name.${key}`)).join(t("tables.comma"))}
          action={t("tables.review")}
          isBusy={compare.isPending}
          onDiscard={() => tables.change({})}
          onAct={() => compare.mutate(drafts)}
        />
      )}
      {difference !== undefined && (
        <Suspense fallback={null}>
          <DifferenceDrawer
            difference={difference}
            drafts={sentOf(drafts)}
            isComparing={compare.isPending}
            onLeaveOut={() => tables.leaveOut(difference)}
            onClose={() => tables.setDifference(undefined)}
            onRefused={tables.refused}
            onSaved={() => void tables.saved()}
          />
        </Suspense>
      )}
    </div>
  );
}

interface TabsProps {
  open: PriceTable;
  setOpen: (table: PriceTable) => void;
  rows: Rows;
  drafts: Drafts;
  problem: TableProblem | undefined;
  change: (drafts: Drafts) => void;
}

function TableTabs({ open, setOpen, rows, drafts, problem, change }: TabsProps) {
  const { t } = useTranslation("prices");
  const choose = (key: string | null) => {
    const table = key ?? undefined;
    if (isTable(table)) setOpen(table);
  };
  const row = useOpenInView<HTMLDivElement>(open);
  return (
    <Tabs value={open} onChange={choose} keepMounted={false}>
      <Tabs.List ref={row} className={styles.tabs ?? ""} aria-label={t("tables.tabs")}>
        {PRICE_TABLES.map((key) => (
          <Tabs.Tab key={key} value={key} data-is-changed={drafts[key] !== undefined || undefined}>
            {t(`tables.name.${key}`)} <EntryCount text={textOf(rows, drafts, key)} />
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={open} className={styles.panel ?? ""}>
        <TableEditor
          key={open}
          table={open}
          rows={rows}
          drafts={drafts}
          problem={problem?.key === open ? problem : undefined}
          onChange={change}
        />
      </Tabs.Panel>
    </Tabs>
  );
}

function EntryCount({ text }: { text: string }) {
  const count = useMemo(() => countEntries(text), [text]);
  return count === undefined || count === 0 ? null : <span className={styles.count}>{count}</span>;
}

/** Says what the tables hold, and offers to empty them. */
function Head() {
  const { t } = useTranslation("prices");
  const queries = useQueryClient();
  const reset = useMutation({
    mutationFn: () => call(resetModelRatio, {}),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: rowsQuery.queryKey });
      await queries.invalidateQueries({ queryKey: ["prices"] });
      toast.success(t("tables.reset.done"));
    },
  });
  const ask = async () => {
    const isSure = await confirm({
      title: t("tables.reset.title"),
      text: t("tables.reset.text"),
      action: t("tables.reset.action"),
    });
    if (isSure) reset.mutate();
  };
  return (
    <div className={styles.head}>
      <p className={styles.purpose}>{t("tables.purpose")}</p>
      <BusyButton isBusy={reset.isPending} onClick={() => void ask()}>
        {t("tables.reset.open")}
      </BusyButton>
    </div>
  );
}
