/** Attachments of a prompt: pictures, text, PDF and sound are accepted within bounds, listed with their size, and counted before they are sent. */
import { ActionIcon, Tooltip } from "@mantine/core";
import { IconFileText, IconFileTypePdf, IconMusic, IconPaperclip, IconX, type TablerIcon } from "@tabler/icons-react";
import { useRef } from "react";
import { formatDecimals, formatNumber, formatQuota } from "../../lib/format.ts";
import { useTranslation } from "../../lib/i18n.ts";
import { visible } from "../../lib/names.ts";
import { useStatus } from "../../lib/status.ts";
import { readStoredJson, STORAGE } from "../../lib/storage.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import {
  ATTACHMENT_ACCEPT,
  ATTACHMENT_BYTES_MOST,
  attachmentKind,
  ATTACHMENTS_MOST,
  attachmentTokens,
  isOtherSound,
  readsAttachment,
  withType,
} from "./model/attachments.ts";
import { readsImages } from "./model/choices.ts";
import type { Attachment } from "./model/conversation.ts";
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

/** What is written and attached, and not sent yet. */
export interface Draft {
  text: string;
  images: readonly string[];
  files: readonly TextFile[];
  attachments: readonly Attachment[];
}

/** Models of the chat that read no files of this kind. */
const unable = ({ current, offer }: Chat, kind: Attachment["kind"]): string[] =>
  current.lanes
    .map((lane) => offer.choiceOf(lane))
    .flatMap(({ model, entry }) => (readsAttachment(entry, kind) ? [] : [model]));

/** Whether every model of the chat sees pictures. */
const canSee = ({ current, offer }: Chat): boolean =>
  current.lanes.every((lane) => readsImages(offer.choiceOf(lane).entry));

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

/** Opens the chooser of files: of text, and of what else all models of the chat read. */
export function FileButton({ chat, onFiles }: { chat: Chat; onFiles: (files: File[]) => void }) {
  const { t } = useTranslation("playground");
  const input = useRef<HTMLInputElement>(null);
  const isSeen = canSee(chat);
  const kinds = (["pdf", "audio"] as const).filter((kind) => unable(chat, kind).length === 0);
  const accept = [...(isSeen ? PICTURE_TYPES : []), ...kinds.map((kind) => ATTACHMENT_ACCEPT[kind]), TEXT_ACCEPT];
  const label = t(isSeen || kinds.length > 0 ? "composer.addFile" : "composer.addText");
  return (
    <>
      <Tooltip label={label}>
        <ActionIcon variant="subtle" size={32} aria-label={label} onClick={() => input.current?.click()}>
          <IconPaperclip size={18} stroke={1.5} />
        </ActionIcon>
      </Tooltip>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={accept.join()}
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          currentTarget.value = "";
        }}
      />
    </>
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

/** The file as it is attached; undefined where it cannot be read. */
async function attached(file: File): Promise<Attachment | undefined> {
  const kind = attachmentKind(file);
  if (kind === undefined) return undefined;
  try {
    const [url, bytes] = await Promise.all([read(file), file.arrayBuffer()]);
    const tokens = attachmentTokens(file, new Uint8Array(bytes));
    return { kind, name: file.name, bytes: file.size, tokens, url: withType(file, url) };
  } catch {
    return undefined;
  }
}

/** Takes PDF and sound in, and names those that are not taken with the reason. */
function useAttachments(chat: Chat, there: Draft["attachments"], take: (next: Draft["attachments"]) => void) {
  const { t } = useTranslation("playground");
  const refuse = (reason: "model" | "size" | "count" | "sound" | "unreadable", name: string, model = "") =>
    toast.error(new Error(t(`attachment.problem.${reason}`, { name: visible(name), model, count: ATTACHMENTS_MOST })));
  return async (chosen: readonly File[]) => {
    const next = [...there];
    for (const file of chosen) {
      const kind = attachmentKind(file);
      const [model] = kind === undefined ? [] : unable(chat, kind);
      if (kind === undefined) refuse("sound", file.name);
      else if (model !== undefined) refuse("model", file.name, visible(model));
      else if (file.size > ATTACHMENT_BYTES_MOST) refuse("size", file.name);
      else if (next.length >= ATTACHMENTS_MOST) refuse("count", file.name);
      else {
        const found = await attached(file);
        if (found === undefined) refuse("unreadable", file.name);
        else next.push(found);
      }
    }
    if (next.length > there.length) take(next);
  };
}

/** What takes files of every kind in. */
export function useFiles(chat: Chat, draft: Draft, change: (next: Partial<Draft>) => void) {
  const addPictures = usePictures(draft.images, canSee(chat), (images) => change({ images }));
  const addTexts = useTexts(draft.files, (files) => change({ files }));
  const addAttachments = useAttachments(chat, draft.attachments, (attachments) => change({ attachments }));
  const isAttached = (file: File): boolean => attachmentKind(file) !== undefined || isOtherSound(file);
  return async (chosen: readonly File[]) => {
    await addTexts(chosen.filter((file) => isText(file) && !isAttached(file)));
    await addAttachments(chosen.filter(isAttached));
    await addPictures(chosen.filter((file) => !isText(file) && !isAttached(file)));
  };
}

