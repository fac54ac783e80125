/** The player at the foot of the studio: one sound at a time, and the ones before and after it. */
import { IconPlayerSkipBack, IconPlayerSkipForward, IconX } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { visible } from "../../../lib/names.ts";
import { IconButton, unlessOff } from "../../../ui/plain.tsx";
import type { Sound } from "./items.ts";
import styles from "./player.module.css";

interface PlayerProps {
  /** All that can be played, in the order of the gallery. */
  sounds: readonly Sound[];
  playing: Sound;
  onPlay: (sound: Sound) => void;
  onClose: () => void;
}

const icon = { size: 17, stroke: 1.5, "aria-hidden": true } as const;

export function Player({ sounds, playing, onPlay, onClose }: PlayerProps) {
  const { t } = useTranslation("tasks.studio");
  const audio = useRef<HTMLAudioElement>(null);
  const [failedId, setFailedId] = useState("");
  const index = sounds.findIndex(({ id }) => id === playing.id);
  const go = (by: number): void => {
    const next = sounds[index + by];
    if (next !== undefined) onPlay(next);
  };
  // Where the browser wants a press of its own, the control stands there paused.
  useEffect(() => void audio.current?.play().catch(() => undefined), [playing.id]);
  const title = visible(playing.title) || t("untitled");
  return (
    <section className={styles.player} aria-label={t("player.label")}>
      <p className={styles.title}>
        {title}
        {failedId === playing.id && <span role="alert"> {t("player.failed")}</span>}
      </p>
      <IconButton label={t("player.previous")} {...unlessOff(index <= 0, () => go(-1))}>
        <IconPlayerSkipBack {...icon} />
      </IconButton>
      <audio
        ref={audio}
        className={styles.audio}
        controls
        src={playing.address}
        aria-label={title}
        onEnded={() => go(1)}
        onError={() => setFailedId(playing.id)}
      />
      <IconButton label={t("player.next")} {...unlessOff(index >= sounds.length - 1, () => go(1))}>
        <IconPlayerSkipForward {...icon} />
      </IconButton>
      <IconButton label={t("player.close")} onClick={onClose}>
        <IconX {...icon} />
      </IconButton>
    </section>
  );
}
