/** A log row on a phone: call, time, token, duration and cost. */
import { useTranslation } from "../../lib/i18n.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import { formatNumber } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { Name } from "../../ui/display/name.tsx";
import { Time } from "../../ui/display/time.tsx";
import { CostOf, ModelOf, Took, TypeOf } from "./columns.tsx";
import { eventText, eventTone } from "./model/event-text.ts";
import { isCall, type LogRow } from "./model/log-row.ts";
import { failureText } from "./model/words.ts";
import styles from "./logs.module.css";

function CallInfo({ row }: { row: LogRow }) {
  const { t } = useTranslation("logs");
  if (row.type === LOG_TYPE.error) return <p className={styles.cardFailure}>{failureText(t, row)}</p>;
  return (
    <p className={styles.cardInfo}>
      <span>
        {t("card.tokens", { input: formatNumber(row.prompt_tokens), output: formatNumber(row.completion_tokens) })}
      </span>
      <Took row={row} />
    </p>
  );
}

function EventInfo({ row }: { row: LogRow }) {
  const { t } = useTranslation("logs");
  return (
    <p className={styles.cardSentence} data-tone={eventTone(row)}>
      {visible(eventText(t, row))}
    </p>
  );
}

interface LogCardProps {
  row: LogRow;
  isAdmin: boolean;
  isOneDay: boolean;
  onUser: (row: LogRow) => void;
}

/** Whose call it was, for administrators with the way to that person, and by which token. */
function Who({ row, isAdmin, onUser }: Pick<LogCardProps, "row" | "isAdmin" | "onUser">) {
  const { t } = useTranslation("logs");
  const hasUser = isAdmin && row.username !== "";
  return (
    <span className={styles.cardNames}>
      {/* Names of any script, each in its own direction. */}
      {hasUser && (
        <button
          type="button"
          className={`${styles.user} ${styles.cardUser}`}
          aria-label={t("person.open", { name: row.username })}
          onClick={() => onUser(row)}
        >
          <Name text={row.username} />
        </button>
      )}
      {hasUser && row.token_name !== "" && " · "}
      <Name text={row.token_name} />
    </span>
  );
}

export function LogCard({ row, isAdmin, isOneDay, onUser }: LogCardProps) {
  const { t } = useTranslation("logs");
  return (
    <div>
      <div className={styles.cardHead}>
        {isCall(row) ? <ModelOf row={row} t={t} /> : <TypeOf row={row} t={t} />}
        <CostOf row={row} />
      </div>
      <div className={styles.cardWho}>
        <Who row={row} isAdmin={isAdmin} onUser={onUser} />
        <Time atS={row.created_at} as={isOneDay ? "clock" : "full"} />
      </div>
      {isCall(row) ? <CallInfo row={row} /> : <EventInfo row={row} />}
    </div>
  );
}
