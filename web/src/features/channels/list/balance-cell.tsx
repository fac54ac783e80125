/** The cell of an upstream's balance: the amount in its currency, its age, and why it could not be read last. */
import { Tooltip } from "@mantine/core";
import { useTranslation } from "../../../lib/i18n.ts";
import type { ChannelRow } from "../../../../../contract/src/features/channels.ts";
import { formatDateTime, formatExact, formatWhen } from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { Faint, Tag } from "../../../ui/display/tags.tsx";
import { Spinner } from "../../../ui/plain.tsx";
import styles from "../channels.module.css";
import { balanceSums, formatMoney, hasBalance, isLow, wasAsked } from "../model/balance.ts";
import { balanceFailureText } from "../model/failure.ts";
import { HINT_EVENTS } from "./cells.tsx";

/** The amount; amber where little is left. */
function Amount({ channel }: { channel: ChannelRow }) {
  return (
    <span className={isLow(channel) ? styles.low : undefined}>
      {formatMoney(channel.balance, channel.balance_currency)}
    </span>
  );
}

function Hint({ channel, reason }: { channel: ChannelRow; reason: string | undefined }) {
  const { t } = useTranslation("channels");
  const { balance_failure: failure, balance_updated_time: updated } = channel;
  return (
    <>
      {reason !== undefined && <div>{visible(reason)}</div>}
      {failure !== null && (
        <div className={styles.faint}>{t("balance.failedAt", { time: formatDateTime(failure.time) })}</div>
      )}
      {hasBalance(channel) && (
        <div className={failure === null ? undefined : styles.faint}>
          {t("balanceAt", { time: formatDateTime(updated) })}
        </div>
      )}
    </>
  );
}

interface BalanceProps {
  channel: ChannelRow;
  /** The upstream is being asked. */
  isAsked: boolean;
}

/** The balance with its age and a failure on hover, focus and touch; a dash where it was never asked for. */
export function BalanceCell({ channel, isAsked }: BalanceProps) {
  const { t } = useTranslation("channels");
  if (isAsked)
    return (
      <span className={styles.asked} role="status" aria-label={t("balance.asked", { name: channel.name })}>
        <Spinner />
      </span>
    );
  if (!wasAsked(channel)) return <Faint>–</Faint>;
  const { balance_failure: failure } = channel;
  const reason = failure === null ? undefined : balanceFailureText(t, failure);
  const known = hasBalance(channel);
  const said = [
    known && formatMoney(channel.balance, channel.balance_currency),
    known && t("balanceAt", { time: formatExact(channel.balance_updated_time) }),
    reason !== undefined && `${t("balance.failedShort")}: ${visible(reason)}`,
  ].filter((part) => part !== false);
  return (
    <Tooltip multiline maw={360} events={HINT_EVENTS} label={<Hint channel={channel} reason={reason} />}>
      <span className={styles.balance} tabIndex={0} role="note" aria-label={said.join(t("testAll.comma"))}>
        {failure !== null && (known ? <span className={styles.failedMark}>!</span> : null)}
        {known ? <Amount channel={channel} /> : <Tag tone="red">{t("balance.failedShort")}</Tag>}
      </span>
    </Tooltip>
  );
}

/** The balance on a card, with its age beside it; nothing where it was never asked for. */
export function BalanceLine({ channel, isAsked }: BalanceProps) {
  const { t } = useTranslation("channels");
  if (!wasAsked(channel) && !isAsked) return null;
  return (
    <span>
      {t("columns.balance")} <BalanceCell channel={channel} isAsked={isAsked} />
      {hasBalance(channel) && !isAsked && <Faint> · {formatWhen(channel.balance_updated_time)}</Faint>}
    </span>
  );
}

/** The balances of a tag's channels together, each currency for itself. */
export function BalanceSums({ channels }: { channels: readonly ChannelRow[] }) {
  const sums = balanceSums(channels).map(({ amount, currency }) => formatMoney(amount, currency));
  const [first, ...others] = sums;
  if (first === undefined) return <Faint>–</Faint>;
  if (others.length === 0) return <span className={styles.sum}>{first}</span>;
  return (
    <Tooltip events={HINT_EVENTS} label={<span className={styles.lines}>{sums.join("\n")}</span>}>
      <span className={styles.sum} tabIndex={0} role="note" aria-label={sums.join(", ")}>
        {first} <Faint>+{others.length}</Faint>
      </span>
    </Tooltip>
  );
}
