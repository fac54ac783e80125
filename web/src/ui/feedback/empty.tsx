/** States of a list that is empty, has no matches or failed to load; each says what to do next. */
import { IconCopy, IconPlugConnectedX, IconRefresh } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { ApiError } from "../../lib/api.ts";
import { copyText } from "../../lib/clipboard.ts";
import { describeError } from "./describe-error.ts";
import styles from "./empty.module.css";
import { MarkWithLanes } from "../display/mark.tsx";
import { PlainButton } from "../plain.tsx";

/**
 * An empty list. The title is its first action; the page's own primary button is hidden while this shows.
 * @example <Empty title="Create your first token" sentence="A token lets …" actions={<Button variant="filled">Create token</Button>} />
 */
export function Empty({
  title,
  sentence,
  actions,
  after,
  isPage = false,
}: {
  title: string;
  sentence: string;
  actions?: ReactNode;
  after?: ReactNode;
  /** Fills the whole page instead of a list's place. */ isPage?: boolean;
}) {
  const Heading = isPage ? "h1" : "h2";
  return (
    <div className={styles.place}>
      <MarkWithLanes />
      <Heading className={styles.title}>{title}</Heading>
      <p className={styles.sentence}>{sentence}</p>
      {actions && <div className={styles.actions}>{actions}</div>}
      {after && <div className={styles.after}>{after}</div>}
    </div>
  );
}

/** Says that nothing matches the filters, and offers to clear them. */
export function NothingFound({ onClear }: { onClear: () => void }) {
  const { t } = useTranslation("ui");
  return (
    <div className={styles.error}>
      <h2 className={styles.title}>{t("table.nothingFound")}</h2>
      <p className={styles.sentence}>{t("table.nothingFoundHint")}</p>
      <div className={styles.actions}>
        <PlainButton onClick={onClear}>{t("table.clearFilters")}</PlainButton>
      </div>
    </div>
  );
}

/** Says that the data shown is from an earlier load. It is placed where there is room, so that nothing moves. */
export function NotRefreshed({ onRetry }: { onRetry: () => void }) {
  const { t } = useTranslation("ui");
  return (
    <span className={styles.stale} role="alert">
      <IconPlugConnectedX size={15} stroke={1.5} aria-hidden />
      {t("error.notRefreshed")}
      <button type="button" onClick={onRetry}>
        {t("error.retry")}
      </button>
    </span>
  );
}

/** An error in place of the content that could not be shown, with a button to try again. */
export function ErrorState({
  title,
  error,
  onRetry,
  absent,
  isPage = false,
}: {
  title: string;
  error: unknown;
  onRetry: () => void;
  /** The title, and the link to what there is, where the server has no such thing: asking again would not help. */
  absent?: { title: string; link: ReactNode };
  /** Replaces the whole page. */ isPage?: boolean;
}) {
  const { t } = useTranslation("ui");
  const { message, details, requestId } = describeError(error);
  const Heading = isPage ? "h1" : "h2";
  const refusal = error instanceof ApiError ? error : undefined;
  const shownAbsent = refusal?.code === "not_found" ? absent : undefined;
  return (
    <div className={styles.error} role="alert">
      <IconPlugConnectedX size={20} stroke={1.5} className={styles.errorIcon} aria-hidden />
      <Heading className={styles.title}>{shownAbsent?.title ?? title}</Heading>
      {!shownAbsent && <p className={styles.sentence}>{message}</p>}
      {requestId !== undefined && (
        <p className={styles.requestId}>
          {t("error.requestId")} <span className="mono">{requestId}</span>
        </p>
      )}
      <div className={styles.actions}>
        {shownAbsent?.link ??
          // What one may not see stays so, however often it is asked for.
          (refusal?.status !== 403 && (
            <PlainButton onClick={onRetry}>
              <IconRefresh size={15} stroke={1.5} aria-hidden />
              {t("error.retry")}
            </PlainButton>
          ))}
        <PlainButton look="ghost" onClick={() => void copyText(details)}>
          <IconCopy size={15} stroke={1.5} aria-hidden />
          {t("error.copyDetails")}
        </PlainButton>
      </div>
    </div>
  );
}
