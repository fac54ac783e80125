/** The tokens page: the list of the viewer's own keys, and the drawers that create, edit and connect them. */
import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { TOKEN_STATUS, type TokenRow } from "../../../../contract/src/features/tokens.ts";
import { useSearchState } from "../../lib/search.ts";
import { serverAddress, useStatus } from "../../lib/status.ts";
import { Copy } from "../../ui/display/copy.tsx";
import { DataTable } from "../../ui/data-table/data-table.tsx";
import { useListState } from "../../ui/data-table/list-state.ts";
import { queryRows } from "../../ui/data-table/query-rows.ts";
import { Empty } from "../../ui/feedback/empty.tsx";
import { ChoiceFilter, SearchFilter } from "../../ui/data-table/filters.tsx";
import { Page } from "../../ui/page.tsx";
import { RowButton, RowMenu } from "../../ui/data-table/row-actions.tsx";
import { useShortcuts } from "../../ui/shortcuts/use-shortcuts.ts";
import { useTokenMenu } from "./acts.tsx";
import { BatchActs } from "./batch.tsx";
import { STATUSES, useTokenColumns } from "./columns.tsx";
import { searchedText } from "./model/key.ts";
import { enabledCountQuery, groupsQuery, TOKEN_FILTERS, type TokenList, tokensQuery } from "./queries.ts";
import { tokenSearch } from "./route.ts";
import { TokenCard } from "./token-card.tsx";
import styles from "./tokens.module.css";

const EditorDrawer = lazy(async () => ({ default: (await import("./editor-drawer.tsx")).EditorDrawer }));
const ConnectDrawer = lazy(async () => ({ default: (await import("./connect-drawer.tsx")).ConnectDrawer }));

type Opened = "create" | "edit" | "connect";

/** Which drawer the address asks for, and how to open and close one: /token?open=edit&id=3. */
function useDrawers() {
  const [search, change] = useSearchState(tokenSearch);
  return {
    opened: search.open,
    id: search.id,
    name: search.name,
    open: (open: Opened, id?: number) => change({ open, id, name: undefined }),
    close: () => change({ open: undefined, id: undefined, name: undefined }, "replace"),
  };
}

type Drawers = ReturnType<typeof useDrawers>;

function Filters({ list, groups }: { list: TokenList; groups: readonly string[] }) {
  const { t } = useTranslation("tokens");
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
      <ChoiceFilter
        label={t("columns.group")}
        choices={groups.map((name) => ({ value: name, text: name }))}
        value={list.filters.group}
        onChange={(group) => list.setFilters({ group })}
      />
    </>
  );
}

function NoTokens({ onCreate }: { onCreate: () => void }) {
  const { t } = useTranslation("tokens");
  const { docs_link } = useStatus();
  const address = `${serverAddress()}/v1`;
  return (
    <Empty
      title={t("empty.title")}
      sentence={t("empty.sentence")}
      actions={
        <>
          <Button variant="filled" leftSection={<IconPlus size={15} stroke={2} />} onClick={onCreate}>
            {t("create")}
          </Button>
          {docs_link !== "" && (
            <Button component="a" href={docs_link} target="_blank" rel="noreferrer">
              {t("empty.docs")}
            </Button>
          )}
        </>
      }
      after={
        <span className={styles.baseUrl}>
          {t("empty.baseUrl")}
          <span className={styles.address}>
            <Copy text={address} isIconShown>
              <span className="mono">{address}</span>
            </Copy>
          </span>
        </span>
      }
    />
  );
}

function OpenDrawer({ drawers }: { drawers: Drawers }) {
  const { opened, id, close } = drawers;
  if (opened === "create")
    return (
      <EditorDrawer
        key="create"
        name={drawers.name ?? ""}
        onClose={close}
        onConnect={(token) => drawers.open("connect", token)}
      />
    );
  if (id === undefined) return null;
  if (opened === "edit") return <EditorDrawer key={id} id={id} onClose={close} />;
  return opened === "connect" ? (
    <ConnectDrawer key={id} id={id} onClose={close} onEdit={() => drawers.open("edit", id)} />
  ) : null;
}

function useTokens(list: TokenList) {
  const { t } = useTranslation("tokens");
  const query = useQuery(tokensQuery(list));
  const enabled = useQuery(enabledCountQuery(list));
  const total = query.data?.total ?? 0;
  const count = t("count", { count: total });
  return {
    data: queryRows(query, query.data?.items, total),
    isEmpty: total === 0 && query.data !== undefined && !list.isFiltered,
    count:
      list.filters.status === undefined && enabled.data !== undefined
        ? t("countEnabled", { tokens: count, enabled: enabled.data })
        : count,
  };
}

export function TokensPage() {
  const { t } = useTranslation("tokens");
  const list = useListState(TOKEN_FILTERS);
  const tokens = useTokens(list);
  const groups = useQuery(groupsQuery).data;
  const drawers = useDrawers();
  const menu = useTokenMenu(drawers.open);
  const rowMenu = (token: TokenRow) => <RowMenu about={token.name} items={menu(token)} />;
  const create = () => drawers.open("create");
  useShortcuts([{ keys: "n", label: t("create"), section: "page", run: create }]);
  return (
    <Page
      title={t("title")}
      purpose={t("purpose")}
      notice={t("notice")}
      actions={
        !tokens.isEmpty && (
          <Button variant="filled" leftSection={<IconPlus size={15} stroke={2} />} onClick={create}>
            {t("create")}
          </Button>
        )
      }
    >
      <DataTable
        name="tokens"
        label={t("title")}
        columns={useTokenColumns(groups)}
        list={list}
        data={tokens.data}
        rowKey={(token) => String(token.id)}
        rowName={(token) => token.name}
        filters={<Filters list={list} groups={Object.keys(groups ?? {})} />}
        selection={(rows, clear, selection) => (
          <BatchActs rows={rows} clear={clear} selection={selection} list={list} total={tokens.data.total} />
        )}
        matchingMost={Infinity}
        onOpen={(token) => drawers.open("edit", token.id)}
        tone={(token) => (token.status === TOKEN_STATUS.enabled ? undefined : "off")}
        actions={(token) => (
          <>
            <RowButton onClick={() => drawers.open("connect", token.id)}>{t("connect")}</RowButton>
            {rowMenu(token)}
          </>
        )}
        card={(token) => <TokenCard token={token} groups={groups} menu={rowMenu(token)} />}
        empty={<NoTokens onCreate={create} />}
        count={tokens.count}
        errorTitle={t("notLoaded")}
      />
      <Suspense>
        <OpenDrawer drawers={drawers} />
      </Suspense>
    </Page>
  );
}
