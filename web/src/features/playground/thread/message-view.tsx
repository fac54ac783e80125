/** One message: what a person said, what a model answered, what a tool gave, or the line at which the context was cleared. */
import { memo } from "react";
import { useTranslation } from "react-i18next";
import type { MessageProps } from "./message-props.ts";
import { Reply } from "./reply.tsx";
import styles from "./thread.module.css";
import { UserMessage } from "./user-message.tsx";

function ToolMessage({ message }: MessageProps) {
  const { t } = useTranslation("playground");
  return (
    <div className={styles.tool}>
      <span className={styles.toolLabel}>{t("tools.result")}</span>
      <pre className={styles.toolText}>{message.content}</pre>
    </div>
  );
}

function Divider({ acts, isLast, isBusy }: MessageProps) {
  const { t } = useTranslation("playground");
  return (
    <div className={styles.divider}>
      <span>{t("clear.done")}</span>
      {isLast && !isBusy && (
        <button type="button" onClick={() => acts.clear()}>
          {t("clear.undo")}
        </button>
      )}
    </div>
  );
}

const VIEWS = { user: UserMessage, assistant: Reply, tool: ToolMessage, divider: Divider } as const;

export const MessageView = memo((props: MessageProps) => {
  const View = VIEWS[props.message.role];
  return <View {...props} />;
});
MessageView.displayName = "MessageView";
