/** Below the result of a dry run: applies its prices now or from a date; errors stand here. */
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import type { DryRunResult } from "../../../../../contract/src/pricing/dry-run.ts";
import {
  NOTIFIED_DAYS,
  NOTIFIED_PEOPLE_MOST,
  type PriceChangeDraft,
} from "../../../../../contract/src/pricing/price-changes.ts";
import { ApiError } from "../../../lib/api.ts";
import { formatDateTime, formatNumber } from "../../../lib/format.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { Segmented } from "../../../ui/form/fields.tsx";
import { fieldOf, secondsOfField } from "../../../ui/time-range/range.ts";
import { MomentField } from "../../../ui/time-range/moment-field.tsx";
import styles from "./changes.module.css";
import { useApplyPrices } from "./queries.ts";

type When = "now" | "later";

const DAY_S = 86_400;

/** The next midnight but one, as a field of date and time has it. */
const usualTime = (): string => {
  const date = new Date((Date.now() / 1000 + DAY_S) * 1000);
  date.setHours(24, 0, 0, 0);
  return fieldOf(date.getTime() / 1000);
};

const isTimeError = (error: unknown): boolean => error instanceof ApiError && error.field === "apply_time";

interface Props {
  draft: PriceChangeDraft;
  /** The result of the dry run. */
  result: DryRunResult;
  /** The tried prices are in force now. */
  onApplied: () => void;
}

/** The question's checkbox: who gets a message, and how many they are in this dry run. */
function useNoticeLabel({ users }: DryRunResult): string {
  const { t } = useTranslation("prices");
  const count = users.filter(({ old, new: renewed }) => old !== renewed).length;
  const formatted = { count: formatNumber(count), most: formatNumber(NOTIFIED_PEOPLE_MOST) };
  return t("apply.notify", { count, formatted: formatted.count, most: formatted.most, days: NOTIFIED_DAYS });
}

export function ApplyPrices({ draft, result, onApplied }: Props) {
  const { t } = useTranslation("prices");
  const apply = useApplyPrices();
  const [when, setWhen] = useState<When>("now");
  const [time, setTime] = useState(usualTime);
  const [isMissing, setIsMissing] = useState(false);
  const label = useNoticeLabel(result);
  const count = draft.changes.length + Object.keys(draft.group_ratios).length;
  const start = async () => {
    const applyTime = when === "now" ? 0 : secondsOfField(time, false);
    setIsMissing(applyTime === undefined);
    if (applyTime === undefined) return;
    const values = { count, formatted: formatNumber(count), time: formatDateTime(applyTime) };
    let notify = false;
    const question = {
      title: t("apply.title", values),
      text: t(when === "now" ? "apply.textNow" : "apply.textLater", values),
      action: t("apply.action"),
      tone: "plain",
      remember: { label, keep: () => (notify = true) },
    } as const;
    if (!(await confirm(question))) return;
    apply.mutate(
      { ...draft, apply_time: applyTime, notify },
      { onSuccess: ({ is_applied }) => is_applied && onApplied() },
    );
  };
  const timeError = isMissing ? t("apply.noTime") : isTimeError(apply.error) ? t("apply.badTime") : undefined;
  return (
    <section className={styles.apply} aria-label={t("apply.action")}>
      <div className={styles.when}>
        <Segmented
          label={t("apply.when")}
          options={(["now", "later"] as const).map((value) => ({ value, text: t(`apply.${value}`) }))}
          value={when}
          onChange={setWhen}
        />
        {when === "later" && (
          <MomentField aria-label={t("apply.from")} value={time} error={timeError} onChange={setTime} />
        )}
        <BusyButton variant="filled" isBusy={apply.isPending} onClick={() => void start()}>
          {t("apply.action")}
        </BusyButton>
      </div>
      {apply.error !== null && !isTimeError(apply.error) && <Notice tone="red">{apply.error.message}</Notice>}
      {apply.data !== undefined && !apply.isPending && (
        <Notice tone="blue">
          {t(apply.data.is_applied ? "apply.applied" : "apply.scheduled")}{" "}
          {apply.variables.notify && `${t("apply.notifying")} `}
          <Link to="/prices" search={{ tab: "changes" }}>
            {t("apply.seeChanges")}
          </Link>
        </Notice>
      )}
    </section>
  );
}
