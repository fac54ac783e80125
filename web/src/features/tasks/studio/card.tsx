/** One result as a card of the gallery: the picture, the video or the songs, its prompt, its progress and its cost. */
import {
  IconAlertCircle,
  IconMicrophone,
  IconMovie,
  IconMusic,
  IconPhoto,
  IconPlayerPlayFilled,
} from "@tabler/icons-react";
import { memo, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { visible } from "../../../lib/names.ts";
import { Time } from "../../../ui/display/time.tsx";
import { Spinner } from "../../../ui/plain.tsx";
import { CostOf, failText, useBlankText } from "../cells.tsx";
import { durationText } from "../model/media.ts";
import { statusLook } from "../model/task-row.ts";
import type { Item, Sound } from "./items.ts";
import styles from "./studio.module.css";

const ICONS = { picture: IconPhoto, song: IconMusic, speech: IconMicrophone, film: IconMovie } as const;
const icon = { size: 22, stroke: 1.5, "aria-hidden": true } as const;

export interface CardActs {
  onOpen: (item: Item) => void;
  onPlay: (sound: Sound) => void;
}

/** The picture, loaded as it comes into sight. */
function Thumbnail({ item }: { item: Item }) {
  const { t } = useTranslation("tasks.studio");
  const [hasFailed, setHasFailed] = useState(false);
  const blankText = useBlankText(item);
  if (item.picture === undefined || hasFailed) {
    const Icon = ICONS[item.kind];
    const text = hasFailed ? t("notShown") : blankText;
    return (
      <span className={styles.blank}>
        <Icon {...icon} />
        {text !== "" && <span>{text}</span>}
      </span>
    );
  }
  return (
    <img
      className={styles.picture}
      src={item.picture}
      alt={visible(item.prompt) || t("kind.picture")}
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      onError={() => setHasFailed(true)}
    />
  );
}

function Progressing({ item }: { item: Item }) {
  const { t } = useTranslation("tasks.studio");
  const { t: ofTasks } = useTranslation("tasks");
  const percent = item.row?.progress ?? 0;
  const status = ofTasks(`status.${statusLook(item.row?.status ?? "").key}`);
  return (
    <span className={styles.blank} role="status">
      <Spinner />
      <span>{t("making", { status, percent })}</span>
      <span className={styles.bar} aria-hidden>
        <span style={{ width: `${percent}%` }} />
      </span>
    </span>
  );
}

function Failure({ item }: { item: Item }) {
  const { t } = useTranslation("tasks");
  return (
    <span className={styles.failed}>
      <IconAlertCircle size={18} stroke={1.5} aria-hidden />
      <span>{(item.row && failText(t, item.row)) || t("status.failure")}</span>
    </span>
  );
}

function Sounds({ item, onPlay }: { item: Item; onPlay: CardActs["onPlay"] }) {
  const { t } = useTranslation("tasks.studio");
  const Icon = ICONS[item.kind];
  return (
    <div className={styles.sounds}>
      <Icon {...icon} />
      {item.sounds.map((sound) => {
        const title = visible(sound.title) || t("untitled");
        const length = sound.seconds === undefined ? "" : durationText(sound.seconds);
        return (
          <button
            key={sound.id}
            type="button"
            className={styles.sound}
            aria-label={[t("play", { title }), length].join(" ").trim()}
            disabled={sound.address === undefined}
            onClick={() => onPlay(sound)}
          >
            <IconPlayerPlayFilled size={14} aria-hidden />
            <span>{title}</span>
            {length !== "" && <span> {length}</span>}
          </button>
        );
      })}
    </div>
  );
}

/** How they begin; all of them are in the opened card. */
const Lyrics = ({ words }: { words: string }) => (
  <span className={styles.lyrics}>
    <bdi>{visible(words)}</bdi>
  </span>
);

/** The upper part of a card. */
function Media({ item, onPlay }: { item: Item; onPlay: CardActs["onPlay"] }) {
  if (item.hasFailed) return <Failure item={item} />;
  if (item.isRunning && item.picture === undefined) return <Progressing item={item} />;
  if (item.sounds.length > 0) return <Sounds item={item} onPlay={onPlay} />;
  if (item.words !== "") return <Lyrics words={item.words} />;
  return <Thumbnail item={item} />;
}

export const Card = memo(({ item, onOpen, onPlay }: { item: Item } & CardActs) => {
  const { t } = useTranslation("tasks.studio");
  const name = visible(item.prompt) || t(`kind.${item.kind}`);
  return (
    <li className={styles.card} data-kind={item.kind}>
      <div className={styles.media}>
        <Media item={item} onPlay={onPlay} />
      </div>
      <button type="button" className={styles.open} aria-label={t("open", { name })} onClick={() => onOpen(item)}>
        <span className={styles.words}>{name}</span>
      </button>
      <p className={styles.foot}>
        <span className={`mono ${styles.model}`}>{visible(item.model)}</span>
        <Time atS={item.atS} />
        {item.row !== undefined && item.row.quota > 0 && <CostOf row={item.row} />}
      </p>
    </li>
  );
});
Card.displayName = "Card";
