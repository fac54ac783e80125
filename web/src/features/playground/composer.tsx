/** The prompt box: text with what is attached to it, clearing the context, presets, and the button that sends or stops. */
import { ActionIcon, Tooltip } from "@mantine/core";
import { IconArrowUp, IconEraser, IconPlayerStopFilled, IconTemplate, type TablerIcon } from "@tabler/icons-react";
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  lazy,
  type ReactNode,
  type Ref,
  Suspense,
  useRef,
  useState,
} from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { unlessOff } from "../../ui/plain.tsx";
import { Attached, type Draft, FileButton, useFiles } from "./attached.tsx";
import { withFiles } from "./model/files.ts";
import type { Chat } from "./use-chat.ts";
import styles from "./composer.module.css";

const PresetsDialog = lazy(async () => ({ default: (await import("./presets-dialog.tsx")).PresetsDialog }));

/** Files of a paste or a drop. */
const filesIn = (data: DataTransfer | null): File[] => [...(data?.files ?? [])];
/** The draft of each conversation, kept while the page is open. */
const NOTHING: Draft = { text: "", images: [], files: [], attachments: [] };
const drafts = new Map<string, Draft>();

function useDraft(id: string) {
  const [draft, setDraft] = useState(() => drafts.get(id) ?? NOTHING);
  const change = (next: Partial<Draft>) =>
    setDraft((old) => {
      const changed = { ...old, ...next };
      drafts.set(id, changed);
      return changed;
    });
  return { ...draft, change };
}

function SendButton({
  isBusy,
  isReady,
  onSend,
  onStop,
}: {
  isBusy: boolean;
  isReady: boolean;
  onSend: () => void;
  onStop: () => void;
}) {
  const { t } = useTranslation("playground");
  const label = t(isBusy ? "composer.stop" : "composer.send");
  const Icon = isBusy ? IconPlayerStopFilled : IconArrowUp;
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="filled"
        size={34}
        radius={17}
        aria-label={label}
        // 'Stop' becomes 'Send', which an empty field disables, while it has the focus.
        {...unlessOff(!isBusy && !isReady, isBusy ? onStop : onSend)}
      >
        <Icon size={isBusy ? 15 : 18} stroke={2} />
      </ActionIcon>
    </Tooltip>
  );
}

/** The prompt with its attachments, and how it is sent. */
function useWriting(chat: Chat) {
  const { current, acts, isBusy, offer } = chat;
  const { change, ...draft } = useDraft(current.id);
  const { text, images, files, attachments } = draft;
  const addFiles = useFiles(chat, draft, change);
  const hasModel = current.lanes.every((lane) => offer.choiceOf(lane).model !== "");
  const isBlank = text.trim() === "" && images.length + files.length + attachments.length === 0;
  const isReady = hasModel && !isBlank;
  const isNew = current.lanes.every(({ messages }) => messages.length === 0);
  return {
    draft,
    change,
    /** Whether the chat waits for its first prompt, and has models that answer it. */
    isToBegin: isNew && hasModel && isBlank,
    isReady,
    addFiles,
    send: () => {
      if (!isReady || isBusy) return;
      change(NOTHING);
      acts.say(withFiles(text.trim(), files), images, attachments);
    },
  };
}

type Writing = ReturnType<typeof useWriting>;

/** Files that are dropped on the box, and whether one is held over it. */
function useDrop(addFiles: Writing["addFiles"]) {
  const [isOver, setIsOver] = useState(false);
  return {
    isOver,
    onDragLeave: () => setIsOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setIsOver(false);
      void addFiles(filesIn(event.dataTransfer));
    },
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setIsOver(true);
    },
  };
}

/** The prompt itself: Enter sends it, and pasted files are taken in. */
function TextBox({ writing, box }: { writing: Writing; box: Ref<HTMLTextAreaElement> }) {
  const { t } = useTranslation("playground");
  const { draft, change, send, addFiles } = writing;
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that ends a composition chooses a word, and sends nothing.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const onPaste = (event: ClipboardEvent) => {
    const pasted = filesIn(event.clipboardData);
    if (pasted.length === 0) return;
    event.preventDefault();
    void addFiles(pasted);
  };
  return (
    <textarea
      ref={box}
      className={styles.text}
      rows={1}
      aria-label={t("composer.label")}
      placeholder={t("composer.placeholder")}
      value={draft.text}
      onChange={({ currentTarget }) => change({ text: currentTarget.value })}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
    />
  );
}

/** A tool of the row below the prompt. */
const Tool = ({ label, icon: Icon, ...act }: { label: string; icon: TablerIcon } & ReturnType<typeof unlessOff>) => (
  <Tooltip label={label}>
    <ActionIcon variant="subtle" size={32} aria-label={label} {...act}>
      <Icon size={18} stroke={1.5} />
    </ActionIcon>
  </Tooltip>
);

/** The presets, over the page once they are asked for. */
function Presets({ writing, onClose }: { writing: Writing; onClose: () => void }) {
  return (
    <Suspense fallback={null}>
      <PresetsDialog
        text={writing.draft.text}
        onUse={(text) => {
          writing.change({ text });
          onClose();
        }}
        onClose={onClose}
      />
    </Suspense>
  );
}

const IDEAS = ["explain", "write", "code", "plan"] as const;

/** Prompts to begin a chat with: each is put into the box, where it can be changed before it is sent. */
function Ideas({ onUse }: { onUse: (prompt: string) => void }) {
  const { t } = useTranslation("playground");
  return (
    <ul className={styles.ideas} aria-label={t("start.ideas")}>
      {IDEAS.map((name) => {
        const prompt = t(`start.idea.${name}`);
        return (
          <li key={name}>
            <button type="button" className={styles.idea} onClick={() => onUse(prompt)}>
              {prompt}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** @param model what stands between the buttons on phones: the model that is asked */
export function Composer({ chat, model }: { chat: Chat; model: ReactNode }) {
  const { t } = useTranslation("playground");
  const { acts, isBusy } = chat;
  const writing = useWriting(chat);
  const { draft, change, isReady, send, addFiles } = writing;
  const { isOver, ...drop } = useDrop(addFiles);
  const [isPresetsShown, setIsPresetsShown] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const begin = (text: string) => {
    change({ text });
    box.current?.focus();
  };
  return (
    <>
      {/* Beside the box's place, not in it: what grows upwards would move. */}
      {writing.isToBegin && <Ideas onUse={begin} />}
      <div className={styles.place}>
        <div className={styles.box} data-is-over={isOver || undefined} {...drop}>
          <Attached chat={chat} draft={draft} change={change} />
          <TextBox writing={writing} box={box} />
          <div className={styles.tools}>
            <FileButton chat={chat} onFiles={(chosen) => void addFiles(chosen)} />
            <Tool label={t("clear.action")} icon={IconEraser} {...unlessOff(isBusy, acts.clear)} />
            <Tool label={t("presets.title")} icon={IconTemplate} onClick={() => setIsPresetsShown(true)} />
            {model}
            <span className={styles.space} />
            <SendButton isBusy={isBusy} isReady={isReady} onSend={send} onStop={acts.stop} />
          </div>
        </div>
        <p className={styles.hint}>{t("composer.hint")}</p>
        {isPresetsShown && <Presets writing={writing} onClose={() => setIsPresetsShown(false)} />}
      </div>
    </>
  );
}
