/** Contents of the cells and cards of both logs. */
import { Tooltip } from "@mantine/core";
import { IconFileText, IconPhoto, IconPlayerPlay } from "@tabler/icons-react";
import { useState } from "react";
import { type TFunction, useTranslation } from "../../lib/i18n.ts";
import { formatDecimals, formatQuota } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { Copy } from "../../ui/display/copy.tsx";
import { Name } from "../../ui/display/name.tsx";
import { Progress } from "../../ui/display/progress.tsx";
import { Quota } from "../../ui/display/quota.tsx";
import { Faint, StatusDot, Tag } from "../../ui/display/tags.tsx";
import { Time } from "../../ui/display/time.tsx";
import { lyricsOf, pictureOf } from "./model/media.ts";
import {
  actionTone,
  codeLook,
  hasFailed,
  spentSeconds,
  spentTone,
  statusLook,
  type TaskRow,
} from "./model/task-row.ts";
import styles from "./tasks.module.css";

export type T = TFunction;

/** Dialogs that cells may open. */
export interface TaskActs {
  /** The text of one field in full. */
  onText: (title: string, text: string) => void;
  /** The row as JSON. */
  onRecord: (row: TaskRow) => void;
  onPicture: (row: TaskRow) => void;
  /** Its song or its film. */
  onPlay: (row: TaskRow) => void;
  onUser: (username: string) => void;
}

const None = () => <Faint>–</Faint>;

/** A word for each action; what no list knows stands as it was sent. */
export const actionText = (t: T, action: string): string => t(`action.${action}`, { defaultValue: action });
export const platformText = (t: T, platform: string): string => t(`platform.${platform}`, { defaultValue: platform });

/** Why it failed: our own reason in words, then the upstream's as it is. */
export const failText = (t: T, { failCode, failReason }: TaskRow): string =>
  [failCode === "" ? "" : t(`fail.${failCode}`, { defaultValue: failCode }), failReason].filter(Boolean).join(" ");

export const Moment = ({ atS }: { atS: number }) => (atS > 0 ? <Time atS={atS} as="full" /> : <None />);

/** Seconds with their tenths, minutes with their seconds, hours with their minutes: nothing longer than a cell. */
function spentText(t: T, seconds: number): string {
  if (seconds < MINUTES_FROM_S) return t("seconds", { formatted: formatDecimals(seconds, 1) });
  const whole = Math.round(seconds);
  const [large, small] = whole < HOUR_S ? [60, 1] : [HOUR_S, 60];
  const smaller = Math.floor((whole % large) / small);
  const unit = `${whole < HOUR_S ? "minutes" : "hours"}${smaller === 0 ? "Alone" : ""}`;
  return t(`spent.${unit}`, { large: Math.floor(whole / large), small: smaller });
}
const MINUTES_FROM_S = 100;
const HOUR_S = 3600;

/** Red above 60 seconds, green otherwise; how soon something failed is neither. */
export function Spent({ row }: { row: TaskRow }) {
  const { t } = useTranslation("tasks");
  const seconds = spentSeconds(row);
  if (seconds === undefined) return <Faint>{t("notAvailable")}</Faint>;
  return <Tag tone={hasFailed(row) ? "neutral" : spentTone(seconds)}>{spentText(t, seconds)}</Tag>;
}

export function ChannelTag({ row }: { row: TaskRow }) {
  const { t } = useTranslation("tasks");
  if (row.channelId === 0) return <None />;
  const name = `#${row.channelId} ${row.channelName}`.trim();
  return (
    <Copy text={String(row.channelId)} label={t("copyChannel", { channel: visible(name) })} isIconLate>
      <Tag tone="accent">
        #{row.channelId} <Name className={styles.channelName} text={row.channelName} />
      </Tag>
    </Copy>
  );
}

export function UserOf({ row, onUser }: { row: TaskRow } & Pick<TaskActs, "onUser">) {
  const { t } = useTranslation("tasks");
  if (row.username === "") return <None />;
  return (
    <Tooltip label={t("filterUser", { name: row.username })}>
      <button
        type="button"
        className={styles.textButton}
        aria-label={t("filterUser", { name: row.username })}
        onClick={() => onUser(row.username)}
      >
        <Name text={row.username} />
      </button>
    </Tooltip>
  );
}

export function ActionTag({ row }: { row: TaskRow }) {
  const { t } = useTranslation("tasks");
  return <Tag tone={actionTone(row.action)}>{visible(actionText(t, row.action))}</Tag>;
}

export function CodeTag({ row }: { row: TaskRow }) {
  const { t } = useTranslation("tasks");
  if (row.code === undefined) return <None />;
  const { tone, key } = codeLook(row.code);
  return <Tag tone={tone}>{t(`code.${key}`, { code: row.code })}</Tag>;
}

export function StatusOf({ row }: { row: TaskRow }) {
  const { t } = useTranslation("tasks");
  const { tone, key } = statusLook(row.status);
  return <StatusDot tone={tone}>{t(`status.${key}`)}</StatusDot>;
}

