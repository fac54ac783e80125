/** Why there is no answer, or no whole one: the relay's own sentence, the id of the request, and the way to its log entry. */
import { IconAlertCircle } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Copy } from "../../../ui/display/copy.tsx";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { unlessOff } from "../../../ui/plain.tsx";
import type { Failure } from "../model/conversation.ts";
import type { MessageProps } from "./message-props.ts";
import styles from "./thread.module.css";

/** The conversation in which a button has the focus: the button goes with its message, and the focus stays where that was. */
const conversation = (): HTMLElement | null | undefined =>
  document.activeElement?.closest<HTMLElement>('[role="region"]');

/** Asks before words are thrown away that somebody may want to keep. */
export function useRetry({ message, laneId, acts, laterCount }: MessageProps): () => Promise<void> {
  const { t } = useTranslation("playground");
  return async () => {
    const place = conversation();
    const isSure =
      laterCount === 0 ||
      (await confirm({
        title: t("retry.title"),
        text: t("retry.text", { count: laterCount }),
        action: t("retry.action"),
      }));
    if (!isSure) return;
    acts.retry(laneId, message.id);
    place?.focus({ preventScroll: true });
  };
}

/** Failures of which the page knows more than the server said; their sentences are in the locale file. */
const OWN_WORDS = [
  "unreachable",
  "broken_stream",
  "not_logged_in",
  "insufficient_user_quota",
  "too_many_requests",
] as const;

export function FailureBox(props: MessageProps & { failure: Failure }) {
  const { message, failure, isBusy } = props;
  const { t } = useTranslation("playground");
  const retry = useRetry(props);
  const own = OWN_WORDS.find((code) => code === failure.code);
  const requestId = message.figures?.requestId;
  return (
    <div className={styles.failure} role="alert">
      <IconAlertCircle size={16} stroke={1.5} aria-hidden />
      <div>
        <p>{own === undefined ? failure.message : t(`failure.${own}`)}</p>
        <div className={styles.failureFoot}>
          {failure.status >= 400 && <span>{t("failure.status", { status: failure.status })}</span>}
          {requestId !== undefined && (
            <>
              <Copy text={requestId} label={t("failure.copyId")} isIconShown>
                <span className="mono">{requestId}</span>
              </Copy>
              <Link to="/log" search={{ request_id: requestId }}>
                {t("failure.log")}
              </Link>
            </>
          )}
        </div>
      </div>
      <Button size="xs" {...unlessOff(isBusy, () => void retry())}>
        {t("act.retry")}
      </Button>
    </div>
  );
}
