/** Checks that an image part holds an image: documents and videos count as many times its tokens; part of the hub. */
import type { MediaSource } from "./neutral.ts";

/** Behind the name of the field, for the client. */
export const NO_PICTURE = "must be a picture, of a media type that begins with image/: send anything else as a file";

/** An address may be of anything until it was fetched. */
export const isPicture = (source: MediaSource): boolean =>
  source.kind === "url" || source.mimeType.trim().toLowerCase().startsWith("image/");
