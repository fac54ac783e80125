/** A log row on a phone: what was called, when, by which token, how long it took and what it cost. */
import { useTranslation } from "react-i18next";
import { LOG_TYPE } from "../../../../contract/src/features/logs.ts";
import { formatNumber } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { Name } from "../../ui/name.tsx";
import { Time } from "../../ui/time.tsx";
import { CostOf, ModelOf, Took, TypeOf } from "./columns.tsx";
import { isCall, type LogRow } from "./fns/log-row.ts";
import { failureText } from "./fns/words.ts";
import styles from "./logs.module.css";

function CallFacts({ row }: { row: LogRow }) {
  const { t } = useTranslation("logs");
  if (row.type === LOG_TYPE.error) return <p className={styles.cardFailure}>{failureText(t, row)}</p>;
  return (
    <p className={styles.cardFacts}>
      <span>
        {t("card.tokens", { input: formatNumber(row.prompt_tokens), output: formatNumber(row.completion_tokens) })}
      </span>
      <Took row={row} />
    </p>
  );
}

export function LogCard({ row, isAdmin, isOneDay }: { row: LogRow; isAdmin: boolean; isOneDay: boolean }) {
  const { t } = useTranslation("logs");
  const who = [isAdmin ? row.username : "", row.token_name].filter((name) => name !== "");
  return (
    <div>
      <div className={styles.cardHead}>
        {isCall(row) ? <ModelOf row={row} t={t} /> : <TypeOf row={row} t={t} />}
        <CostOf row={row} />
      </div>
      <div className={styles.cardWho}>
        <span className={styles.clipped}>
          {/* Names of any script, each in its own direction. */}
          {who.map((name, index) => (
            <span key={`${index} ${name}`}>
              {index > 0 && " · "}
              <Name text={name} />
            </span>
          ))}
        </span>
        <Time atS={row.created_at} as={isOneDay ? "clock" : "full"} />
      </div>
      {isCall(row) ? <CallFacts row={row} /> : <p className={styles.cardSentence}>{visible(row.content)}</p>}
    </div>
  );
}
