/** The conversations that this browser keeps: opened by a click, deleted one by one or all together. */
import { Button } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { visible } from "../../../lib/names.ts";
import { Time } from "../../../ui/display/time.tsx";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { type Conversation, titleOf } from "../model/conversation.ts";
import { removeConversations } from "../store/conversations.ts";
import { stopAll } from "../store/replies.ts";
import { ActButton } from "../thread/act-button.tsx";
import styles from "./panel.module.css";

export function Conversations({
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
