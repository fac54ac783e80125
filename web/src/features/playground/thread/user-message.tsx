/** What a person said, with its pictures; it can be edited in its place and sent again. */
import { IconPencil, IconTrash } from "@tabler/icons-react";
import { Button } from "@mantine/core";
import { type KeyboardEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../../../ui/display/copy.tsx";
import { ActButton } from "./act-button.tsx";
import type { MessageProps } from "./message-props.ts";
import styles from "./thread.module.css";

function Editor({ message, laneId, acts, onEnd }: MessageProps & { onEnd: () => void }) {
  const { t } = useTranslation("playground");
  const [text, setText] = useState(message.content);
  const isBlank = text.trim() === "" && (message.images?.length ?? 0) === 0;
  const send = () => {
    if (isBlank) return;
    onEnd();
    acts.resend(laneId, message.id, text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onEnd();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
  };
  return (
    <div className={styles.editor}>
      <textarea
        className={styles.editText}
        aria-label={t("edit.label")}
        value={text}
        autoFocus
        onFocus={({ currentTarget }) => currentTarget.setSelectionRange(text.length, text.length)}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div className={styles.editFoot}>
        <span className={styles.editHint}>{t("edit.hint")}</span>
        <Button size="xs" onClick={onEnd}>
          {t("edit.cancel")}
        </Button>
        <Button size="xs" variant="filled" disabled={isBlank} onClick={send}>
          {t("edit.send")}
        </Button>
      </div>
    </div>
  );
}

export function UserMessage(props: MessageProps) {
  const { message, laneId, acts, isBusy } = props;
  const { t } = useTranslation("playground");
  const [isEdited, setIsEdited] = useState(false);
  if (isEdited) return <Editor {...props} onEnd={() => setIsEdited(false)} />;
  return (
    <article className={styles.user} aria-label={t("role.user")}>
      {message.images?.map((url) => (
        <img key={url} className={styles.image} src={url} alt={t("picture.sent")} />
      ))}
      {message.content !== "" && <div className={styles.said}>{message.content}</div>}
      <div className={styles.acts}>
        <CopyButton text={message.content} label={t("act.copy")} />
        <ActButton icon={IconPencil} label={t("act.edit")} isDisabled={isBusy} onClick={() => setIsEdited(true)} />
        <ActButton
          icon={IconTrash}
          label={t("act.delete")}
          isDisabled={isBusy}
          onClick={() => acts.remove(laneId, message.id)}
        />
      </div>
    </article>
  );
}
