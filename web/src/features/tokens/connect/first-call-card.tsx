/** Waits for the first call of a program with this token, and turns green when the log has it. */
import { IconCircleCheck, IconAlertCircle, IconLoader } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Program } from "../../../../../contract/src/connect/program.ts";
import { programOf } from "../../../../../contract/src/connect/programs.ts";
import type { UserLog } from "../../../../../contract/src/features/logs.ts";
import type { TokenRow } from "../../../../../contract/src/features/tokens.ts";
import { formatDateTime } from "../../../lib/format.ts";
import { useTranslation } from "../../../lib/i18n.ts";
import { Card } from "../../../ui/display/card.tsx";
import styles from "./connect.module.css";
import { firstCallOf } from "./first-call.ts";
import { newestCalls } from "./queries.ts";

const ICONS = { waiting: IconLoader, other: IconLoader, seen: IconCircleCheck, failed: IconAlertCircle } as const;

function Receipt({ row }: { row: UserLog }) {
  const { t } = useTranslation("connect");
  return (
    <Link to="/log" search={{ request_id: row.request_id }} className={styles.receiptLink ?? ""}>
      {t("check.receipt")}
    </Link>
  );
}

interface FirstCallCardProps {
  program: Program;
  token: TokenRow;
  /** Calls that this page made itself. */
  ownIds: ReadonlySet<string>;
}

/** The newest call of the token when the page began to look at it, which stays what it was. */
function useSince(rows: readonly UserLog[] | undefined): number {
  const [since, setSince] = useState<number>();
  if (since === undefined && rows !== undefined) setSince(rows[0]?.id ?? 0);
  return since ?? 0;
}

export function FirstCallCard({ program, token, ownIds }: FirstCallCardProps) {
  const { t } = useTranslation("connect");
  const [isSeen, setIsSeen] = useState(false);
  const { data: rows } = useQuery(newestCalls(token, !isSeen));
  const sinceId = useSince(rows);
  const call = firstCallOf(program, rows ?? [], { sinceId, ownIds });
  if (isSeen !== (call.state === "seen")) setIsSeen(call.state === "seen");
  const Icon = ICONS[call.state];
  const name = program.title;
  return (
    <Card title={t("check.title")}>
      <div className={styles.check} data-state={call.state} role="status">
        <Icon size={18} stroke={1.5} aria-hidden className={styles.checkIcon} />
        <div className={styles.checkText}>
          {(call.state === "waiting" || call.state === "other") && (
            <>
              <b>{t("check.waiting", { name })}</b>
              <span>{t("check.waitingText")}</span>
            </>
          )}
          {call.state === "other" && (
            <span>
              {call.client === ""
                ? t("check.otherUnknown")
                : t("check.other", { client: programOf(call.client)?.title ?? call.client })}
            </span>
          )}
          {call.state === "seen" && (
            <>
              <b>{t("check.seen", { name })}</b>
              <span>
                {t("check.seenText", { model: call.row.model_name, time: formatDateTime(call.row.created_at) })}
              </span>
              <Receipt row={call.row} />
            </>
          )}
          {call.state === "failed" && (
            <>
              <b>{t("check.failed", { name, reason: call.row.content })}</b>
              <Receipt row={call.row} />
            </>
          )}
        </div>
      </div>
    </Card>
  );
}
