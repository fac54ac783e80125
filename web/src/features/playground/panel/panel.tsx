/** The panel left of the chat: settings of what is asked, and the conversations; on a phone it lies over the chat. */
import { ActionIcon, Button } from "@mantine/core";
import { IconX, IconTrash } from "@tabler/icons-react";
import { type KeyboardEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Segmented } from "../../../ui/form/fields.tsx";
import { type Conversation, type Lane, titleOf } from "../model/conversation.ts";
import type { Chat } from "../use-chat.ts";
import styles from "./panel.module.css";
import { Settings } from "./settings.tsx";
import { visible } from "../../../lib/names.ts";
import { Time } from "../../../ui/display/time.tsx";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { removeConversations } from "../store/conversations.ts";
import { stopAll } from "../store/replies.ts";
import { ActButton } from "../thread/act-button.tsx";

/** The conversations that this browser keeps: opened by a click, deleted one by one or all together. */
function Conversations({
  list,
  currentId,
  isForgetful,
  onOpen,
  onGone,
}: {
  list: readonly Conversation[];
  currentId: string;
  isForgetful: boolean;
  onOpen: (id: string) => void;
  /** The open one was deleted. */
  onGone: () => void;
}) {
  const { t } = useTranslation("playground");
  const nameOf = (conversation: Conversation): string => visible(titleOf(conversation)) || t("untitled");
  const remove = async (gone: readonly Conversation[], title: string) => {
    if (!(await confirm({ title, text: t("history.deleteText"), action: t("history.deleteAction") }))) return;
    for (const { lanes } of gone) stopAll(lanes);
    removeConversations(gone.map(({ id }) => id));
    if (gone.some(({ id }) => id === currentId)) onGone();
  };
  return (
    <div className={styles.history}>
      <p className={styles.note}>{t(isForgetful ? "history.forgetful" : "history.kept")}</p>
      {list.length === 0 && <p className={styles.none}>{t("history.none")}</p>}
      <ul className={styles.list}>
        {list.map((each) => (
          <li key={each.id} data-is-open={each.id === currentId || undefined}>
            <button
              type="button"
              className={styles.open}
              aria-current={each.id === currentId ? "true" : undefined}
              onClick={() => onOpen(each.id)}
            >
              <span className={styles.title}>{nameOf(each)}</span>
              <span className={styles.when}>
                <Time atS={each.updatedAt / 1000} />
              </span>
            </button>
            <ActButton
              icon={IconTrash}
              label={t("history.delete", { name: nameOf(each) })}
              onClick={() => void remove([each], t("history.deleteTitle", { name: nameOf(each) }))}
            />
          </li>
        ))}
      </ul>
      {list.length > 1 && (
        <Button variant="subtle" size="xs" onClick={() => void remove(list, t("history.deleteAllTitle"))}>
          {t("history.deleteAll")}
        </Button>
      )}
    </div>
  );
}

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
