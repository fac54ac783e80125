/** The steps between the versions of a message: "2/3" with the ones before and after it; nothing where there is one alone. */
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { useTranslation } from "../../../lib/i18n.ts";
import { IconButton, unlessOff } from "../../../ui/plain.tsx";
import { countOf } from "../model/versions.ts";
import type { Message } from "../model/conversation.ts";
import type { ChatActs } from "../use-chat.ts";
import styles from "./thread.module.css";

/** What every kind of message is drawn from. */
export interface MessageProps {
  message: Message;
  laneId: string;
  acts: ChatActs;
  /** A reply of the lane is coming: nothing is asked again meanwhile. */
  isBusy: boolean;
  isLast: boolean;
  /** Another model than the lane asks now wrote it. */
  isOfOther?: boolean;
}

const icon = { size: 15, stroke: 1.5, "aria-hidden": true } as const;

export function VersionSteps({ message, laneId, acts, isBusy }: MessageProps) {
  const { t } = useTranslation("playground");
  const count = countOf(message);
  if (count === 1) return null;
  const at = message.versions?.at ?? 0;
  const show = (to: number) => () => acts.showVersion(laneId, message.id, to);
  return (
    <span className={styles.versions} role="group" aria-label={t("version.label")}>
      <IconButton label={t("version.previous")} {...unlessOff(isBusy || at === 0, show(at - 1))}>
        <IconChevronLeft {...icon} />
      </IconButton>
      <span>
        {at + 1}/{count}
      </span>
      <IconButton label={t("version.next")} {...unlessOff(isBusy || at === count - 1, show(at + 1))}>
        <IconChevronRight {...icon} />
      </IconButton>
    </span>
  );
}
