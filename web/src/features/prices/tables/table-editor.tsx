/** One price table: its JSON or its rule, tables found in a paste, and the choice where somebody else was faster. */
import { Button } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { BROKEN_STREAM_RULES } from "../../../../../contract/src/pricing/broken-stream.ts";
import { formatJson } from "../../../../../contract/src/options/json-places.ts";
import type { PriceTable } from "../../../../../contract/src/pricing/table-changes.ts";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { Segmented } from "../../../ui/form/fields.tsx";
import { JsonEditor } from "../../../ui/form/json-editor.tsx";
import { type Drafts, isOvertaken, rebased, type Rows, textOf, without, withText } from "./model/drafts.ts";
import { type FoundTables, splitTables } from "./model/split-tables.ts";
import styles from "./tables.module.css";

/** A draft that the server refuses. */
export interface TableProblem {
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

export function TableEditor({ table, rows, drafts, problem, onChange }: Props) {
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

/** Somebody else stored this table since the draft was begun. */
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
