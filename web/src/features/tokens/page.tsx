/** The tokens page: the list of the viewer's own keys, their bulk actions, and the drawers that create and edit them. */
import { Button } from "@mantine/core";
import { IconPlus, IconCopy, IconTrash } from "@tabler/icons-react";
import { useQuery, useMutation } from "@tanstack/react-query";
import { lazy, Suspense, type ReactNode } from "react";
import { type TFunction, useTranslation } from "../../lib/i18n.ts";
import {
  TOKEN_STATUS,
  type TokenRow,
  type TokenBatch,
  type TokenBatchResult,
} from "../../../../contract/src/features/tokens.ts";
import { useIsAdmin } from "../../lib/viewer.ts";
import { useSearchState } from "../../lib/search.ts";
import { serverAddress, useStatus } from "../../lib/status.ts";
import { Copy } from "../../ui/display/copy.tsx";
import { DataTable } from "../../ui/data-table/data-table.tsx";
import { useListState } from "../../ui/data-table/list-state.ts";
import { queryRows } from "../../ui/data-table/table-props.ts";
import { Empty } from "../../ui/feedback/empty.tsx";
import { ChoiceFilter, SearchFilter } from "../../ui/data-table/filters.tsx";
import { ConnectUpstream, useLacksChannel } from "../../ui/no-channel.tsx";
import { MemberSteps } from "../../ui/member-steps.tsx";
import { Page } from "../../ui/page.tsx";
import { RowActions, RowMenu } from "../../ui/data-table/row-actions.tsx";
import { useShortcuts } from "../../ui/shortcuts/shortcuts.ts";
import { askToDelete, useConnect, useTokenMenu } from "./acts.tsx";
import { STATUSES, useTokenColumns, TokenGroup, TokenKey, TokenName, TokenStatus } from "./columns.tsx";
import { fullKey, isKeyKnown, searchedText } from "./model/key.ts";
import {
  enabledCountQuery,
  groupsQuery,
  TOKEN_FILTERS,
  type TokenList,
  tokensQuery,
  batchFilter,
  matchingTokens,
  useBatch,
} from "./queries.ts";
import { tokenSearch } from "./route.ts";
import styles from "./tokens.module.css";
import { copyText } from "../../lib/clipboard.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { type Selection, selectedCount } from "../../ui/data-table/selection.ts";
import { confirm, type Question } from "../../ui/feedback/confirm.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import type { GroupEntries } from "../../../../contract/src/features/groups.ts";
import { formatQuota, formatWhen } from "../../lib/format.ts";
import { RowCard, RowCardAmount, RowCardHead, RowCardLine } from "../../ui/data-table/row-card.tsx";
import { QuotaBar } from "../../ui/display/quota.tsx";

function Amounts({ token }: { token: TokenRow }) {
  const { t } = useTranslation("tokens");
  useStatus();
  const used = t("card.used", { amount: formatQuota(token.used_quota) });
  const when = token.accessed_time === 0 ? "" : t("card.usedAt", { used, when: formatWhen(token.accessed_time) });
  const total = formatQuota(Math.max(0, token.remain_quota) + token.used_quota);
  return (
    <RowCardLine>
      {token.unlimited_quota ? (
        <RowCardAmount>{t("unlimited")}</RowCardAmount>
      ) : (
        <span>
          <RowCardAmount>{formatQuota(token.remain_quota)}</RowCardAmount>{" "}
          <span className={styles.faint}>{t("card.of", { total })}</span>
        </span>
      )}
      <span className={styles.faint}>{when || used}</span>
    </RowCardLine>
  );
}

/** `menu` is the row's ⋯. */
function TokenCard({ token, groups, menu }: { token: TokenRow; groups: GroupEntries | undefined; menu: ReactNode }) {
  return (
    <RowCard>
      <RowCardHead state={<TokenStatus status={token.status} />} menu={menu}>
        <TokenName token={token} isWhole />
      </RowCardHead>
      <RowCardLine>
        <TokenKey token={token} isIconShown />
        <TokenGroup token={token} groups={groups} />
      </RowCardLine>
      {!token.unlimited_quota && <QuotaBar remaining={token.remain_quota} used={token.used_quota} isWide />}
      <Amounts token={token} />
    </RowCard>
  );
}

const glyph = { size: 15, stroke: 1.5 } as const;

type Action = TokenBatch["action"];

/** As the table hands it over, with the list it stands in. */
interface Selected {
  rows: readonly TokenRow[];
  clear: () => void;
  selection: Selection;
  list: TokenList;
  /** How many tokens match the filters. */
  total: number;
}

/** The request. Where `total` no longer matches, the server does nothing. */
function batchOf({ rows, selection, list, total }: Selected, action: Action): TokenBatch {
  if (!selection.allMatching) return { ids: rows.map(({ id }) => id), action };
  return { filter: batchFilter(list), total, excluded: [...selection.excluded].map(Number), action };
}

/** Shows the result: what was done, and what was refused and why. */
function tell({ done, refused }: TokenBatchResult, action: Action, t: TFunction): void {
  if (done > 0) toast.success(t(`batch.${action}.done`, { count: done }));
  else if (refused === 0) toast.info(t(`batch.${action}.none`));
  if (refused > 0) toast.info(t("batch.refused", { count: refused }), { text: t("batch.refusedText"), sticky: true });
}

