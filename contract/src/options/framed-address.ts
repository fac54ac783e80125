/** Recognises operators' texts that are an address to be shown in a frame. */

/** The URL to show in a frame, where the whole text is one https URL; undefined otherwise. */
export function framedAddressOf(text: string): URL | undefined {
  const trimmed = text.trim();
  if (!/^https:\/\/\S+$/i.test(trimmed)) return undefined;
  return URL.parse(trimmed) ?? undefined;
}
