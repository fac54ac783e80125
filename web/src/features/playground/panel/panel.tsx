/** The panel left of the chat: settings of what is asked, and the conversations; on a phone it lies over the chat. */
import { ActionIcon } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { type KeyboardEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Segmented } from "../../../ui/form/fields.tsx";
import type { Conversation, Lane } from "../model/conversation.ts";
import type { Chat } from "../use-chat.ts";
import { Conversations } from "./conversations.tsx";
import styles from "./panel.module.css";
import { Settings } from "./settings.tsx";

type Part = "settings" | "history";

export function Panel({
  chat,
  lane,
  list,
  isForgetful,
  isOpen,
  onOpen,
  onNew,
  onClose,
}: {
  chat: Chat;
  lane: Lane;
  list: readonly Conversation[];
  isForgetful: boolean;
  /** Counts on phones only; wider windows always show it. */
  isOpen: boolean;
  onOpen: (id: string) => void;
  onNew: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation("playground");
  const [part, setPart] = useState<Part>("settings");
  const options = (["settings", "history"] as const).map((value) => ({ value, text: t(`panel.${value}`) }));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && isOpen) onClose();
  };
  return (
    <aside
      id="playground-panel"
      className={styles.panel}
      data-is-open={isOpen || undefined}
      aria-label={t("panel.label")}
      onKeyDown={onKeyDown}
    >
      <div className={styles.head}>
        <Segmented label={t("panel.label")} options={options} value={part} onChange={setPart} />
        <ActionIcon
          className={styles.close ?? ""}
          variant="subtle"
          size={36}
          aria-label={t("panel.close")}
          onClick={onClose}
        >
          <IconX size={17} stroke={1.5} />
        </ActionIcon>
      </div>
      <div className={styles.scroll}>
        {part === "settings" ? (
          <Settings chat={chat} lane={lane} />
        ) : (
          <Conversations
            list={list}
            currentId={chat.current.id}
            isForgetful={isForgetful}
            onOpen={onOpen}
            onGone={onNew}
          />
        )}
      </div>
    </aside>
  );
}
