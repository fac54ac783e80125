/** The columns of the channel list; each knows its cell for a channel and for a tag. */
import { Link } from "@tanstack/react-router";
import { type TFunction } from "../../../lib/i18n.ts";
import type { ReactNode } from "react";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import type { ChannelRow } from "../../../../../contract/src/features/channels.ts";
import { visible } from "../../../lib/names.ts";
import type { Column } from "../../../ui/data-table/columns.ts";
import { Name } from "../../../ui/display/name.tsx";
import { ProviderMark } from "../../../ui/display/provider-mark.tsx";
import { ManagedSign, useMark } from "../../../ui/managed.tsx";
import { BalanceCell, BalanceSums } from "./balance-cell.tsx";
import { GroupsCell, InlineNumber, ModelsCell, ResponseCell, StatusCell, UsedCell } from "./cells.tsx";
import styles from "../channels.module.css";
import { parsePriority, parseWeight } from "../model/numbers.ts";
import type { ListEntry, TagEntry } from "../model/rows.ts";
import { TagChevron, TagName, TagResponse, TagStatus, TagUsed } from "./tag-cells.tsx";

export interface ColumnInfo {
  t: TFunction;
  providers: readonly ProviderRow[];
  hasTags: boolean;
  /** Whether the upstream of a channel shown was asked for its balance. */
  hasBalances: boolean;
  /** Ids of the channels whose upstream is being asked. */
  balancing: ReadonlySet<number>;
  onToggleTag: (tag: string) => void;
  onKeys: (channel: ChannelRow) => void;
  onChange: (channel: ChannelRow, change: { priority: number } | { weight: number }) => void;
}

type Cells = { channel: (channel: ChannelRow, isChild: boolean) => ReactNode; tag?: (entry: TagEntry) => ReactNode };

const cellOf =
  ({ channel, tag }: Cells) =>
  (entry: ListEntry): ReactNode =>
    entry.kind === "tag" ? (tag?.(entry) ?? null) : channel(entry.channel, entry.isChild);

export const providerOf = (providers: readonly ProviderRow[], type: number): ProviderRow | undefined =>
  providers.find(({ id }) => id === type);

/** Mark and name; the name opens the editor. */
export function ChannelName({
  channel,
  provider,
  isChild = false,
}: {
  channel: ChannelRow;
  provider: ProviderRow | undefined;
  isChild?: boolean;
}) {
  const mark = useMark("channel", channel.id);
  return (
    <span
      className={styles.name}
      data-is-child={isChild || undefined}
      title={visible(`${channel.name} · ${provider?.name ?? channel.type}`)}
    >
      <ProviderMark type={channel.type} mark={provider?.mark} />
      <Link to="/channel/edit/$id" params={{ id: String(channel.id) }} search className={styles.nameLink ?? ""}>
        <Name text={channel.name} />
      </Link>
      <ManagedSign mark={mark} />
    </span>
  );
}

/** Columns of identity and state. */
function identityColumns({ t, providers, hasTags, onToggleTag, onKeys }: ColumnInfo): Column<ListEntry>[] {
  return [
    {
      id: "id",
      header: t("columns.id"),
      sortBy: "id",
      width: 46,
      isNumeric: true,
      // Under tags it holds what opens a tag.
      ...(hasTags ? {} : { dropPriority: 1 }),
      cell: cellOf({
        channel: ({ id }) => <span className={styles.id}>{id}</span>,
        tag: (entry) => <TagChevron entry={entry} onToggle={onToggleTag} />,
      }),
    },
    {
      id: "name",
      header: t("columns.name"),
      sortBy: "name",
      width: hasTags ? 198 : 186,
      cell: cellOf({
        channel: (channel, isChild) => (
          <ChannelName channel={channel} provider={providerOf(providers, channel.type)} isChild={isChild} />
        ),
        tag: (entry) => <TagName entry={entry} providers={providers} onToggle={onToggleTag} />,
      }),
    },
    {
      id: "status",
      header: t("columns.status"),
      sortBy: "status",
      width: hasTags ? 148 : 200,
      cell: cellOf({
        channel: (channel) => <StatusCell channel={channel} onKeys={onKeys} />,
        tag: (entry) => <TagStatus entry={entry} />,
      }),
    },
  ];
}

/** Columns of models, speed and cost. */
function serviceColumns({ t, hasBalances, balancing }: ColumnInfo): Column<ListEntry>[] {
  const columns: Column<ListEntry>[] = [
    {
      id: "groups",
      header: t("columns.groups"),
      width: 156,
      dropPriority: 3,
      cell: cellOf({ channel: (channel) => <GroupsCell channel={channel} /> }),
    },
    {
      id: "models",
      header: t("columns.models"),
      width: 72,
      isNumeric: true,
      dropPriority: 6,
      cell: cellOf({ channel: (channel) => <ModelsCell channel={channel} /> }),
    },
    {
      id: "response",
      header: t("columns.response"),
      sortBy: "response_time",
      width: 96,
      isNumeric: true,
      dropPriority: 2,
      cell: cellOf({
        channel: (channel) => <ResponseCell channel={channel} />,
        tag: (entry) => <TagResponse entry={entry} />,
      }),
    },
    {
      id: "used",
      header: t("columns.used"),
      sortBy: "used_quota",
      width: 96,
      isNumeric: true,
      cell: cellOf({
        channel: ({ used_quota }) => <UsedCell quota={used_quota} />,
        tag: (entry) => <TagUsed entry={entry} />,
      }),
    },
    {
      id: "balance",
      header: t("columns.balance"),
      sortBy: "balance",
      width: 88,
      isNumeric: true,
      dropPriority: 1,
      cell: cellOf({
        channel: (channel) => <BalanceCell channel={channel} isAsked={balancing.has(channel.id)} />,
        tag: (entry) => <BalanceSums channels={entry.channels} />,
      }),
    },
  ];
  return hasBalances ? columns : columns.filter(({ id }) => id !== "balance");
}

/** Its place among the others, edited in the cells. */
function placeColumns({ t, onChange }: ColumnInfo): Column<ListEntry>[] {
  const priority = (channel: ChannelRow) => (
    <InlineNumber
      value={channel.priority}
      label={t("priorityOf", { name: channel.name })}
      parse={parsePriority}
      onSave={(value) => onChange(channel, { priority: value })}
    />
  );
  const weight = (channel: ChannelRow) => (
    <InlineNumber
      value={channel.weight}
      label={t("weightOf", { name: channel.name })}
      parse={parseWeight}
      onSave={(value) => onChange(channel, { weight: value })}
    />
  );
  return [
    {
      id: "priority",
      header: t("columns.priority"),
      sortBy: "priority",
      width: 74,
      isNumeric: true,
      dropPriority: 4,
      cell: cellOf({ channel: priority }),
    },
    {
      id: "weight",
      header: t("columns.weight"),
      sortBy: "weight",
      width: 70,
      isNumeric: true,
      dropPriority: 5,
      cell: cellOf({ channel: weight }),
    },
  ];
}

/** Widths hold the widest real value at 1440 px; `dropPriority` says which column goes first where there is less room. */
export const channelColumns = (info: ColumnInfo): Column<ListEntry>[] => [
  ...identityColumns(info),
  ...serviceColumns(info),
  ...placeColumns(info),
];
