/** The page of sent messages for root: receivers, failures with their reasons, and sending again. */
import { useQuery, keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { hasText, useTranslation } from "../../lib/i18n.ts";
import {
  MESSAGE_STATUSES,
  type MessageRow,
  type MessageStatus,
  listMessages,
  retryMessage,
} from "../../../../contract/src/features/notifications.ts";
import { DataTable } from "../../ui/data-table/data-table.tsx";
import { ChoiceFilter } from "../../ui/data-table/filters.tsx";
import { useListState, type ListState } from "../../ui/data-table/list-state.ts";
import { queryRows } from "../../ui/data-table/table-props.ts";
import { RowButton } from "../../ui/data-table/row-actions.tsx";
import { RowCard, RowCardLine } from "../../ui/data-table/row-card.tsx";
import { Time } from "../../ui/display/time.tsx";
import { Empty } from "../../ui/feedback/empty.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { Page } from "../../ui/page.tsx";
import styles from "./notifications.module.css";
import { formatNumber } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import type { Column } from "../../ui/data-table/columns.ts";
import { type DotTone, Faint, StatusDot, Tag } from "../../ui/display/tags.tsx";
import { call } from "../../lib/api.ts";

const MESSAGE_FILTERS = ["status"] as const;
type MessageList = ListState<(typeof MESSAGE_FILTERS)[number]>;

const MESSAGES_KEY = ["notifications"] as const;
/** Messages are sent within seconds: what waits is looked at again. */
const AGAIN_EVERY_MS = 5_000;

/** The query of a page of messages. */
function messagesQuery({ page, size, filters }: MessageList) {
  const query = { p: page, page_size: size, status: filters.status };
  return queryOptions({
    queryKey: [...MESSAGES_KEY, query],
    queryFn: ({ signal }) => call(listMessages, { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN_EVERY_MS,
  });
}

/** Tries one again, and reads the list anew whether that was taken or not. */
function useRetry(onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => call(retryMessage, { params: { id } }),
    onSuccess: onDone,
    onSettled: () => client.invalidateQueries({ queryKey: MESSAGES_KEY }),
  });
}

const TONES: Readonly<Record<MessageStatus, DotTone>> = { waiting: "amber", sent: "green", failed: "red" };

function MessageState({ message }: { message: MessageRow }) {
  const { t } = useTranslation("notifications");
  return <StatusDot tone={TONES[message.status]}>{t(`status.${message.status}`)}</StatusDot>;
}

/** The event of a message; a code that this console does not know is shown as it is. */
function MessageEvent({ message }: { message: MessageRow }) {
  const { t } = useTranslation("notifications");
  const key = `event.${message.event}`;
  return <span className="tp-name">{hasText(`notifications:${key}`) ? t(key) : message.event}</span>;
}

/** Why it has not arrived, with what the other side said. */
function MessageFailure({ message }: { message: MessageRow }) {
  const { t } = useTranslation("notifications");
  if (message.failure === "") return <Faint>–</Faint>;
  return (
    <span className={styles.failure} title={visible(message.failure_detail)}>
      {t(`failure.${message.failure}`)}
      {message.failure_detail !== "" && <span className={styles.detail}>{visible(message.failure_detail)}</span>}
    </span>
  );
}

function Recipient({ message }: { message: MessageRow }) {
  return (
    <span className={styles.recipient}>
      <span title={visible(message.recipient)}>{visible(message.recipient)}</span>
      {message.username !== "" && <span className={styles.detail}>{visible(message.username)}</span>}
    </span>
  );
}

/** The columns of the messages' table and what stands in their cells. */
function useMessageColumns(): Column<MessageRow>[] {
  const { t } = useTranslation("notifications");
  return [
    { id: "event", header: t("columns.event"), width: 200, cell: (message) => <MessageEvent message={message} /> },
    { id: "status", header: t("columns.status"), width: 100, cell: (message) => <MessageState message={message} /> },
    { id: "recipient", header: t("columns.recipient"), width: 200, cell: (message) => <Recipient message={message} /> },
    {
      id: "method",
      header: t("columns.method"),
      width: 100,
      dropPriority: 2,
      cell: (message) => <Tag>{t(`method.${message.method}`)}</Tag>,
    },
    {
      id: "attempts",
      header: t("columns.attempts"),
      width: 90,
      isNumeric: true,
      dropPriority: 3,
      cell: (message) => formatNumber(message.attempts),
    },
    {
      id: "created",
      header: t("columns.created"),
      width: 120,
      dropPriority: 1,
      cell: (message) => <Time atS={message.created_time} />,
    },
    {
      id: "failure",
      header: t("columns.failure"),
      width: 200,
      cell: (message) => <MessageFailure message={message} />,
    },
  ];
}

function StatusFilter({ list }: { list: MessageList }) {
  const { t } = useTranslation("notifications");
  return (
    <ChoiceFilter
      label={t("columns.status")}
      choices={MESSAGE_STATUSES.map((status) => ({ value: status, text: t(`status.${status}`) }))}
      value={list.filters.status}
      onChange={(status) => list.setFilters({ status })}
    />
  );
}

function RetryButton({ message }: { message: MessageRow }) {
  const { t } = useTranslation("notifications");
  const retry = useRetry(() => toast.success(t("retried")));
  if (!message.can_retry) return null;
  return <RowButton onClick={() => !retry.isPending && retry.mutate(message.id)}>{t("retry")}</RowButton>;
}

function MessageCard({ message }: { message: MessageRow }) {
  return (
    <RowCard>
      <RowCardLine>
        <MessageEvent message={message} />
        <MessageState message={message} />
      </RowCardLine>
      <RowCardLine>
        <span className={styles.recipient}>{message.recipient}</span>
        <Time atS={message.created_time} />
      </RowCardLine>
      {message.failure !== "" && <MessageFailure message={message} />}
      <RetryButton message={message} />
    </RowCard>
  );
}

export function NotificationsPage() {
  const { t } = useTranslation("notifications");
  const list = useListState(MESSAGE_FILTERS);
  const query = useQuery(messagesQuery(list));
  const total = query.data?.total ?? 0;
  return (
    <Page title={t("title")} purpose={t("purpose")}>
      <DataTable
        name="notifications"
        label={t("title")}
        columns={useMessageColumns()}
        list={list}
        data={queryRows(query, query.data?.items, total)}
        rowKey={(message) => String(message.id)}
        rowName={(message) => t("row", { id: message.id })}
        filters={<StatusFilter list={list} />}
        actions={(message) => <RetryButton message={message} />}
        actionsWidth={96}
        card={(message) => <MessageCard message={message} />}
        empty={<Empty title={t("empty.title")} sentence={t("empty.sentence")} />}
        count={t("count", { count: total })}
        errorTitle={t("notLoaded")}
      />
    </Page>
  );
}
