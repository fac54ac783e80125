/** One part of the page, or why it is not there; and how bytes and facts are written. */
import type { ReactNode } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { formatDecimals } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { Notice } from "../../ui/feedback/notice.tsx";
import { Time } from "../../ui/display/time.tsx";
import { Faint } from "../../ui/display/tags.tsx";

/** Why a part is not there, with what to do. */
export function PartFailure({ failure }: { failure: string }) {
  const { t } = useTranslation("system");
  return <Notice tone="amber">{failure === "late" ? t("late") : t("failed", { reason: visible(failure) })}</Notice>;
}

/** @example <Part part={facts.disk}>{(disk) => …}</Part> */
export function Part<Data>({
  part: { data, failure },
  children,
}: {
  part: { data: Data | null; failure: string };
  children: (data: Data) => ReactNode;
}) {
  return data === null ? <PartFailure failure={failure} /> : children(data);
}

/** Engines of databases by their names in answers. */
export const ENGINES: Readonly<Record<string, string>> = {
  sqlite: "SQLite",
  postgres: "PostgreSQL",
  mysql: "MySQL / MariaDB",
  clickhouse: "ClickHouse",
};

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** `12.3 MiB`. */
export function formatBytes(bytes: number): string {
  const step = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${formatDecimals(bytes / 1024 ** step, step === 0 ? 0 : 1)} ${UNITS[step] ?? "B"}`;
}

/** A time, or that there is none. @param atS Unix seconds, 0 for none */
export function TimeOrNone({ atS }: { atS: number }) {
  const { t } = useTranslation("system");
  return atS === 0 ? <Faint>{t("never")}</Faint> : <Time atS={atS} />;
}