const BYTES_PER_KB = 1024;

/** Kilobytes, and megabytes from one on. */
function sizeText(bytes: number): string {
  const kilobytes = bytes / BYTES_PER_KB;
  return kilobytes < BYTES_PER_KB
    ? `${formatNumber(Math.max(1, Math.round(kilobytes)))} KB`
    : `${formatDecimals(kilobytes / BYTES_PER_KB, 1)} MB`;
}

const ICONS = { pdf: IconFileTypePdf, audio: IconMusic } as const;

function FileChip({
  icon: Icon,
  name,
  side,
  onRemove,
}: {
  icon: TablerIcon;
  name: string;
  side: string;
  onRemove?: () => void;
}) {
  const { t } = useTranslation("playground");
  return (
    <li>
      <Icon size={15} stroke={1.5} aria-hidden />
      <span>{visible(name)}</span>
      <span className={styles.fileSide}>{side}</span>
      {onRemove && (
        <button type="button" aria-label={t("file.remove", { name })} onClick={onRemove}>
          <IconX size={12} stroke={2} aria-hidden />
        </button>
      )}
    </li>
  );
}

/** Files that were sent with a message. */
export function SentFiles({ files }: { files: readonly Attachment[] }) {
  const { t } = useTranslation("playground");
  return (
    <ul className={styles.files} aria-label={t("file.list")}>
      {files.map(({ kind, name, bytes, url }, index) => (
        <FileChip
          key={`${index} ${name}`}
          icon={ICONS[kind]}
          name={name}
          side={url === undefined ? t("attachment.notKept") : sizeText(bytes)}
        />
      ))}
    </ul>
  );
}

const without = <Value,>(list: readonly Value[], index: number): Value[] => list.filter((_, at) => at !== index);
const CHARACTERS_PER_TOKEN = 4;

/** What will be sent with the prompt, each file with its size and about how many tokens it is; below them what all of it may cost. */
export function Attached({
  chat,
  draft,
  change,
}: {
  chat: Chat;
  draft: Draft;
  change: (next: Partial<Draft>) => void;
}) {
  const { t } = useTranslation("playground");
  const { text, images, files, attachments } = draft;
  const side = (bytes: number, tokens: number): string =>
    t("attachment.size", { size: sizeText(bytes), count: tokens, formatted: formatNumber(tokens) });
  return (
    <>
      <Thumbnails images={images} onRemove={(index) => change({ images: without(images, index) })} />
      {files.length + attachments.length > 0 && (
        <>
          <ul className={styles.files} aria-label={t("file.list")}>
            {files.map((file, index) => (
              <FileChip
                key={`${index} ${file.name}`}
                icon={IconFileText}
                name={file.name}
                side={side(new Blob([file.text]).size, Math.ceil(file.text.length / CHARACTERS_PER_TOKEN))}
                onRemove={() => change({ files: without(files, index) })}
              />
            ))}
            {attachments.map(({ kind, name, bytes, tokens }, index) => (
              <FileChip
                key={`${index} ${name}`}
                icon={ICONS[kind]}
                name={name}
                side={side(bytes, tokens)}
                onRemove={() => change({ attachments: without(attachments, index) })}
              />
            ))}
          </ul>
          <Estimate chat={chat} prompt={withFiles(text.trim(), files)} attachments={attachments} />
        </>
      )}
    </>
  );
}

/** What the prompt with its files may cost. */
function Estimate({ chat, prompt, attachments }: { chat: Chat; prompt: string; attachments: Draft["attachments"] }) {
  const { t } = useTranslation("playground");
  const { quota_per_unit } = useStatus();
  const { current, offer } = chat;
  const all = readStoredJson(STORAGE.playgroundParameters);
  const priced = current.lanes.map((lane) => {
    const { entry, group, model } = offer.choiceOf(lane);
    const groupRatio = offer.groups.find(({ name }) => name === group)?.ratio ?? 1;
    return { entry, groupRatio, maxTokens: parametersOf(all, model).max_tokens };
  });
  const { tokens, usd, isWhole } = inputEstimate(current, prompt, priced, attachments);
  const words = t("file.tokens", { count: tokens, formatted: formatNumber(tokens) });
  if (!isWhole) return <p className={styles.estimate}>{words}</p>;
  const amount = formatQuota(usd * quota_per_unit, 4);
  return (
    <p className={styles.estimate}>
      {words} {t("file.price", { amount, tokens: GUESSED_TOKENS })}
    </p>
  );
}
