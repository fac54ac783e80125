/** A list of the console with rows from a call that tests answer: `/api/token`. */
import { Button } from "@mantine/core";
import { IconEdit, IconPlug } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { listTokens, type TokenRow } from "../../contract/src/features/tokens.ts";
import { Shortcuts } from "../src/app/shell/shortcuts.tsx";
import { call } from "../src/lib/api.ts";
import type { Column } from "../src/ui/data-table/columns.ts";
import { DataTable } from "../src/ui/data-table/data-table.tsx";
import { ChoiceFilter, SearchFilter, TextFilter } from "../src/ui/data-table/filters.tsx";
import { useListState } from "../src/ui/data-table/list-state.ts";
import { queryRows } from "../src/ui/data-table/table-props.ts";
import { type RowAction, RowActions, RowMenu } from "../src/ui/data-table/row-actions.tsx";
import type { Selection } from "../src/ui/data-table/selection.ts";
import { Empty } from "../src/ui/feedback/empty.tsx";
import { toast } from "../src/ui/feedback/toast-store.ts";
import { Page } from "../src/ui/page.tsx";

const FILTERS = ["keyword", "status", "group"] as const;
const MATCHING_MOST = 100;

const COLUMNS: Column<TokenRow>[] = [
  {
    id: "name",
    header: "Name",
    width: 170,
    sortBy: "name",
    cell: (row) => <span className="tp-name">{row.name}</span>,
  },
  { id: "used", header: "Used", width: 110, isNumeric: true, sortBy: "used_quota", cell: (row) => row.used_quota },
  { id: "group", header: "Group", width: 110, dropPriority: 2, cell: (row) => row.group },
  {
    id: "created",
    header: "Created",
    width: 130,
    dropPriority: 3,
    isOffAtFirst: true,
    cell: (row) => row.created_time,
  },
];

const wordsOf = (selection: Selection): string =>
  selection.allMatching ? `all but ${[...selection.excluded].join(",")}` : [...selection.keys].join(",");

async function failLater(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 50));
  throw new Error("The rows were refused");
}

type RowList = ReturnType<typeof useListState<(typeof FILTERS)[number]>>;

function useRows(list: RowList) {
  return useQuery({
    queryKey: ["scene", list.page, list.size, list.filters, list.sort],
    queryFn: async ({ signal }) => {
      const { items, total } = await call(listTokens, {
        query: { p: list.page, page_size: list.size, group: list.filters.keyword },
        signal,
      });
      return { items, total };
    },
    placeholderData: keepPreviousData,
  });
}

function Filters({ list }: { list: RowList }) {
  return (
    <>
      <SearchFilter
        label="Search"
        value={list.filters.keyword ?? ""}
        onChange={(keyword, step) => list.setFilters({ keyword }, step)}
      />
      <ChoiceFilter
        label="Status"
        choices={[{ value: "1", text: "On" }]}
        value={list.filters.status}
        onChange={(status) => list.setFilters({ status })}
      />
      <TextFilter label="Group" value={list.filters.group} onChange={(group) => list.setFilters({ group })} />
    </>
  );
}

export function List() {
  const list = useListState(FILTERS);
  const query = useRows(list);
  const [logged, setLogged] = useState("");
  const itemsOf = ({ name }: TokenRow): RowAction[] => [
    { label: "Connect", icon: <IconPlug size={15} />, onPick: () => setLogged(`connected ${name}`), isFirst: true },
    { label: "Edit", icon: <IconEdit size={15} />, onPick: () => setLogged(`edited ${name}`) },
  ];
  const total = query.data?.total ?? 0;
  return (
    <main id="content" style={{ display: "flex", flexDirection: "column", height: "100dvh" }}>
      <Shortcuts />
      <Page title="Rows" purpose="A list.">
        <DataTable
          name="scene"
          label="Rows"
          columns={COLUMNS}
          list={list}
          data={queryRows(query, query.data?.items, total)}
          rowKey={(row) => String(row.id)}
          rowName={(row) => row.name}
          onOpen={(row) => setLogged(`opened ${row.name}`)}
          matchingMost={MATCHING_MOST}
          filters={<Filters list={list} />}
          tools={
            <>
              <Button size="xs">Change many</Button>
              <Button size="xs">Add a row</Button>
            </>
          }
          selection={(rows, clear, selection) => (
            <>
              <Button
                onClick={() => {
                  setLogged(`acted on ${wordsOf(selection)}`);
                  clear();
                }}
              >
                Act
              </Button>
              <Button onClick={() => void failLater().catch((error: unknown) => toast.error(error, "Not done"))}>
                Fail with {rows.length}
              </Button>
            </>
          )}
          actions={(row) => <RowActions about={row.name} items={itemsOf(row)} />}
          card={(row) => (
            <>
              <span className="tp-name">{row.name}</span> <RowMenu about={row.name} items={itemsOf(row)} />
            </>
          )}
          empty={
            <Empty
              title="Make the first row"
              sentence="Rows are what this is for."
              actions={<Button>Make it</Button>}
            />
          }
          count={`${total} rows`}
          errorTitle="Rows could not be loaded"
        />
      </Page>
      <p role="log">{logged}</p>
    </main>
  );
}
