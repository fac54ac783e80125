/** The result of a task: audio, pictures, video or text. Players load nothing before play is pressed. */
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { visible } from "../../lib/names.ts";
import { Faint } from "../../ui/display/tags.tsx";
import { durationText, lyricsOf, type Song, songsOf, videoOf } from "./model/media.ts";
import type { TaskRow } from "./model/task-row.ts";
import styles from "./tasks.module.css";

const site = (): string => window.location.origin;

/** How there is something in the row's result; undefined for nothing. */
export function resultKind(row: TaskRow): "play" | "read" | undefined {
  const { data } = row;
  if (videoOf(row, site()) !== undefined) return "play";
  if (songsOf(data, site()).some(({ audio }) => audio !== undefined)) return "play";
  return lyricsOf(data) === undefined ? undefined : "read";
}

function SongOf({ song }: { song: Song }) {
  const { t } = useTranslation("tasks");
  const title = visible(song.title) || t("song.untitled");
  return (
    <li className={styles.song}>
      <p className={styles.songHead}>
        <bdi className={styles.songTitle}>{title}</bdi>
        {song.seconds !== undefined && <Faint>{durationText(song.seconds)}</Faint>}
      </p>
      {song.tags !== "" && <p className={styles.songTags}>{visible(song.tags)}</p>}
      {song.audio === undefined ? (
        <Faint>{t("song.waiting")}</Faint>
      ) : (
        <audio className={styles.player} controls preload="none" src={song.audio} aria-label={title} />
      )}
      {song.video !== undefined && (
        <a className={styles.songLink} href={song.video} target="_blank" rel="noreferrer">
          {t("song.video")}
        </a>
      )}
    </li>
  );
}

export function Songs({ data }: { data: unknown }) {
  const { t } = useTranslation("tasks");
  const songs = songsOf(data, site());
  if (songs.length === 0) return null;
  return (
    <ul className={styles.songs} aria-label={t("result.songs")}>
      {songs.map((song) => (
        <SongOf key={song.id} song={song} />
      ))}
    </ul>
  );
}

/** A video that cannot be played from here is still there for the token that asked for it. */
export function VideoOf({ row }: { row: TaskRow }) {
  const { t } = useTranslation("tasks");
  const [hasFailed, setHasFailed] = useState(false);
  const address = videoOf(row, site());
  if (address === undefined) return null;
  if (hasFailed)
    return (
      <p className={styles.notPlayed} role="alert">
        {t("video.failed", { path: `/v1/videos/${row.taskId}/content` })}
      </p>
    );
  return (
    <video
      className={styles.video}
      controls
      preload="none"
      src={address}
      aria-label={visible(row.prompt) || t("result.video")}
      onError={() => setHasFailed(true)}
    />
  );
}

export function LyricsOf({ data }: { data: unknown }) {
  const lyrics = lyricsOf(data);
  if (lyrics === undefined) return null;
  return (
    <div className={styles.lyrics}>
      {lyrics.title !== "" && <h3 className={styles.songTitle}>{visible(lyrics.title)}</h3>}
      <pre className={styles.words} tabIndex={0}>
        {visible(lyrics.text)}
      </pre>
    </div>
  );
}
