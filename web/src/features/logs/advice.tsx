/** The advice on a failed receipt, with the button that leads to its page, and how many failures are like it. */
import { useQuery } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { formatNumber } from "../../lib/format.ts";
import { buttonLook } from "../../ui/plain.tsx";
import { type AdviceLink, adviceOf, similarTo } from "./model/advice.ts";
import type { LogRow } from "./model/log-row.ts";
import type { Receipt } from "./model/receipt.ts";
import { similarQuery } from "./queries.ts";
import styles from "./advice.module.css";

interface AdviceProps {
  row: LogRow;
  receipt: Receipt;
  isAdmin: boolean;
}

/** "Similar failures (12)", others than this one; a link to them. */
function Similar({ row, receipt, isAdmin }: AdviceProps) {
  const { t } = useTranslation("logs");
  const search = similarTo(row, receipt);
  const { data } = useQuery(similarQuery(search, isAdmin));
  const others = (data?.total ?? 0) - 1;
  if (search === undefined || others < 1) return null;
  const count = `${formatNumber(others)}${data?.total_is_capped === true ? "+" : ""}`;
  return (
    <Link to="/log" search={search} className={styles.similar}>
      {t("advice.similar", { formatted: count })}
    </Link>
  );
}

/** Looks like a button and leads like a link: a new tab works too. */
function AdviceButton({ link: { act, href } }: { link: AdviceLink }) {
  const { t } = useTranslation("logs");
  const { history } = useRouter();
  const onClick = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    history.push(href);
  };
  return (
    <a href={href} {...buttonLook()} onClick={onClick}>
      {t(`advice.act.${act}`)}
    </a>
  );
}

export function AdvicePart(props: AdviceProps) {
  const { t } = useTranslation("logs");
  const advice = adviceOf(props.row, props.receipt, props.isAdmin);
  return (
    <div className={styles.advice}>
      {advice !== undefined && <p>{t(`advice.${advice.text}`)}</p>}
      {advice?.link !== undefined && <AdviceButton link={advice.link} />}
      <Similar {...props} />
    </div>
  );
}
