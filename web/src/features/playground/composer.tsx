/** The prompt box: text, pictures, clearing the context, and the button that sends or stops. */
import { ActionIcon, Tooltip } from "@mantine/core";
import {
  IconArrowUp,
  IconEraser,
  IconFileText,
  IconPaperclip,
  IconPlayerStopFilled,
  IconTemplate,
  IconX,
  type TablerIcon,
} from "@tabler/icons-react";
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  lazy,
  type ReactNode,
  Suspense,
  useRef,
  useState,
} from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { unlessOff } from "../../ui/plain.tsx";
import { formatNumber, formatQuota } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { useStatus } from "../../lib/status.ts";
import { readStoredJson, STORAGE } from "../../lib/storage.ts";
import {
  FILE_BYTES_MOST,
  FILES_MOST,
  inputEstimate,
  isText,
  TEXT_ACCEPT,
  type TextFile,
  withFiles,
} from "./model/files.ts";
import { parametersOf } from "./model/parameters.ts";
import { GUESSED_TOKENS } from "./model/prompt-set.ts";
import type { Chat } from "./use-chat.ts";
import styles from "./composer.module.css";

const PresetsDialog = lazy(async () => ({ default: (await import("./presets-dialog.tsx")).PresetsDialog }));

/** Types that every vendor with pictures takes. */
const PICTURE_TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;
/** Pictures for a prompt: read from files, the clipboard or a drop into data URLs, within bounds that a request can carry. */
const PICTURES_MOST = 8;
const BYTES_MOST = 8 * 1024 * 1024;

type PictureProblem = "type" | "size" | "count" | "unreadable";

const isPicture = ({ type }: File): boolean => PICTURE_TYPES.some((known) => known === type);

function read(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result)));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(file);
  });
}

interface ReadPictures {
  urls: string[];
  /** What was wrong with those that are left out. */
  problems: PictureProblem[];
}

/** Reads files beside `count` pictures that are there already. */
async function readPictures(files: readonly File[], count: number): Promise<ReadPictures> {
  const found: ReadPictures = { urls: [], problems: [] };
  for (const file of files) {
    if (!isPicture(file)) found.problems.push("type");
    else if (file.size > BYTES_MOST) found.problems.push("size");
    else if (count + found.urls.length >= PICTURES_MOST) found.problems.push("count");
    else {
      const url = await read(file).catch(() => undefined);
      if (url === undefined) found.problems.push("unreadable");
      else found.urls.push(url);
    }
  }
  return found;
}

/** Files of a paste or a drop. */
const filesIn = (data: DataTransfer | null): File[] => [...(data?.files ?? [])];

/** The draft of each conversation, kept while the page is open. */
interface Draft {
  text: string;
  images: readonly string[];
  files: readonly TextFile[];
}

const drafts = new Map<string, Draft>();

function useDraft(id: string) {
  const [draft, setDraft] = useState(() => drafts.get(id) ?? { text: "", images: [], files: [] });
  const change = (next: Partial<Draft>) =>
    setDraft((old) => {
      const changed = { ...old, ...next };
      drafts.set(id, changed);
      return changed;
    });
  return { ...draft, change };
}

