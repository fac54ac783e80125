/** The redemption page for administrators: the list of codes, and the drawers that make and edit them. */
import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { REDEMPTION_STATUS, type RedemptionRow } from "../../../../contract/src/features/redemptions.ts";
import { useSearchState } from "../../lib/search.ts";
import { DataTable } from "../../ui/data-table/data-table.tsx";
import { ChoiceFilter, SearchFilter } from "../../ui/data-table/filters.tsx";
import { useListState } from "../../ui/data-table/list-state.ts";
import { queryRows } from "../../ui/data-table/query-rows.ts";
import { RowButton, RowMenu } from "../../ui/data-table/row-actions.tsx";
import { Empty } from "../../ui/feedback/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { useShortcuts } from "../../ui/shortcuts/use-shortcuts.ts";
import { DeleteInvalidButton, useCodeMenu } from "./acts.tsx";
import { KeepCodes } from "./batch.tsx";
import { CodeCard } from "./code-card.tsx";
import { STATUSES, useRedemptionColumns } from "./columns.tsx";
import type { MadeCodes } from "./editor-drawer.tsx";
import { searchedText } from "./model/code.ts";
import { REDEMPTION_FILTERS, type RedemptionList, redemptionsQuery } from "./queries.ts";
import { redemptionSearch } from "./route.ts";

const CreateDrawer = lazy(async () => ({ default: (await import("./editor-drawer.tsx")).CreateDrawer }));
const EditDrawer = lazy(async () => ({ default: (await import("./editor-drawer.tsx")).EditDrawer }));
const MadeDrawer = lazy(async () => ({ default: (await import("./made-drawer.tsx")).MadeDrawer }));

/** Which drawer the address asks for, and how to open and close one: /redemption?open=edit&id=3. */
function useDrawers() {
  const [search, change] = useSearchState(redemptionSearch);
  return {
    isCreating: search.open === "create",
    id: search.open === "edit" ? search.id : undefined,
    create: () => change({ open: "create", id: undefined }),
    edit: (id: number) => change({ open: "edit", id }),
    close: () => change({ open: undefined, id: undefined }, "replace"),
  };
}

function Filters({ list }: { list: RedemptionList }) {
  const { t } = useTranslation("redemptions");
  return (
    <>
      <SearchFilter
        label={t("search")}
        value={list.filters.keyword ?? ""}
        onChange={(keyword, step) => list.setFilters({ keyword: searchedText(keyword) }, step)}
      />
      <ChoiceFilter
        label={t("columns.status")}
        choices={STATUSES.map(({ status, key }) => ({ value: String(status), text: t(`status.${key}`) }))}
        value={list.filters.status}
        onChange={(status) => list.setFilters({ status })}
      />
    </>
  );
}

function CreateButton({ onClick }: { onClick: () => void }) {
  const { t } = useTranslation("redemptions");
  return (
    <Button variant="filled" leftSection={<IconPlus size={15} stroke={2} />} onClick={onClick}>
      {t("create")}
    </Button>
  );
}

function NoCodes({ onCreate }: { onCreate: () => void }) {
  const { t } = useTranslation("redemptions");
  return (
    <Empty title={t("empty.title")} sentence={t("empty.sentence")} actions={<CreateButton onClick={onCreate} />} />
  );
}

/** The name of the file for codes that were selected: the name they have in common. */
const fileNameOf = (codes: readonly RedemptionRow[]): string => {
  const names = new Set(codes.map(({ name }) => name));
  return names.size === 1 ? (codes[0]?.name ?? "") : "";
};

export function RedemptionsPage() {
  const { t } = useTranslation("redemptions");
  const list = useListState(REDEMPTION_FILTERS);
  const query = useQuery(redemptionsQuery(list));
  const total = query.data?.total ?? 0;
  const isEmpty = total === 0 && query.data !== undefined && !list.isFiltered;
  const drawers = useDrawers();
  const [made, setMade] = useState<MadeCodes>();
  const menu = useCodeMenu(drawers.edit);
  const rowMenu = (code: RedemptionRow) => <RowMenu about={code.name} items={menu(code)} />;
  const isEditable = ({ status }: RedemptionRow) => status === REDEMPTION_STATUS.unused;
  useShortcuts([{ keys: "n", label: t("create"), section: "page", run: drawers.create }]);
  const actions = (
    <>
      <DeleteInvalidButton />
      <CreateButton onClick={drawers.create} />
    </>
  );
  return (
    <Page title={t("title")} purpose={t("purpose")} actions={!isEmpty && actions}>
      <DataTable
        name="redemptions"
        label={t("title")}
        columns={useRedemptionColumns()}
        list={list}
        data={queryRows(query, query.data?.items, total)}
        rowKey={(code) => String(code.id)}
        rowName={(code) => code.name}
        filters={<Filters list={list} />}
        selection={(rows) => <KeepCodes codes={rows.map(({ key }) => key)} name={fileNameOf(rows)} />}
        onOpen={(code) => isEditable(code) && drawers.edit(code.id)}
        tone={(code) => (isEditable(code) ? undefined : "off")}
        actions={(code) => (
          <>
            {isEditable(code) && <RowButton onClick={() => drawers.edit(code.id)}>{t("edit")}</RowButton>}
            {rowMenu(code)}
          </>
        )}
        card={(code) => <CodeCard code={code} menu={rowMenu(code)} />}
        empty={<NoCodes onCreate={drawers.create} />}
        count={t("count", { count: total })}
        errorTitle={t("notLoaded")}
      />
      <Suspense>
        {drawers.isCreating && <CreateDrawer onClose={drawers.close} onMade={setMade} />}
        {drawers.id !== undefined && <EditDrawer key={drawers.id} id={drawers.id} onClose={drawers.close} />}
        {made !== undefined && !drawers.isCreating && <MadeDrawer made={made} onClose={() => setMade(undefined)} />}
      </Suspense>
    </Page>
  );
}
