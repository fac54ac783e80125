/** The visual price editor: every model with its price in dollars, found, filtered, edited one by one or many at once. */
import { Button, Menu } from "@mantine/core";
import { IconArrowBackUp, IconChevronDown, IconEdit, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { createContext, lazy, memo, Suspense, useContext, useDeferredValue, useMemo, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import styles from "./editor.module.css";
import { PRICE_ORIGINS, type PriceRow } from "../../../../../contract/src/features/prices.ts";
import { hasOwnPrice } from "../../../../../contract/src/pricing/own-prices.ts";
import { decimalTextOf } from "../../../../../contract/src/pricing/price-display.ts";
import { formatNumber } from "../../../lib/format.ts";
import { oneOf, searchReader, text, useSearchState } from "../../../lib/search.ts";
import { useStatus } from "../../../lib/status.ts";
import { DataTable } from "../../../ui/data-table/data-table.tsx";
import { ChoiceFilter, SearchFilter } from "../../../ui/data-table/filters.tsx";
import { type ListState, useListState } from "../../../ui/data-table/list-state.ts";
import { type RowAction, RowActions, RowMenu } from "../../../ui/data-table/row-actions.tsx";
import type { Rows } from "../../../ui/data-table/table-props.ts";
import { Empty } from "../../../ui/feedback/empty.tsx";
import { filtered, pageOf, PRICE_FILTERS, sorted } from "../model/rows.ts";
import { pricesQuery, useChangePrices, useResetPrices } from "../queries.ts";
import { PriceCard, priceColumns, type PriceCells, priceSpans } from "./columns.tsx";
import { apart } from "../../../lib/names.ts";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { backToList } from "../model/bulk.ts";

/** True where it was done. */
interface BackActs {
  rows: (rows: readonly PriceRow[]) => Promise<boolean>;
  all: (rows: readonly PriceRow[]) => Promise<boolean>;
}

/** Going back to the price list: for one model, for those selected, or for all, each after a question that says how many. */
function useBackToList(): BackActs {
  const { t } = useTranslation("prices");
  const change = useChangePrices();
  const reset = useResetPrices();
  const run = async (act: () => Promise<unknown>, count: number): Promise<boolean> => {
    try {
      await act();
      toast.success(t("editor.back.done", { count, formatted: formatNumber(count) }));
      return true;
    } catch (error) {
      toast.error(error, t("editor.back.failed"));
      return false;
    }
  };
  const ask = (own: readonly PriceRow[], title: string): Promise<boolean> => {
    const gone = own.filter(({ list_price: listed }) => listed === null).length;
    const text =
      gone === 0 ? t("editor.back.text") : t("editor.back.unlisted", { count: gone, formatted: formatNumber(gone) });
    return confirm({ title, text, action: t("editor.back.action") });
  };
  const ownOf = (rows: readonly PriceRow[]) => rows.filter(({ own }) => hasOwnPrice(own));
  return {
    rows: async (rows) => {
      const own = ownOf(rows);
      if (own.length === 0) {
        toast.info(t("editor.back.nothing"));
        return false;
      }
      const [first] = own;
      const title =
        own.length === 1 && first !== undefined
          ? t("editor.back.title", { model: apart(first.model) })
          : t("editor.back.titleMany", { count: own.length, formatted: formatNumber(own.length) });
      return (await ask(own, title)) && run(() => change.mutateAsync(backToList(own)), own.length);
    },
    all: async (rows) => {
      const own = ownOf(rows);
      const title = t("editor.back.titleAll", { count: own.length, formatted: formatNumber(own.length) });
      return (await ask(own, title)) && run(() => reset.mutateAsync(), own.length);
    },
  };
}

const EditorDrawer = lazy(async () => ({ default: (await import("./editor-drawer.tsx")).EditorDrawer }));
const BulkDrawer = lazy(async () => ({ default: (await import("./bulk-drawer.tsx")).BulkDrawer }));

/** Which drawer the address asks for: `model` is the one that is edited. */
const drawerSearch = searchReader({ open: oneOf("add", "bulk"), model: text });

const ROW_HEIGHT_PX = 44;
/** Most sites have fewer models, and all of them are there already: the list is read by scrolling. */
const LEAST_ROWS = 50;
const SEARCH_PAUSE_MS = 0;

type PriceList = ListState<(typeof PRICE_FILTERS)[number]>;

/** The rows of the open page, of all that the filters leave. */
function useRows(list: PriceList, quotaPerUnit: string) {
  const query = useQuery(pricesQuery);
  const { keyword, origin, differs, enabled } = list.filters;
  const by = list.sort?.by;
  const isDescending = list.sort?.isDescending ?? false;
  const matching = useMemo(() => {
    const rows = filtered(query.data ?? [], { keyword, origin, differs, enabled });
    return sorted(rows, by === undefined ? undefined : { by, isDescending }, quotaPerUnit);
  }, [query.data, keyword, origin, differs, enabled, by, isDescending, quotaPerUnit]);
  const data: Rows<PriceRow> = {
    rows: query.data === undefined ? undefined : pageOf(matching, list.page, list.size),
    total: matching.length,
    error: query.error,
    isFetching: query.isFetching,
    isOld: false,
    refetch: query.refetch,
  };
  return { all: query.data ?? [], matching, data };
}

/** The list as the address has it now: filters show that at once, the table follows. */
const ListNow = createContext<PriceList | undefined>(undefined);

function Filters() {
  const { t } = useTranslation("prices");
  const list = useContext(ListNow);
  if (list === undefined) return null;
  return (
    <>
      <SearchFilter
        label={t("editor.search")}
        value={list.filters.keyword ?? ""}
        pauseMs={SEARCH_PAUSE_MS}
        onChange={(keyword, step) => list.setFilters({ keyword }, step)}
      />
      <ChoiceFilter
        label={t("editor.column.origin")}
        choices={PRICE_ORIGINS.map((origin) => ({ value: origin, text: t(`common.origin.${origin}`) }))}
        value={list.filters.origin}
        onChange={(origin) => list.setFilters({ origin })}
      />
      <ChoiceFilter
        label={t("editor.filter.list")}
        choices={[{ value: "yes", text: t("editor.filter.differs") }]}
        value={list.filters.differs}
        onChange={(differs) => list.setFilters({ differs })}
      />
      <ChoiceFilter
        label={t("editor.filter.channels")}
        choices={[
          { value: "yes", text: t("editor.filter.enabled") },
          { value: "no", text: t("editor.filter.notEnabled") },
        ]}
        value={list.filters.enabled}
        onChange={(enabled) => list.setFilters({ enabled })}
      />
    </>
  );
}

interface ToolProps {
  rows: readonly PriceRow[];
  onAdd: () => void;
  onBulk: () => void;
}

function Tools({ rows, onAdd, onBulk }: ToolProps) {
  const { t } = useTranslation("prices");
  const back = useBackToList();
  const own = rows.filter((row) => hasOwnPrice(row.own)).length;
  return (
    <div className={styles.tools}>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button size="xs" rightSection={<IconChevronDown size={14} stroke={1.5} />}>
            {t("editor.many")}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconEdit size={15} stroke={1.5} />} onClick={onBulk}>
            {t("editor.bulk.open")}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconArrowBackUp size={15} stroke={1.5} />}
            disabled={own === 0}
            onClick={() => void back.all(rows)}
          >
            {t("editor.back.all", { formatted: formatNumber(own) })}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Button size="xs" variant="filled" leftSection={<IconPlus size={14} stroke={2} />} onClick={onAdd}>
        {t("editor.add")}
      </Button>
    </div>
  );
}

