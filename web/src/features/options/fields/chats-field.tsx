/** The control of the option `Chats`: each link with its name, its template and where it leads, in the order of the menu. */
import { ActionIcon, Button, TextInput } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "../../../lib/i18n.ts";
import { carriesKey, type ChatLink, isForFluentRead, receiverOf, usableChatLink } from "../../../lib/chat-links.ts";
import { FieldLink } from "../../../ui/form/fields.tsx";
import { movedEntry, readChats, writeChats } from "./chat-list.ts";
import type { FieldProps } from "../draft/settings.ts";
import { JsonField } from "./plain-fields.tsx";
import styles from "./chats-field.module.css";

/** Stands for a person's token in the preview; no token looks like it. */
const EXAMPLE_KEY = "EXAMPLE";

export function ChatsField(props: FieldProps) {
  const { t } = useTranslation("options");
  const { field, id, label } = props;
  const [isJson, setIsJson] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const links = readChats(field.text);
  if (links === undefined || isJson) {
    return (
      <div className={styles.whole}>
        <JsonField {...props} />
        <FieldLink isDisabled={links === undefined} onClick={() => setIsJson(false)}>
          {t("chats.asList")}
        </FieldLink>
      </div>
    );
  }
  const set = (next: readonly ChatLink[]) => field.set(writeChats(next));
  const move = (from: number, by: -1 | 1) => {
    // Drawn at once, so that the focus has gone with the link before the next key comes.
    flushSync(() => set(movedEntry(links, from, by)));
    list.current
      ?.querySelectorAll<HTMLElement>(`[data-step="${by}"]`)
      [Math.min(Math.max(from + by, 0), links.length - 1)]?.focus();
  };
  return (
    <div className={styles.whole} ref={list} id={id} role="group" aria-label={label}>
      {links.map((link, index) => (
        <Link
          // Links have no identity but their place.
          key={index}
          link={link}
          place={index + 1}
          count={links.length}
          onChange={(next) => set(links.with(index, next))}
          onMove={(by) => move(index, by)}
          onRemove={() => set(links.filter((_, each) => each !== index))}
        />
      ))}
      <div className={styles.foot}>
        <Button
          leftSection={<IconPlus size={15} stroke={1.5} />}
          onClick={() => set([...links, { name: t("chats.newName"), template: "https://" }])}
        >
          {t("chats.add")}
        </Button>
        <FieldLink onClick={() => setIsJson(true)}>{t("chats.asJson")}</FieldLink>
      </div>
    </div>
  );
}

interface LinkProps {
  link: ChatLink;
  place: number;
  count: number;
  onChange: (link: ChatLink) => void;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}

function Link({ link, place, count, onChange, onMove, onRemove }: LinkProps) {
  const { t } = useTranslation("options");
  const filled = usableChatLink(link.template, EXAMPLE_KEY);
  const name = link.name || String(place);
  return (
    <div className={styles.link}>
      <TextInput
        aria-label={t("chats.nameOf", { place })}
        value={link.name}
        error={link.name.trim() === "" && t("chats.nameMissing")}
        onChange={(event) => onChange({ ...link, name: event.currentTarget.value })}
      />
      <div className={styles.template}>
        <TextInput
          aria-label={t("chats.templateOf", { name })}
          classNames={{ input: "mono" }}
          spellCheck={false}
          value={link.template}
          error={filled === undefined && !isForFluentRead(link.template) && t("chats.unusable")}
          onChange={(event) => onChange({ ...link, template: event.currentTarget.value })}
        />
        {filled !== undefined && (
          <p className={styles.preview} title={filled}>
            {t("chats.leadsTo", { receiver: receiverOf(filled) })}
            <span className="mono">{filled}</span>
          </p>
        )}
        {filled !== undefined && !carriesKey(link.template) && (
          <p className={styles.warning}>{t("chats.withoutKey")}</p>
        )}
      </div>
      <span className={styles.acts}>
        <Step label={t("chats.up", { name })} by={-1} isOff={place === 1} onMove={onMove} />
        <Step label={t("chats.down", { name })} by={1} isOff={place === count} onMove={onMove} />
        <ActionIcon variant="subtle" size={28} aria-label={t("chats.remove", { name })} onClick={onRemove}>
          <IconTrash size={15} stroke={1.5} />
        </ActionIcon>
      </span>
    </div>
  );
}

interface StepProps {
  label: string;
  by: -1 | 1;
  isOff: boolean;
  onMove: (by: -1 | 1) => void;
}

/** Moves an entry of a list one place; it keeps the focus where it can go no further. */
export const Step = ({ label, by, isOff, onMove }: StepProps) => (
  <ActionIcon
    variant="subtle"
    size={28}
    data-step={by}
    data-is-off={isOff || undefined}
    aria-label={label}
    aria-disabled={isOff}
    onClick={() => onMove(by)}
  >
    {by === -1 ? <IconArrowUp size={15} stroke={1.5} /> : <IconArrowDown size={15} stroke={1.5} />}
  </ActionIcon>
);
