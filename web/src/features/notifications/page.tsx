/** The page of messages for the super administrator: what was sent to whom, what failed and why, and trying again. */
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { MESSAGE_STATUSES, type MessageRow } from "../../../../contract/src/features/notifications.ts";
import { DataTable } from "../../ui/data-table/data-table.tsx";
import { ChoiceFilter } from "../../ui/data-table/filters.tsx";
import { useListState } from "../../ui/data-table/list-state.ts";
import { queryRows } from "../../ui/data-table/query-rows.ts";
import { RowButton } from "../../ui/data-table/row-actions.tsx";
import { Time } from "../../ui/display/time.tsx";
import { Empty } from "../../ui/feedback/empty.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { Page } from "../../ui/page.tsx";
import { MessageEvent, MessageFailure, MessageState, useMessageColumns } from "./columns.tsx";
import styles from "./notifications.module.css";
import { MESSAGE_FILTERS, type MessageList, messagesQuery, useRetry } from "./queries.ts";

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
    <div className={styles.card}>
      <div className={styles.cardHead}>
        <MessageEvent message={message} />
        <MessageState message={message} />
      </div>
      <div className={styles.cardHead}>
        <span className={styles.recipient}>{message.recipient}</span>
        <Time atS={message.created_time} />
      </div>
      {message.failure !== "" && <MessageFailure message={message} />}
      <RetryButton message={message} />
    </div>
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
        card={(message) => <MessageCard message={message} />}
        empty={<Empty title={t("empty.title")} sentence={t("empty.sentence")} />}
        count={t("count", { count: total })}
        errorTitle={t("notLoaded")}
      />
    </Page>
  );
}
