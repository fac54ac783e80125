/** The list of channels, flat or under their tags, with its cards on a phone and the bar of actions on selected channels. */
import { Button } from "@mantine/core";
import { IconPlus, IconPlayerPlay, IconStackPop, IconTag, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { CHANNELS_PER_ACT_MAX } from "../../../../../contract/src/channels/channel-list.ts";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import { CHANNEL_STATUS, type ChannelRow } from "../../../../../contract/src/features/channels.ts";
import { readStored, writeStored } from "../../../lib/storage.ts";
import { DataTable } from "../../../ui/data-table/data-table.tsx";
import { queryRows } from "../../../ui/data-table/table-props.ts";
import { Empty } from "../../../ui/feedback/empty.tsx";
import { useBalanceRun } from "../balance-run.ts";
import { useChannelActs } from "./acts.ts";
import { ChannelActions } from "./channel-actions.tsx";
import { channelColumns, providerOf, ChannelName } from "./columns.tsx";
import { wasAsked } from "../model/balance.ts";
import { type Chosen, chosenOf } from "../model/chosen.ts";
import {
  asEntries,
  entryKey,
  entryName,
  type ListEntry,
  type TagEntry,
  tagEntries,
  selectedChannels,
} from "../model/rows.ts";
import type { ChannelPage } from "../model/tag-pages.ts";
import { channelsQuery, providersQuery, type ChannelView } from "../queries.ts";
import { TagActions, type TagActs, TagChevron, TagName, TagStatus, TagUsed } from "./tag-cells.tsx";
import { ChannelFilters, ChannelTools } from "./toolbar.tsx";
import type { useChannelView } from "../view.ts";
import { BalanceLine } from "./balance-cell.tsx";
import { GroupsCell, ResponseCell, StatusCell, UsedCell } from "./cells.tsx";
import styles from "../channels.module.css";
import type { Selection } from "../../../ui/data-table/selection.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { mayDisable, useToldDisabled } from "../impact.ts";
import { useChangeStatuses } from "../mutations.ts";
import { useTestRun } from "../test-run.ts";

const glyph = { size: 15, stroke: 1.5 } as const;

interface Props {
  /** As the table hands it over. */
  selected: [rows: readonly ListEntry[], clear: () => void, selection: Selection];
  view: ChannelView;
  /** How many channels match. */
  total: number;
  does: Pick<ReturnType<typeof useChannelActs>, "confirmedDelete">;
  onSetTag: (chosen: Chosen, onDone: () => void) => void;
  onTakeModel: (chosen: Chosen, onDone: () => void) => void;
}

function StatusButtons({ chosen, clear }: { chosen: Chosen; clear: () => void }) {
  const { t } = useTranslation("channels");
  const save = useChangeStatuses();
  // Rows of the page stay selected for the next act; what matches a filter may be others after this one.
  const onSuccess = () => chosen.areAllMatching && clear();
  const toldDisabled = useToldDisabled();
  const change = async (isEnabled: boolean) => {
    if (isEnabled) return save.mutate({ choice: chosen.choice, isEnabled }, { onSuccess });
    const question = { ...chosen.choice, act: "disable_channels" as const };
    const may = await mayDisable(question, t("count", { count: chosen.count }));
    if (may === undefined) return;
    const tell = () => {
      onSuccess();
      // Of those on other pages it is not known which were enabled.
      if (!chosen.areAllMatching) toldDisabled(chosen.channels, may.single);
    };
    save.mutate({ choice: chosen.choice, isEnabled }, { onSuccess: tell });
  };
  const button = (isEnabled: boolean) => (
    <BusyButton
      isBusy={save.isPending && save.variables.isEnabled === isEnabled}
      onClick={() => void change(isEnabled)}
    >
      {t(isEnabled ? "actions.enable" : "actions.disable")}
    </BusyButton>
  );
  return (
    <>
      {button(true)}
      {button(false)}
    </>
  );
}

/** Acts on many channels: those selected on the page, or all that the filters match. */
function SelectionActs({ selected, view, total, does, onSetTag, onTakeModel }: Props) {
  const { t } = useTranslation("channels");
  const [rows, clear, selection] = selected;
  const chosen = chosenOf(view, selectedChannels(rows), selection, total);
  const test = useTestRun();
  const remove = async () => {
    if (await does.confirmedDelete(chosen)) clear();
  };
  if (chosen.count === 0) return null;
  return (
    <>
      <StatusButtons chosen={chosen} clear={clear} />
      <Button leftSection={<IconPlayerPlay {...glyph} />} onClick={() => void test(chosen.choice)}>
        {t("actions.test")}
      </Button>
      <Button leftSection={<IconTag {...glyph} />} onClick={() => onSetTag(chosen, clear)}>
        {t("setTag.action")}
      </Button>
      <Button leftSection={<IconStackPop {...glyph} />} onClick={() => onTakeModel(chosen, clear)}>
        {t("takeModel.action")}
      </Button>
      <span className={styles.space} />
      <Button data-tone="danger" leftSection={<IconTrash {...glyph} />} onClick={() => void remove()}>
        {t("actions.delete")}
      </Button>
    </>
  );
}

function ChannelCard({
  channel,
  provider,
  isBalancing,
  actions,
  onKeys,
}: {
  channel: ChannelRow;
  provider: ProviderRow | undefined;
  /** Its upstream is being asked for the balance. */
  isBalancing: boolean;
  actions: ReactNode;
  onKeys: (channel: ChannelRow) => void;
}) {
  const { t } = useTranslation("channels");
  return (
    <>
      <div className={styles.cardHead}>
        <ChannelName channel={channel} provider={provider} />
        <StatusCell channel={channel} onKeys={onKeys} />
      </div>
      <div className={styles.cardInfo}>
        <GroupsCell channel={channel} />
        <ResponseCell channel={channel} />
      </div>
      <div className={styles.cardFoot}>
        <span className={styles.cardSums}>
          <span>
            {t("card.used")} <UsedCell quota={channel.used_quota} />
          </span>
          <BalanceLine channel={channel} isAsked={isBalancing} />
        </span>
        <span className={styles.cardActions}>{actions}</span>
      </div>
    </>
  );
}

/** A channel, or a tag, as a card on a phone. */
function TagCard({
  entry,
  providers,
  onToggle,
  acts,
}: {
  entry: TagEntry;
  providers: readonly ProviderRow[];
  onToggle: (tag: string) => void;
  acts: TagActs;
}) {
  const { t } = useTranslation("channels");
  return (
    <div className={styles.cardTag}>
      <div className={styles.cardHead}>
        <TagName entry={entry} providers={providers} onToggle={onToggle} />
        <TagChevron entry={entry} onToggle={onToggle} />
      </div>
      <TagStatus entry={entry} />
      <div className={styles.cardFoot}>
        <span>
          {t("card.used")} <TagUsed entry={entry} />
        </span>
        <span className={styles.cardActions}>
          <TagActions entry={entry} acts={acts} />
        </span>
      </div>
    </div>
  );
}

/** Tags folded away on this visit. */
function useClosedTags() {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const toggle = (tag: string) =>
    setClosed((old) => (old.has(tag) ? new Set([...old].filter((other) => other !== tag)) : new Set([...old, tag])));
  return { closed, toggle };
}

function CountText({ page, isTagMode }: { page: ChannelPage | undefined; isTagMode: boolean }) {
  const { t } = useTranslation("channels");
  if (page === undefined) return null;
  if (!isTagMode) return t("count", { count: page.total });
  const tags = page.total - page.untagged;
  return page.untagged === 0
    ? t("countTags", { count: tags })
    : t("countTagsAnd", {
        tags: t("countTags", { count: tags }),
        untagged: t("countUntagged", { count: page.untagged }),
      });
}

function EmptyList({ onCreate }: { onCreate: () => void }) {
  const { t } = useTranslation("channels");
  return (
    <Empty
      title={t("empty.title")}
      sentence={t("empty.text")}
      actions={
        <Button variant="filled" leftSection={<IconPlus size={15} stroke={2} />} onClick={onCreate}>
          {t("create")}
        </Button>
      }
    />
  );
}

const ACTIONS_WIDTH = 154;

export interface ChannelListProps {
  state: ReturnType<typeof useChannelView>;
  onEditTag: (entry: TagEntry) => void;
  onChooseModel: (channel: ChannelRow) => void;
  onKeys: (channel: ChannelRow) => void;
  onSetTag: (chosen: Chosen, onDone: () => void) => void;
  onTakeModel: (chosen: Chosen, onDone: () => void) => void;
}

/** Kept so that the columns stay where they are while the channels load. */
const HAD_BALANCES = "channel_balances";

/** Whether there are balances to show; while the channels load, whether there were any last. */
function useHasBalances(channels: readonly ChannelRow[] | undefined): boolean {
  const has = channels === undefined ? readStored(HAD_BALANCES) === "1" : channels.some(wasAsked);
  useEffect(() => writeStored(HAD_BALANCES, has ? "1" : null), [has]);
  return has;
}

/** The page's rows and what the columns must know of them. */
function useEntries({ view }: ChannelListProps["state"]) {
  const query = useQuery(channelsQuery(view));
  const { closed, toggle } = useClosedTags();
  const channels = query.data?.channels;
  const { isTagMode } = view;
  const rows = useMemo(
    () => channels && (isTagMode ? tagEntries(channels, closed) : asEntries(channels)),
    [channels, isTagMode, closed],
  );
  return { query, rows, total: query.data?.total ?? 0, toggle, hasBalances: useHasBalances(channels) };
}

interface ListCardProps {
  entry: ListEntry;
  providers: readonly ProviderRow[];
  onToggle: (tag: string) => void;
  does: ReturnType<typeof useChannelActs>;
  actions: (channel: ChannelRow, isCard: boolean) => ReactNode;
}

function ListCard({ entry, providers, onToggle, does, actions }: ListCardProps) {
  if (entry.kind === "tag")
    return <TagCard entry={entry} providers={providers} onToggle={onToggle} acts={does.tagActs} />;
  const { channel } = entry;
  const provider = providerOf(providers, channel.type);
  return (
    <ChannelCard
      channel={channel}
      provider={provider}
      isBalancing={does.balancing.has(channel.id)}
      actions={actions(channel, true)}
      onKeys={does.acts.keys}
    />
  );
}

export function ChannelList(props: ChannelListProps) {
  const { t } = useTranslation("channels");
  const { state } = props;
  const { list, view } = state;
  const { query, rows, total, toggle, hasBalances } = useEntries(state);
  const providers = useQuery(providersQuery).data ?? [];
  const does = useChannelActs({
    edit: ({ id }) => state.openEdit(id),
    chooseModel: props.onChooseModel,
    keys: props.onKeys,
    editTag: props.onEditTag,
  });
  const refreshBalances = useBalanceRun();
  const columns = channelColumns({
    t,
    providers,
    hasTags: view.isTagMode,
    hasBalances,
    balancing: does.balancing,
    onToggleTag: toggle,
    onKeys: does.acts.keys,
    onChange: does.changeNumbers,
  });
  const actions = (channel: ChannelRow, isCard = false) => (
    <ChannelActions
      channel={channel}
      provider={providerOf(providers, channel.type)}
      acts={does.acts}
      isTesting={does.testing.has(channel.id)}
      isCard={isCard}
    />
  );
  return (
    <DataTable<ListEntry>
      name="channels"
      label={t("title")}
      columns={columns}
      list={list}
      data={queryRows(query, rows, total)}
      rowKey={entryKey}
      rowName={entryName}
      onOpen={(entry) => (entry.kind === "tag" ? toggle(entry.tag) : state.openEdit(entry.channel.id))}
      subRows={(entry) => (entry.kind === "tag" ? entry.children : undefined)}
      tone={(entry) =>
        entry.kind === "tag" ? "group" : entry.channel.status === CHANNEL_STATUS.disabled ? "off" : undefined
      }
      actionsWidth={ACTIONS_WIDTH}
      actions={(entry) =>
        entry.kind === "tag" ? <TagActions entry={entry} acts={does.tagActs} /> : actions(entry.channel)
      }
      filters={<ChannelFilters list={list} providers={providers} />}
      tools={
        <ChannelTools
          isTagMode={view.isTagMode}
          isById={state.isById}
          onTagMode={state.setTagMode}
          onById={state.setById}
          onDeleteDisabled={does.deleteDisabled}
          onFix={does.fix}
          onRefreshBalances={() => void refreshBalances()}
        />
      }
      // In tag mode the list counts tags.
      matchingMost={view.isTagMode ? 0 : CHANNELS_PER_ACT_MAX}
      selection={(...selected) => (
        <SelectionActs
          selected={selected}
          view={view}
          total={total}
          does={does}
          onSetTag={props.onSetTag}
          onTakeModel={props.onTakeModel}
        />
      )}
      card={(entry) => <ListCard entry={entry} providers={providers} onToggle={toggle} does={does} actions={actions} />}
      empty={<EmptyList onCreate={state.openAdd} />}
      count={<CountText page={query.data} isTagMode={view.isTagMode} />}
      errorTitle={t("notLoaded")}
    />
  );
}
