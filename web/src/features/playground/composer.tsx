/** The prompt box: text, pictures, clearing the context, and the button that sends or stops. */
import { ActionIcon, Tooltip } from "@mantine/core";
import { IconArrowUp, IconEraser, IconPhotoPlus, IconPlayerStopFilled, IconX } from "@tabler/icons-react";
import { type ClipboardEvent, type DragEvent, type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { toast } from "../../ui/feedback/toast-store.ts";
import { unlessOff } from "../../ui/plain.tsx";
import type { Chat } from "./use-chat.ts";
import styles from "./composer.module.css";

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
const drafts = new Map<string, { text: string; images: readonly string[] }>();

function useDraft(id: string) {
  const [draft, setDraft] = useState(() => drafts.get(id) ?? { text: "", images: [] });
  const change = (next: Partial<typeof draft>) =>
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

function PictureButton({
  isDisabled,
  hint,
  onFiles,
}: {
  isDisabled: boolean;
  hint: string;
  onFiles: (files: File[]) => void;
}) {
  const { t } = useTranslation("playground");
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Tooltip label={hint}>
        <ActionIcon
          variant="subtle"
          size={32}
          aria-label={t("composer.addPicture")}
          aria-disabled={isDisabled || undefined}
          onClick={() => !isDisabled && input.current?.click()}
        >
          <IconPhotoPlus size={18} stroke={1.5} />
        </ActionIcon>
      </Tooltip>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={PICTURE_TYPES.join(",")}
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

/** @param model what stands between the buttons on phones: the model that is asked */
export function Composer({ chat, canSee, model }: { chat: Chat; canSee: boolean; model: ReactNode }) {
  const { t } = useTranslation("playground");
  const { current, acts, isBusy, offer } = chat;
  const { text, images, change } = useDraft(current.id);
  const [isOver, setIsOver] = useState(false);
  const addFiles = usePictures(images, canSee, (next) => change({ images: next }));
  const hasModel = current.lanes.every((lane) => offer.choiceOf(lane).model !== "");
  const isReady = hasModel && (text.trim() !== "" || images.length > 0);
  const send = () => {
    if (!isReady || isBusy) return;
    change({ text: "", images: [] });
    acts.say(text.trim(), images);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that ends a composition chooses a word, and sends nothing.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = filesIn(event.clipboardData);
    if (files.length === 0) return;
    event.preventDefault();
    void addFiles(files);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    void addFiles(filesIn(event.dataTransfer));
  };
  const onDragOver = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    setIsOver(true);
  };
  return (
    <div className={styles.place}>
      <div
        className={styles.box}
        data-is-over={isOver || undefined}
        onDragOver={onDragOver}
        onDragLeave={() => setIsOver(false)}
        onDrop={onDrop}
      >
        <Thumbnails images={images} onRemove={(index) => change({ images: images.filter((_, at) => at !== index) })} />
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
        <div className={styles.tools}>
          <PictureButton
            isDisabled={!canSee}
            hint={t(canSee ? "composer.addPicture" : "picture.problem.model")}
            onFiles={(files) => void addFiles(files)}
          />
          <Tooltip label={t("clear.hint")}>
            <ActionIcon variant="subtle" size={32} aria-label={t("clear.action")} {...unlessOff(isBusy, acts.clear)}>
              <IconEraser size={18} stroke={1.5} />
            </ActionIcon>
          </Tooltip>
          {model}
          <span className={styles.space} />
          <SendButton isBusy={isBusy} isReady={isReady} onSend={send} onStop={acts.stop} />
        </div>
      </div>
      <p className={styles.hint}>{t("composer.hint")}</p>
    </div>
  );
}
