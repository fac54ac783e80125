/** An important sentence, shown in its place on the page. */
import { IconAlertCircle, IconAlertTriangle, IconInfoCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import styles from "./notice.module.css";

const ICONS = { amber: IconAlertTriangle, red: IconAlertCircle, blue: IconInfoCircle } as const;

export function Notice({ tone, children }: { tone: keyof typeof ICONS; children: ReactNode }) {
  const Icon = ICONS[tone];
  return (
    <div className={styles.notice} data-tone={tone} role={tone === "blue" ? "note" : "alert"}>
      <Icon size={16} stroke={1.5} aria-hidden />
      <span>{children}</span>
    </div>
  );
}
