/** Models that channels offer and that have no price: one price for all that are selected, or the editor for each. */
import { Checkbox, TextInput } from "@mantine/core";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { lazy, Suspense, useMemo, useState, type FormEvent } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { PriceRow, PriceChange } from "../../../../contract/src/features/prices.ts";
import { formatNumber } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { searchReader, text, useSearchState } from "../../lib/search.ts";
import type { Column } from "../../ui/data-table/columns.ts";
import { DataTable } from "../../ui/data-table/data-table.tsx";
import { SearchFilter } from "../../ui/data-table/filters.tsx";
import { type ListState, useListState } from "../../ui/data-table/list-state.ts";
import { RowButton } from "../../ui/data-table/row-actions.tsx";
import type { Rows } from "../../ui/data-table/table-props.ts";
import { ModelMark } from "../../ui/display/provider-mark.tsx";
import { Empty } from "../../ui/feedback/empty.tsx";
import { RowCardLine } from "../../ui/data-table/row-card.tsx";
import styles from "./editor/editor.module.css";
import { isUnpriced, pageOf, searched, sorted } from "./model/rows.ts";
import { pricesQuery, useChangePrices } from "./queries.ts";
import type { PriceDraft } from "../../../../contract/src/pricing/dry-run.ts";
import { decimalTextOf } from "../../../../contract/src/pricing/price-display.ts";
import { useStatus } from "../../lib/status.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { FieldError, Segmented } from "../../ui/form/fields.tsx";
import { type BulkAct, bulkErrors, bulkPlan } from "./model/bulk.ts";
import { TryDraft } from "./try-draft.tsx";

type Kind = "tokens" | "call";
const START = { input: "", output: "", call: "" };
type Texts = typeof START;

const actOf = (kind: Kind, { input, output, call }: Texts): BulkAct =>
  kind === "call" ? { kind, call } : { kind, input, output };

/** The price that is set for the selected models, and what is missing for it. */
function useBatch(chosen: readonly PriceRow[], onDone: () => void) {
  const { t } = useTranslation("prices");
  const quotaPerUnit = decimalTextOf(useStatus().quota_per_unit);
  const [kind, setKind] = useState<Kind>("tokens");
  const [texts, setTexts] = useState(START);
  const [isChecked, setIsChecked] = useState(false);
  const change = useChangePrices();
  const act = actOf(kind, texts);
  const errors = bulkErrors(act);
  const isReady = chosen.length > 0 && Object.keys(errors).length === 0;
  const changes = isReady ? bulkPlan(chosen, act, quotaPerUnit).lines.map((line) => line.change) : [];
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (!isReady || change.isPending) return;
    try {
      const { changed } = await change.mutateAsync(changes);
      toast.success(t("editor.bulk.saved", { count: changed, formatted: formatNumber(changed) }));
    } catch (error) {
      toast.error(error, t("editor.bulk.notSaved"));
      return;
    }
    setIsChecked(false);
    setTexts(START);
    onDone();
  };
  return {
    kind,
    setKind,
    texts,
    setText: (field: keyof Texts, value: string) => setTexts({ ...texts, [field]: value }),
    changes,
    submit,
    isBusy: change.isPending,
    isUnselected: isChecked && chosen.length === 0,
    errorOf: (field: keyof Texts) => {
      const error = isChecked ? errors[field] : undefined;
      return error && t(error === "missing" ? "unpriced.valueMissing" : `common.error.${error}`);
    },
  };
}

/** The dry run of the price on past calls of these models. */
function TryChanges({ changes }: { changes: readonly PriceChange[] }) {
  // By its text: the selection is another list each time the table is drawn.
  const text = JSON.stringify({ changes: changes.map(({ model, to }) => ({ model, to })) });
  const draft = useMemo(() => JSON.parse(text) as PriceDraft, [text]);
  return <TryDraft draft={draft} />;
}

/** One price for the models that are selected: by tokens or by request, in dollars. */
function BatchForm({ batch, count }: { batch: ReturnType<typeof useBatch>; count: number }) {
  const { t } = useTranslation("prices");
  const field = (name: keyof Texts, label: string) => (
    <TextInput
      key={name}
      size="xs"
      className={styles.batchField ?? ""}
      aria-label={label}
      placeholder={label}
      leftSection={<span className={styles.sign}>$</span>}
      leftSectionWidth={24}
      inputMode="decimal"
      autoComplete="off"
      value={batch.texts[name]}
      error={batch.errorOf(name)}
      onChange={(event) => batch.setText(name, event.currentTarget.value)}
    />
  );
  return (
    <form onSubmit={(event) => void batch.submit(event)} noValidate aria-label={t("unpriced.batch")}>
      <div className={styles.batch}>
        <Segmented
          label={t("editor.form.kind")}
          options={[
            { value: "tokens", text: t("editor.form.byTokens") },
            { value: "call", text: t("common.perCall") },
          ]}
          value={batch.kind}
          onChange={batch.setKind}
        />
        {batch.kind === "call"
          ? field("call", t("editor.form.call"))
          : [field("input", t("unpriced.input")), field("output", t("unpriced.output"))]}
        <BusyButton type="submit" variant="filled" isBusy={batch.isBusy}>
          {count === 0 ? t("unpriced.set") : t("unpriced.setFor", { count, formatted: formatNumber(count) })}
        </BusyButton>
      </div>
      <FieldError error={batch.isUnselected ? t("unpriced.selectionMissing") : undefined} />
      {batch.changes.length > 0 && <TryChanges changes={batch.changes} />}
    </form>
  );
}

const EditorDrawer = lazy(async () => ({ default: (await import("./editor/editor-drawer.tsx")).EditorDrawer }));

const FILTERS = ["keyword"] as const;
const drawerSearch = searchReader({ model: text });
const ROW_HEIGHT_PX = 44;
/** As in the list of prices. */
const LEAST_ROWS = 50;

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
  const list = useListState(FILTERS, ROW_HEIGHT_PX, LEAST_ROWS);
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
      {(query.isPending || unpriced.length > 0) && (
        // Before the models are there, its room: the table below it stays where it is.
        <div className={query.isPending ? styles.later : undefined} aria-hidden={query.isPending || undefined}>
          <BatchForm batch={batch} count={chosen.rows.length} />
        </div>
      )}
      <div className={styles.wholeWidth}>
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
            <RowCardLine>
              <NameButton row={row} onOpen={open} />
              <RowCheck row={row} chosen={chosen} />
            </RowCardLine>
          )}
          empty={<Empty title={t("unpriced.empty.title")} sentence={t("unpriced.empty.sentence")} />}
          count={t("unpriced.count", { count: matching.length, formatted: formatNumber(matching.length) })}
          errorTitle={t("editor.notLoaded")}
        />
      </div>
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
