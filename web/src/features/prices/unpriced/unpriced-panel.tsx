/** Models that channels offer and nobody priced: one price for all that are selected, or the editor for each. */
import { Checkbox } from "@mantine/core";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { lazy, Suspense, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { PriceRow } from "../../../../../contract/src/features/prices.ts";
import { formatNumber } from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { searchReader, text, useSearchState } from "../../../lib/search.ts";
import type { Column } from "../../../ui/data-table/columns.ts";
import { DataTable } from "../../../ui/data-table/data-table.tsx";
import { SearchFilter } from "../../../ui/data-table/filters.tsx";
import { type ListState, useListState } from "../../../ui/data-table/list-state.ts";
import { RowButton } from "../../../ui/data-table/row-actions.tsx";
import type { Rows } from "../../../ui/data-table/table-props.ts";
import { ModelMark } from "../../../ui/display/provider-mark.tsx";
import { Empty } from "../../../ui/feedback/empty.tsx";
import styles from "../editor/editor.module.css";
import { isUnpriced, pageOf, searched, sorted } from "../model/rows.ts";
import { pricesQuery } from "../queries.ts";
import { BatchForm, useBatch } from "./batch-form.tsx";

const EditorDrawer = lazy(async () => ({ default: (await import("../editor/editor-drawer.tsx")).EditorDrawer }));

const FILTERS = ["keyword"] as const;
const drawerSearch = searchReader({ model: text });
/** So high that no window fits more than the smallest page until somebody chooses another size. */
const ROW_FOR_TEN = 10_000;

function RowCheck({ row, chosen }: { row: PriceRow; chosen: Pick<Chosen, "names" | "toggle"> }) {
  const { t } = useTranslation("prices");
  return (
    <Checkbox
      size="xs"
      aria-label={t("unpriced.select", { model: row.model })}
      checked={chosen.names.has(row.model)}
      onChange={() => chosen.toggle([row.model])}
    />
  );
}

function useUnpricedRows() {
  const query = useQuery(pricesQuery);
  const list = useListState(FILTERS, ROW_FOR_TEN);
  const { keyword } = list.filters;
  const isDescending = list.sort?.isDescending ?? false;
  const unpriced = useMemo(() => (query.data ?? []).filter(isUnpriced), [query.data]);
  const matching = useMemo(
    () => sorted(searched(unpriced, keyword), { by: "model", isDescending }, "500000"),
    [unpriced, keyword, isDescending],
  );
  return { query, list, unpriced, matching };
}

/** The chosen models by name, on every page, as long as they have no price. */
function useChosen(unpriced: readonly PriceRow[]) {
  const [names, setNames] = useState<ReadonlySet<string>>(new Set());
  const rows = unpriced.filter(({ model }) => names.has(model));
  const toggle = (models: readonly string[]) => {
    const areOn = models.every((model) => names.has(model));
    setNames(new Set(areOn ? [...names].filter((name) => !models.includes(name)) : [...names, ...models]));
  };
  return { names, rows, toggle, clear: () => setNames(new Set()) };
}

type Chosen = ReturnType<typeof useChosen>;

interface NameProps {
  row: PriceRow;
  onOpen: (row: PriceRow) => void;
}

function NameButton({ row, onOpen }: NameProps) {
  const { t } = useTranslation("prices");
  return (
    <button type="button" className={styles.model} onClick={() => onOpen(row)} title={t("editor.edit")}>
      <ModelMark model={row.model} size={18} />
      <span className={`${styles.modelName} tp-name mono`}>{visible(row.model)}</span>
    </button>
  );
}

function useColumns(matching: readonly PriceRow[], { names, toggle }: Chosen, open: (row: PriceRow) => void) {
  const { t } = useTranslation("prices");
  const on = matching.filter(({ model }) => names.has(model)).length;
  const all = (
    <Checkbox
      size="xs"
      aria-label={t("unpriced.selectAll")}
      checked={on > 0 && on === matching.length}
      indeterminate={on > 0 && on < matching.length}
      onChange={() => toggle(matching.map(({ model }) => model))}
    />
  );
  return [
    {
      id: "select",
      header: t("unpriced.selectAll"),
      drawnHeader: all,
      width: 40,
      isNumeric: true,
      cell: (row) => <RowCheck row={row} chosen={{ names, toggle }} />,
    },
    {
      id: "model",
      header: t("editor.column.model"),
      sortBy: "model",
      width: 240,
      cell: (row) => <NameButton row={row} onOpen={open} />,
    },
  ] satisfies Column<PriceRow>[];
}

function Search({ list }: { list: ListState<"keyword"> }) {
  const { t } = useTranslation("prices");
  return (
    <SearchFilter
      label={t("editor.search")}
      value={list.filters.keyword ?? ""}
      pauseMs={0}
      onChange={(keyword, step) => list.setFilters({ keyword }, step)}
    />
  );
}

const toRows = (query: UseQueryResult<PriceRow[]>, page: readonly PriceRow[], total: number): Rows<PriceRow> => ({
  rows: query.data === undefined ? undefined : page,
  total,
  error: query.error,
  isFetching: query.isFetching,
  isOld: false,
  refetch: query.refetch,
});

export function UnpricedPanel() {
  const { t } = useTranslation("prices");
  const { query, list, unpriced, matching } = useUnpricedRows();
  const chosen = useChosen(unpriced);
  const batch = useBatch(chosen.rows, chosen.clear);
  const [search, change] = useSearchState(drawerSearch);
  const open = (row: PriceRow) => change({ model: row.model });
  const columns = useColumns(matching, chosen, open);
  return (
    <>
      {unpriced.length > 0 && <BatchForm batch={batch} count={chosen.rows.length} />}
      <DataTable
        name="unpriced-models"
        label={t("unpriced.label")}
        columns={columns}
        list={list}
        data={toRows(query, pageOf(matching, list.page, list.size), matching.length)}
        rowKey={(row) => row.model}
        rowName={(row) => row.model}
        filters={<Search list={list} />}
        onOpen={open}
        actions={(row) => <RowButton onClick={() => open(row)}>{t("unpriced.edit")}</RowButton>}
        card={(row) => (
          <div className={styles.cardRow}>
            <NameButton row={row} onOpen={open} />
            <RowCheck row={row} chosen={chosen} />
          </div>
        )}
        empty={<Empty title={t("unpriced.empty.title")} sentence={t("unpriced.empty.sentence")} />}
        count={t("unpriced.count", { count: matching.length, formatted: formatNumber(matching.length) })}
        errorTitle={t("editor.notLoaded")}
      />
      <Suspense>
        {search.model !== undefined && (
          <EditorDrawer
            key={search.model}
            model={search.model}
            rows={query.data ?? []}
            onClose={() => change({ model: undefined })}
          />
        )}
      </Suspense>
    </>
  );
}