export function ProgressOf({ row }: { row: TaskRow }) {
  const { t } = useTranslation("tasks");
  const tone = hasFailed(row) ? "fault" : row.status === "SUCCESS" ? "done" : "running";
  return (
    <Progress
      // Upstreams report a failure as complete.
      percent={hasFailed(row) && row.progress === 100 ? 0 : row.progress}
      tone={tone}
      label={t("progressOf", { status: t(`status.${statusLook(row.status).key}`) })}
    />
  );
}

/** A click shows the whole record. */
export function TaskId({ row, onRecord }: { row: TaskRow } & Pick<TaskActs, "onRecord">) {
  const { t } = useTranslation("tasks");
  return (
    <Tooltip label={t("openRecord")}>
      <button type="button" className={styles.textButton} onClick={() => onRecord(row)}>
        {row.taskId === "" ? <Faint>{t("noId")}</Faint> : <code>{visible(row.taskId)}</code>}
      </button>
    </Tooltip>
  );
}

/** One line of a text; a click shows all of it. */
export function TextOf({
  text,
  title,
  tone,
  onText,
}: { text: string; title: string; tone?: "failure" } & Pick<TaskActs, "onText">) {
  if (text === "") return <None />;
  return (
    <button type="button" className={styles.textButton} data-tone={tone} onClick={() => onText(title, text)}>
      <bdi>{visible(text)}</bdi>
    </button>
  );
}

const isBack = ({ charge }: TaskRow): boolean => charge === "refunded" || charge === "refund_due";

/** The same for all rows, so that the column can be read down. */
const COST_DECIMALS = 4;

/** Its charge, and whether that was refunded. */
export function CostOf({ row }: { row: TaskRow }) {
  const { t } = useTranslation("tasks");
  if (row.quota === 0) return <Faint>{formatQuota(0, COST_DECIMALS)}</Faint>;
  return (
    <span className={styles.cost}>
      {isBack(row) && <Faint>{t(`charge.${row.charge}`)}</Faint>}
      <span className={isBack(row) ? styles.isBack : undefined}>
        <Quota quota={row.quota} decimals={COST_DECIMALS} />
      </span>
    </span>
  );
}

/** The same where there is no room for words: what went back is struck out. */
export function CostCell({ row }: { row: TaskRow }) {
  if (row.quota === 0 || !isBack(row)) return <CostOf row={row} />;
  return (
    <del className={styles.isBack}>
      <Quota quota={row.quota} decimals={COST_DECIMALS} />
    </del>
  );
}

/**
 * A small picture: of this site's own, and of the reader's own tasks. Of other people's tasks nothing is fetched from elsewhere before it is
 * asked for.
 */
function Thumbnail({ row }: { row: TaskRow }) {
  const { origin } = window.location;
  const address = pictureOf(row, origin);
  const [isLost, setIsLost] = useState(false);
  const isShown = address !== undefined && !isLost && (row.username === "" || address.startsWith(`${origin}/`));
  if (!isShown) return <IconPhoto size={15} stroke={1.5} aria-hidden />;
  return (
    <img
      className={styles.thumbnail}
      src={address}
      alt=""
      width={28}
      height={28}
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      onError={() => setIsLost(true)}
    />
  );
}

export function PictureButton({ row, onPicture }: { row: TaskRow } & Pick<TaskActs, "onPicture">) {
  const { t } = useTranslation("tasks");
  if (pictureOf(row, window.location.origin) === undefined) return <None />;
  return (
    <button type="button" className={styles.show} onClick={() => onPicture(row)}>
      <Thumbnail row={row} />
      {t("showPicture")}
    </button>
  );
}

/** Plays what there is to play, and opens what there is to read. */
export function ResultButton({
  row,
  kind,
  onPlay,
  onText,
}: { row: TaskRow; kind: "play" | "read" | undefined } & Pick<TaskActs, "onPlay" | "onText">) {
  const { t } = useTranslation("tasks");
  const lyrics = lyricsOf(row.data);
  if (kind === "read" && lyrics !== undefined)
    return (
      <button
        type="button"
        className={styles.show}
        onClick={() => onText(visible(lyrics.title) || t("result.lyrics"), lyrics.text)}
      >
        <IconFileText size={14} stroke={1.5} aria-hidden />
        {t("result.read")}
      </button>
    );
  if (kind !== "play") return <None />;
  return (
    <button type="button" className={styles.show} onClick={() => onPlay(row)}>
      <IconPlayerPlay size={14} stroke={1.5} aria-hidden />
      {t("result.play")}
    </button>
  );
}

/** Drawings that end in words, or only hand a picture over. */
const WITHOUT_PICTURE = new Set(["DESCRIBE", "SHORTEN", "UPLOAD"]);

/** Why a card of the studio has nothing to see or to hear; empty for a video, which is played when it is opened. */
export function useBlankText({
  film,
  isRunning,
  row,
}: {
  film: string | undefined;
  isRunning: boolean;
  row: TaskRow | undefined;
}): string {
  const { t } = useTranslation("tasks.studio");
  const { t: ofTasks } = useTranslation("tasks");
  if (film !== undefined) return "";
  if (row?.status === "MODAL") return t("windowWaits");
  if (isRunning) return t("notYet");
  if (row !== undefined && WITHOUT_PICTURE.has(row.action)) return actionText(ofTasks, row.action);
  return t("nothingMade");
}