/** The drawers that the address opens. `selected` are the rows of a bulk change that was begun from a selection. */
function useDrawers() {
  const [search, change] = useSearchState(drawerSearch);
  const [selected, setSelected] = useState<readonly string[]>();
  const acts = useMemo(
    () => ({
      edit: ({ model }: Pick<PriceRow, "model">) => change({ model, open: undefined }),
      add: () => change({ open: "add", model: undefined }),
      bulk: (models?: readonly string[]) => {
        setSelected(models);
        change({ open: "bulk", model: undefined });
      },
      close: () => {
        setSelected(undefined);
        change({ open: undefined, model: undefined });
      },
    }),
    [change],
  );
  return { search, selected, acts };
}

type Acts = ReturnType<typeof useDrawers>["acts"];

const NO_ROWS: readonly PriceRow[] = [];

function Drawers({ drawers: { search, selected, acts } }: { drawers: ReturnType<typeof useDrawers> }) {
  const { data: all = NO_ROWS } = useQuery(pricesQuery);
  const { close } = acts;
  return (
    <Suspense>
      {search.open === "add" && <EditorDrawer rows={all} onClose={close} />}
      {search.open === undefined && search.model !== undefined && (
        <EditorDrawer key={search.model} model={search.model} rows={all} onClose={close} />
      )}
      {search.open === "bulk" && all.length > 0 && <BulkDrawer rows={all} selected={selected} onClose={close} />}
    </Suspense>
  );
}

