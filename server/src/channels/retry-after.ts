/** How long an upstream wants to be left alone: the Retry-After header in its two forms, and the milliseconds that some vendors add. */

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const first = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? (value[0] ?? "") : (value ?? "");

const positive = (value: number): number => (Number.isFinite(value) && value > 0 ? value : 0);

/**
 * Milliseconds to wait, 0 where the upstream names none. `retry-after-ms` is OpenAI's and Azure's; Retry-After is seconds or a
 * date (RFC 9110, 10.2.3). `nowMs` is Unix milliseconds, against which a date is read.
 */
export function retryAfterMs(headers: Headers, nowMs: number): number {
  const exact = positive(Number(first(headers["retry-after-ms"])));
  if (exact > 0) return exact;
  const text = first(headers["retry-after"]).trim();
  if (text === "") return 0;
  const seconds = Number(text);
  return Number.isNaN(seconds) ? positive(Date.parse(text) - nowMs) : positive(seconds * 1000);
}
