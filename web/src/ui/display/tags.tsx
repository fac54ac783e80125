/** Small marks in tables: tags, ratio and response-time tags, status dots. A colour has one meaning. */
import type { ReactNode } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { formatDurationMs, formatRatio } from "../../lib/format.ts";
import styles from "./tags.module.css";

export type TagTone = "neutral" | "outline" | "accent" | "green" | "lime" | "amber" | "orange" | "red" | "blue";
export type DotTone = "green" | "amber" | "red" | "blue" | "idle";

/** A 20 px tag, whose text ends in dots where its place is narrower. `outline` is for groups; tinted tones for ratio, response time and log types other than usage. */
export function Tag({ tone = "neutral", children }: { tone?: TagTone; children: ReactNode }) {
  return (
    <span className={styles.tag} data-tone={tone}>
      <span className={styles.tagText}>{children}</span>
    </span>
  );
}

/** Tone of a ratio: green at 1 or below, blue above 1, orange above 3, red above 5. */
export function ratioTone(ratio: number): TagTone {
  if (ratio > 5) return "red";
  if (ratio > 3) return "orange";
  return ratio > 1 ? "blue" : "green";
}

export const RatioTag = ({ ratio }: { ratio: number }) => <Tag tone={ratioTone(ratio)}>{formatRatio(ratio)}</Tag>;

/** Tone of a response time in ms: green up to 1 s, lime up to 3 s, yellow up to 5 s, red above. */
function responseTone(ms: number): TagTone {
  if (ms <= 1000) return "green";
  if (ms <= 3000) return "lime";
  return ms <= 5000 ? "amber" : "red";
}

/** A channel's response time; 0 reads 'Not tested'. */
export function ResponseTag({ ms }: { ms: number }) {
  const { t } = useTranslation("ui");
  if (ms === 0) return <span className={styles.faint}>{t("notTested")}</span>;
  return <Tag tone={responseTone(ms)}>{formatDurationMs(ms)}</Tag>;
}

/**
 * A status: 7 px dot and plain text, never a filled tag. `idle` (disabled) is a ring.
 * @example <StatusDot tone="red" detail="529 at 15:28">Auto-disabled</StatusDot>
 */
export function StatusDot({ tone, detail, children }: { tone: DotTone; detail?: ReactNode; children: ReactNode }) {
  return (
    <span className={styles.status}>
      <span className={styles.dot} data-tone={tone} aria-hidden />
      <span>{children}</span>
      {detail && <span className={styles.detail}>{detail}</span>}
    </span>
  );
}

/** "Never", "Unlimited", "All models", 0 and –: faint, so that real values stand out. */
export const Faint = ({ children }: { children: ReactNode }) => <span className={styles.faint}>{children}</span>;