function Thumbnails({ images, onRemove }: { images: readonly string[]; onRemove: (index: number) => void }) {
  const { t } = useTranslation("playground");
  if (images.length === 0) return null;
  return (
    <ul className={styles.thumbnails} aria-label={t("composer.pictures")}>
      {images.map((url, index) => (
        <li key={`${index} ${url.length}`}>
          <img src={url} alt={t("picture.number", { number: index + 1 })} />
          <button
            type="button"
            aria-label={t("composer.removePicture", { number: index + 1 })}
            onClick={() => onRemove(index)}
          >
            <IconX size={12} stroke={2} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Opens the chooser of files: of text, and of pictures where the model reads them. */
function FileButton({ canSee, onFiles }: { canSee: boolean; onFiles: (files: File[]) => void }) {
  const { t } = useTranslation("playground");
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Tooltip label={t(canSee ? "composer.addFile" : "composer.addText")}>
        <ActionIcon
          variant="subtle"
          size={32}
          aria-label={t(canSee ? "composer.addFile" : "composer.addText")}
          onClick={() => input.current?.click()}
        >
          <IconPaperclip size={18} stroke={1.5} />
        </ActionIcon>
      </Tooltip>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={canSee ? `${PICTURE_TYPES.join(",")},${TEXT_ACCEPT}` : TEXT_ACCEPT}
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          currentTarget.value = "";
        }}
      />
    </>
  );
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

/** Takes files in, and says what was wrong with the others. */
function usePictures(images: readonly string[], isAllowed: boolean, take: (images: readonly string[]) => void) {
  const { t } = useTranslation("playground");
  return async (files: readonly File[]) => {
    if (files.length === 0) return;
    if (!isAllowed) return void toast.error(new Error(t("picture.problem.model")));
    const { urls, problems } = await readPictures(files, images.length);
    if (urls.length > 0) take([...images, ...urls]);
    for (const problem of new Set(problems))
      toast.error(new Error(t(`picture.problem.${problem}`, { count: PICTURES_MOST })));
  };
}

/** Takes files of text in, and says what was wrong with the others. */
function useTexts(files: readonly TextFile[], take: (files: readonly TextFile[]) => void) {
  const { t } = useTranslation("playground");
  return async (chosen: readonly File[]) => {
    const fitting = chosen.filter(({ size }) => size <= FILE_BYTES_MOST).slice(0, FILES_MOST - files.length);
    if (fitting.length < chosen.length) toast.error(new Error(t("file.problem", { count: FILES_MOST })));
    if (fitting.length === 0) return;
    const read = await Promise.all(fitting.map(async (file) => ({ name: file.name, text: await file.text() })));
    take([...files, ...read]);
  };
}

function Files({ files, onRemove }: { files: readonly TextFile[]; onRemove: (index: number) => void }) {
  const { t } = useTranslation("playground");
  if (files.length === 0) return null;
  return (
    <ul className={styles.files} aria-label={t("file.list")}>
      {files.map(({ name }, index) => (
        <li key={`${index} ${name}`}>
          <IconFileText size={15} stroke={1.5} aria-hidden />
          <span>{visible(name)}</span>
          <button type="button" aria-label={t("file.remove", { name })} onClick={() => onRemove(index)}>
            <IconX size={12} stroke={2} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** What the prompt with its files may cost. */
function Estimate({ chat, prompt }: { chat: Chat; prompt: string }) {
  const { t } = useTranslation("playground");
  const { quota_per_unit } = useStatus();
  const { current, offer } = chat;
  const all = readStoredJson(STORAGE.playgroundParameters);
  const priced = current.lanes.map((lane) => {
    const { entry, group, model } = offer.choiceOf(lane);
    const groupRatio = offer.groups.find(({ name }) => name === group)?.ratio ?? 1;
    return { entry, groupRatio, maxTokens: parametersOf(all, model).max_tokens };
  });
  const { tokens, usd, isWhole } = inputEstimate(current, prompt, priced);
  const words = t("file.tokens", { count: tokens, formatted: formatNumber(tokens) });
  if (!isWhole) return <p className={styles.estimate}>{words}</p>;
  const amount = formatQuota(usd * quota_per_unit, 4);
  return (
    <p className={styles.estimate}>
      {words} {t("file.price", { amount, tokens: GUESSED_TOKENS })}
    </p>
  );
}

/** What is written and attached, and how it is sent. */
function useWriting(chat: Chat, canSee: boolean) {
  const { current, acts, isBusy, offer } = chat;
  const draft = useDraft(current.id);
  const { text, images, files, change } = draft;
  const addPictures = usePictures(images, canSee, (next) => change({ images: next }));
  const addTexts = useTexts(files, (next) => change({ files: next }));
  const hasModel = current.lanes.every((lane) => offer.choiceOf(lane).model !== "");
  const isReady = hasModel && (text.trim() !== "" || images.length > 0 || files.length > 0);
  return {
    ...draft,
    isReady,
    addFiles: async (chosen: readonly File[]) => {
      await addTexts(chosen.filter(isText));
      await addPictures(chosen.filter((file) => !isText(file)));
    },
    send: () => {
      if (!isReady || isBusy) return;
      change({ text: "", images: [], files: [] });
      acts.say(withFiles(text.trim(), files), images);
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
function TextBox({ writing }: { writing: Writing }) {
  const { t } = useTranslation("playground");
  const { text, change, send, addFiles } = writing;
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
      className={styles.text}
      rows={1}
      aria-label={t("composer.label")}
      placeholder={t("composer.placeholder")}
      value={text}
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
        text={writing.text}
        onUse={(text) => {
          writing.change({ text });
          onClose();
        }}
        onClose={onClose}
      />
    </Suspense>
  );
}

/** @param model what stands between the buttons on phones: the model that is asked */
export function Composer({ chat, canSee, model }: { chat: Chat; canSee: boolean; model: ReactNode }) {
  const { t } = useTranslation("playground");
  const { acts, isBusy } = chat;
  const writing = useWriting(chat, canSee);
  const { text, images, files, change, isReady, send, addFiles } = writing;
  const { isOver, ...drop } = useDrop(addFiles);
  const [isPresetsShown, setIsPresetsShown] = useState(false);
  const without = <Value,>(list: readonly Value[], index: number): Value[] => list.filter((_, at) => at !== index);
  return (
    <div className={styles.place}>
      <div className={styles.box} data-is-over={isOver || undefined} {...drop}>
        <Thumbnails images={images} onRemove={(index) => change({ images: without(images, index) })} />
        <Files files={files} onRemove={(index) => change({ files: without(files, index) })} />
        {files.length > 0 && <Estimate chat={chat} prompt={withFiles(text.trim(), files)} />}
        <TextBox writing={writing} />
        <div className={styles.tools}>
          <FileButton canSee={canSee} onFiles={(chosen) => void addFiles(chosen)} />
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
  );
}
