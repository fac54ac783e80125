/** Conversations stored in this browser: searched, opened, named, pinned, exported as a file, and deleted one by one or all together. */
import { Button } from "@mantine/core";
import { IconPencil, IconPin, IconPinFilled, IconTrash } from "@tabler/icons-react";
import { type KeyboardEvent, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { saveFile } from "../../lib/download.ts";
import { visible } from "../../lib/names.ts";
import { Time } from "../../ui/display/time.tsx";
import { confirm } from "../../ui/feedback/confirm.ts";
import { type Conversation, NAME_MOST, titleOf } from "./model/conversation.ts";
import { exported, EXPORTS, type ExportFormat, found } from "./model/exported.ts";
import styles from "./panel.module.css";
import { changeConversation, removeConversations } from "./store/conversations.ts";
import { stopAll } from "./store/replies.ts";
import { ActButton } from "./thread/act-button.tsx";

/** A field in the place of the name; Enter and leaving it keep what was typed, Escape what was there. */
function NameField({ conversation, onEnd }: { conversation: Conversation; onEnd: () => void }) {
  const { t } = useTranslation("playground");
  const [text, setText] = useState(titleOf(conversation));
  const keep = () => {
    changeConversation(conversation.id, (old) => ({ ...old, name: text.trim().slice(0, NAME_MOST) }), "now", "quietly");
    onEnd();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.nativeEvent.isComposing) keep();
    if (event.key !== "Escape") return;
    event.stopPropagation();
    onEnd();
  };
  return (
    <input
      className={styles.nameField}
      aria-label={t("history.name")}
      autoFocus
      value={text}
      maxLength={NAME_MOST}
      onFocus={({ currentTarget }) => currentTarget.select()}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onKeyDown={onKeyDown}
      onBlur={keep}
    />
  );
}

interface RowProps {
  conversation: Conversation;
  isOpen: boolean;
  onOpen: () => void;
  onRemove: () => void;
}

function Row({ conversation, isOpen, onOpen, onRemove }: RowProps) {
  const { t } = useTranslation("playground");
  const [isNamed, setIsNamed] = useState(false);
  const name = visible(titleOf(conversation)) || t("untitled");
  const isPinned = conversation.isPinned === true;
  return (
    <li data-is-open={isOpen || undefined}>
      {isNamed ? (
        <NameField conversation={conversation} onEnd={() => setIsNamed(false)} />
      ) : (
        <button type="button" className={styles.open} aria-current={isOpen ? "true" : undefined} onClick={onOpen}>
          <span className={styles.title}>{name}</span>
          <span className={styles.when}>
            <Time atS={conversation.updatedAt / 1000} />
          </span>
        </button>
      )}
      <ActButton
        icon={isPinned ? IconPinFilled : IconPin}
        label={t(isPinned ? "history.unpin" : "history.pin", { name })}
        onClick={() =>
          changeConversation(conversation.id, (old) => ({ ...old, isPinned: !isPinned }), "now", "quietly")
        }
      />
      <ActButton icon={IconPencil} label={t("history.rename", { name })} onClick={() => setIsNamed(true)} />
      <ActButton icon={IconTrash} label={t("history.delete", { name })} onClick={onRemove} />
    </li>
  );
}

/** The open conversation as a file. */
function Export({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation("playground");
  const names = { user: t("role.user"), assistant: t("role.assistant"), tool: t("tools.result") };
  const save = (format: ExportFormat) => {
    const { name, type, text } = exported(conversation, format, names);
    saveFile(new Blob([text], { type }), name);
  };
  return (
    <p className={styles.export}>
      {t("history.export")}{" "}
      {EXPORTS.map((format) => (
        <button key={format} type="button" onClick={() => save(format)}>
          {t(`history.as_${format}`)}
        </button>
      ))}
    </p>
  );
}

export function History({
  list,
  current,
  isForgetful,
  onOpen,
  onGone,
}: {
  list: readonly Conversation[];
  current: Conversation;
  isForgetful: boolean;
  onOpen: (id: string) => void;
  /** The open one was deleted. */
  onGone: () => void;
}) {
  const { t } = useTranslation("playground");
  const [search, setSearch] = useState("");
  const shown = found(list, search);
  const remove = async (gone: readonly Conversation[], title: string) => {
    if (!(await confirm({ title, text: t("history.deleteText"), action: t("history.deleteAction") }))) return;
    for (const { lanes } of gone) stopAll(lanes);
    removeConversations(gone.map(({ id }) => id));
    if (gone.some(({ id }) => id === current.id)) onGone();
  };
  const nameOf = (conversation: Conversation): string => visible(titleOf(conversation)) || t("untitled");
  return (
    <div className={styles.history}>
      <p className={styles.note}>{t(isForgetful ? "history.forgetful" : "history.kept")}</p>
      {list.length > 1 && (
        <input
          type="search"
          className={styles.nameField}
          aria-label={t("history.search")}
          placeholder={t("history.search")}
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      {current.updatedAt > 0 && <Export conversation={current} />}
      {shown.length === 0 && (
        <p className={styles.none}>{t(list.length === 0 ? "history.none" : "history.nothingFound")}</p>
      )}
      <ul className={styles.list}>
        {shown.map((each) => (
          <Row
            key={each.id}
            conversation={each}
            isOpen={each.id === current.id}
            onOpen={() => onOpen(each.id)}
            onRemove={() => void remove([each], t("history.deleteTitle", { name: nameOf(each) }))}
          />
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