const NAMED = 5;

/** The question before many are deleted: those of the page by their names. */
function manyQuestion({ rows, selection }: Selected, count: number, t: TFunction): Question {
  const names = rows.slice(0, NAMED).map((token) => token.name);
  const separator = t("listSeparator");
  const rest = count - names.length;
  const named = rest > 0 ? t("namesAndMore", { names: names.join(separator), count: rest }) : names.join(separator);
  return {
    title: t("batch.delete.title", { count }),
    text: selection.allMatching ? t("batch.delete.textMatching") : t("batch.delete.text", { names: named }),
    action: t("batch.delete.action", { count }),
    keep: t("batch.delete.keep"),
  };
}

/** Asks before the selected tokens are deleted, naming them. */
function useConfirmed(selected: Selected, count: number) {
  const { t } = useTranslation("tokens");
  const [only] = selected.rows;
  return () => (count === 1 && only ? askToDelete(only, t) : confirm(manyQuestion(selected, count, t)));
}

function useCopyKeys({ rows, selection, list }: Selected) {
  const { t } = useTranslation("tokens");
  return useMutation({
    meta: { showsOwnError: true },
    mutationFn: async () => {
      const tokens = selection.allMatching ? await matchingTokens(list, selection.excluded) : rows;
      const known = tokens.filter(isKeyKnown);
      if (known.length === 0) toast.info(t("keysUnknown"));
      else if (await copyText(known.map(({ key }) => fullKey(key)).join("\n")))
        toast.success(t("keysCopied", { count: known.length }));
    },
    onError: (error) => toast.error(error, t("notLoaded")),
  });
}

/** Enable, disable, copy keys and delete for the selected tokens. */
function BatchActs(selected: Selected) {
  const { t } = useTranslation("tokens");
  const { selection, rows, total, clear } = selected;
  const count = selection.allMatching ? selectedCount(selection, total) : rows.length;
  const batch = useBatch();
  const copy = useCopyKeys(selected);
  const isSure = useConfirmed(selected, count);
  const run = (action: Action) =>
    batch.mutate(batchOf(selected, action), {
      onSuccess: (result) => {
        if (result.done > 0) clear();
        tell(result, action, t);
      },
    });
  const busy = (action: Action) => batch.isPending && batch.variables.action === action;
  if (count === 0) return null;
  return (
    <>
      <BusyButton isBusy={busy("enable")} onClick={() => run("enable")}>
        {t("enable")}
      </BusyButton>
      <BusyButton isBusy={busy("disable")} onClick={() => run("disable")}>
        {t("disable")}
      </BusyButton>
      <BusyButton leftSection={<IconCopy {...glyph} />} isBusy={copy.isPending} onClick={() => copy.mutate()}>
        {t("copyKeys")}
      </BusyButton>
      <BusyButton
        data-tone="danger"
        leftSection={<IconTrash {...glyph} />}
        style={{ marginInlineStart: "auto" }}
        isBusy={busy("delete")}
        onClick={() => void isSure().then((isMeant) => isMeant && run("delete"))}
      >
        {t("delete.word")}
      </BusyButton>
    </>
  );
}

const EditorDrawer = lazy(async () => ({ default: (await import("./editor-drawer.tsx")).EditorDrawer }));

type Opened = "create" | "edit";

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
  const { isKnown, lacksChannel } = useLacksChannel();
  const address = `${serverAddress()}/v1`;
  if (!isKnown) return null;
  return (
    <Empty
      title={t(lacksChannel ? "channel-impact:noChannel.title" : "empty.title")}
      sentence={t(lacksChannel ? "channel-impact:noChannel.text" : "empty.sentence")}
      actions={
        <>
          {lacksChannel && <ConnectUpstream />}
          <Button
            variant={lacksChannel ? "default" : "filled"}
            leftSection={<IconPlus size={15} stroke={2} />}
            onClick={onCreate}
          >
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
  const connect = useConnect();
  if (opened === "create")
    return <EditorDrawer key="create" name={drawers.name ?? ""} onClose={close} onConnect={connect} />;
  return opened === "edit" && id !== undefined ? <EditorDrawer key={id} id={id} onClose={close} /> : null;
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
  const menu = useTokenMenu((id) => drawers.open("edit", id));
  // What an operator does with tokens of their own site is theirs to say.
  const isAdmin = useIsAdmin();
  const create = () => drawers.open("create");
  useShortcuts([{ keys: "n", label: t("create"), section: "page", run: create }]);
  return (
    <Page
      title={t("title")}
      purpose={t("purpose")}
      notice={isAdmin ? undefined : t("notice")}
      actions={
        !tokens.isEmpty && (
          <Button variant="filled" leftSection={<IconPlus size={15} stroke={2} />} onClick={create}>
            {t("create")}
          </Button>
        )
      }
    >
      <MemberSteps className={styles.steps} />
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
        actions={(token) => <RowActions about={token.name} items={menu(token)} />}
        card={(token) => (
          <TokenCard token={token} groups={groups} menu={<RowMenu about={token.name} items={menu(token)} />} />
        )}
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
