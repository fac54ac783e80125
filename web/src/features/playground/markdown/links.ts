/** Which addresses of a model's answer may be followed, and which pictures may be shown at once. Pure but for the page's own origin. */

/**
 * The address of a link that may stand in an answer; undefined where it may not. Only other sites and mail: what a model writes must
 * not lead to a page or a call of this console.
 */
export function linkOf(href: string | undefined, origin: string = location.origin): string | undefined {
  const url = href === undefined ? null : URL.parse(href);
  if (url === null) return undefined;
  if (url.protocol === "mailto:") return url.href;
  const isWeb = url.protocol === "https:" || url.protocol === "http:";
  return isWeb && url.origin !== origin ? url.href : undefined;
}

/** Pictures that are in the answer itself; none of these types can hold a script or ask for anything. */
const INLINE_PICTURE = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=\s]+$/;

export type PictureSource = { kind: "inline"; src: string } | { kind: "remote"; src: string; host: string };

/** A picture that can be shown: at once, or on request; undefined for other links. */
export function pictureOf(src: string | undefined, origin: string = location.origin): PictureSource | undefined {
  if (src === undefined) return undefined;
  if (INLINE_PICTURE.test(src)) return { kind: "inline", src };
  const address = linkOf(src, origin);
  const url = address === undefined ? null : URL.parse(address);
  return url === null || url.protocol === "mailto:" ? undefined : { kind: "remote", src: url.href, host: url.host };
}
