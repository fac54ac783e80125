/** The columns of the messages' table and what stands in their cells. */
import { useTranslation } from "react-i18next";
import type { MessageRow, MessageStatus } from "../../../../contract/src/features/notifications.ts";
import { formatNumber } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import type { Column } from "../../ui/data-table/columns.ts";
import { type DotTone, Faint, StatusDot, Tag } from "../../ui/display/tags.tsx";
import { Time } from "../../ui/display/time.tsx";
import styles from "./notifications.module.css";

const TONES: Readonly<Record<MessageStatus, DotTone>> = { waiting: "amber", sent: "green", failed: "red" };

export function MessageState({ message }: { message: MessageRow }) {
  const { t } = useTranslation("notifications");
  return <StatusDot tone={TONES[message.status]}>{t(`status.${message.status}`)}</StatusDot>;
}

/** What it is about; a code that this console does not know is shown as it is. */
export function MessageEvent({ message }: { message: MessageRow }) {
  const { t, i18n } = useTranslation("notifications");
  const key = `event.${message.event}`;
  return <span className="tp-name">{i18n.exists(`notifications:${key}`) ? t(key) : message.event}</span>;
}

/** Why it has not arrived, with what the other side said. */
export function MessageFailure({ message }: { message: MessageRow }) {
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
      <span>{visible(message.recipient)}</span>
      {message.username !== "" && <span className={styles.detail}>{visible(message.username)}</span>}
    </span>
  );
}

export function useMessageColumns(): Column<MessageRow>[] {
  const { t } = useTranslation("notifications");
  return [
    { id: "event", header: t("columns.event"), width: 220, cell: (message) => <MessageEvent message={message} /> },
    { id: "status", header: t("columns.status"), width: 110, cell: (message) => <MessageState message={message} /> },
    { id: "recipient", header: t("columns.recipient"), width: 220, cell: (message) => <Recipient message={message} /> },
    {
      id: "method",
      header: t("columns.method"),
      width: 100,
      leaves: 2,
      cell: (message) => <Tag>{t(`method.${message.method}`)}</Tag>,
    },
    {
      id: "attempts",
      header: t("columns.attempts"),
      width: 90,
      isNumeric: true,
      leaves: 3,
      cell: (message) => formatNumber(message.attempts),
    },
    {
      id: "created",
      header: t("columns.created"),
      width: 130,
      leaves: 1,
      cell: (message) => <Time atS={message.created_time} />,
    },
    {
      id: "failure",
      header: t("columns.failure"),
      width: 280,
      cell: (message) => <MessageFailure message={message} />,
    },
  ];
}
