/** The media in a task's result. The upstream wrote it, so every field is checked before it is used. Pure. */

/** A whole address, or a path of this site. */
const WHOLE_OR_OURS = /^(?:https?:\/\/|\/(?!\/))/i;

/**
 * An address that a player or a picture may have: of this site, or http(s). Undefined for anything else.
 * @param site origin of this page
 */
export function mediaAddress(text: unknown, site: string): string | undefined {
  if (typeof text !== "string" || !WHOLE_OR_OURS.test(text)) return undefined;
  return URL.parse(text, site)?.href;
}

/** The address of an image task's image; undefined while there is none, or none that a browser may fetch. */
export const pictureOf = ({ pictureUrl }: { pictureUrl: string }, site: string): string | undefined =>
  mediaAddress(pictureUrl, site);

/** The address of a video; undefined for any other kind of task, and while there is none. */
export const videoOf = (
  { platform, resultUrl }: { platform: string; resultUrl: string },
  site: string,
): string | undefined => (platform === "video" || platform === "mj" ? mediaAddress(resultUrl, site) : undefined);

/** The request of a video, and the API that makes it. */
export interface VideoFacts {
  /** Name of the wire format: `kling`. */
  vendor: string;
  /** Undefined where it is not known. */
  seconds: number | undefined;
  /** Such as 1280x720 or 16:9 1080p, then the vendor's quality; each may be missing. */
  details: readonly string[];
}

/** The facts of a video; undefined for any other kind of task. */
export function videoFactsOf({
  platform,
  properties,
}: {
  platform: string;
  properties: unknown;
}): VideoFacts | undefined {
  if (platform !== "video" || !isFields(properties)) return undefined;
  const seconds = Number(properties["seconds"]);
  return {
    vendor: textOf(properties["format"]),
    seconds: Number.isFinite(seconds) && seconds > 0 ? seconds : undefined,
    details: [textOf(properties["size"]), textOf(properties["mode"])].filter((text) => text !== ""),
  };
}

export interface Song {
  id: string;
  title: string;
  /** Style, as comma-separated words. */
  tags: string;
  /** Undefined where the upstream does not tell it. */
  seconds: number | undefined;
  audio: string | undefined;
  video: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function songOf(value: Fields, index: number, site: string): Song {
  const metadata = isFields(value["metadata"]) ? value["metadata"] : {};
  const seconds = Number(metadata["duration"]);
  return {
    id: textOf(value["id"]) || String(index),
    title: textOf(value["title"]),
    tags: textOf(metadata["tags"]) || textOf(value["tags"]),
    seconds: Number.isFinite(seconds) && seconds > 0 ? seconds : undefined,
    audio: mediaAddress(value["audio_url"], site),
    video: mediaAddress(value["video_url"], site),
  };
}

/** The songs of a task for music; none where its result is something else. */
export const songsOf = (data: unknown, site: string): Song[] =>
  Array.isArray(data)
    ? (data as unknown[])
        .filter(isFields)
        .map((song, index) => songOf(song, index, site))
        .filter(({ audio, title }) => audio !== undefined || title !== "")
    : [];

export interface Lyrics {
  title: string;
  text: string;
}

/** The words of a song, where that was asked for. */
export function lyricsOf(data: unknown): Lyrics | undefined {
  if (!isFields(data) || Array.isArray(data)) return undefined;
  const text = textOf(data["text"]);
  return text === "" ? undefined : { title: textOf(data["title"]), text };
}

/** "3:07". */
export const durationText = (seconds: number): string => {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};