const PriceTable = memo(function PriceTable({ list, drawers }: { list: PriceList; drawers: Acts }) {
  const { t } = useTranslation("prices");
  const quotaPerUnit = decimalTextOf(useStatus().quota_per_unit);
  const { all, matching, data } = useRows(list, quotaPerUnit);
  const back = useBackToList();
  const cells: PriceCells = { t, quotaPerUnit, open: drawers.edit };
  const itemsOf = (row: PriceRow): RowAction[] => [
    {
      label: t("editor.editShort"),
      icon: <IconEdit size={15} stroke={1.5} />,
      isFirst: true,
      onPick: () => drawers.edit(row),
    },
    {
      label: t("editor.back.action"),
      icon: <IconArrowBackUp size={15} stroke={1.5} />,
      isDisabled: !hasOwnPrice(row.own),
      onPick: () => void back.rows([row]),
    },
  ];
  return (
    <DataTable
      name="prices"
      label={t("editor.label")}
      columns={priceColumns(cells)}
      spans={priceSpans(t)}
      list={list}
      data={data}
      rowKey={(row) => row.model}
      rowName={(row) => row.model}
      filters={<Filters />}
      hasManyFilters
      tools={<Tools rows={all} onAdd={drawers.add} onBulk={() => drawers.bulk()} />}
      tone={(row) => (row.is_enabled ? undefined : "off")}
      matchingMost={all.length}
      selection={(rows, clear, selection) => {
        const chosen = selection.allMatching ? matching.filter(({ model }) => !selection.excluded.has(model)) : rows;
        return (
          <>
            <Button size="xs" onClick={() => drawers.bulk(chosen.map(({ model }) => model))}>
              {t("editor.bulk.selected")}
            </Button>
            <Button size="xs" onClick={() => void back.rows(chosen).then((isDone) => isDone && clear())}>
              {t("editor.back.action")}
            </Button>
          </>
        );
      }}
      onOpen={drawers.edit}
      actions={(row) => <RowActions about={row.model} items={itemsOf(row)} />}
      actionsWidth={96}
      card={(row) => <PriceCard row={row} cells={cells} menu={<RowMenu about={row.model} items={itemsOf(row)} />} />}
      empty={
        <Empty
          title={t("editor.empty.title")}
          sentence={t("editor.empty.sentence")}
          actions={
            <Button variant="filled" onClick={drawers.add}>
              {t("editor.add")}
            </Button>
          }
        />
      }
      count={t("editor.count", { count: matching.length, formatted: formatNumber(matching.length) })}
      errorTitle={t("editor.notLoaded")}
    />
  );
});

/**
 * What is typed in the search goes into the address; the table follows in pieces, which the next key interrupts. So however many rows
 * there are, no key waits for them.
 */
export function PricesPanel() {
  const list = useListState(PRICE_FILTERS, ROW_HEIGHT_PX, LEAST_ROWS);
  const drawers = useDrawers();
  return (
    <ListNow value={list}>
      <PriceTable list={useDeferredValue(list)} drawers={drawers.acts} />
      <Drawers drawers={drawers} />
    </ListNow>
  );
}
