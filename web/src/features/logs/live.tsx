/** New entries: a button that counts and loads them, and a switch that has them come by themselves. */
import { Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconArrowUp } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { PlainButton } from "../../ui/plain.tsx";
import type { LogRow } from "./model/log-row.ts";
import { boundsOf } from "../../ui/time-range/range.ts";
import styles from "./logs.module.css";
import { type LogView, NEW_ROWS_MAX, newRowsQuery } from "./queries.ts";

/** Whether entries that come now belong to the view. */
const reachesNow = (view: LogView): boolean =>
  view.filters.request_id === undefined && (boundsOf(view.range, Date.now()).end ?? Infinity) >= Date.now() / 1000;

export interface LiveState {
  isLive: boolean;
  /** It was ended by a failure. */
  isStopped: boolean;
  setIsLive: (isLive: boolean) => void;
}

/** Whether the list follows; a question that failed since then ends it, and it rests where the newest page is not shown. */
export function useLive(isPossible: boolean): LiveState & { onFailure: (failedAtMs: number) => void } {
  const [state, setState] = useState<{ now: "off" | "on" | "stopped"; sinceMs: number }>({ now: "off", sinceMs: 0 });
  return {
    isLive: state.now === "on" && isPossible,
    isStopped: state.now === "stopped",
    setIsLive: (isLive) => setState({ now: isLive ? "on" : "off", sinceMs: Date.now() }),
    onFailure: (failedAtMs) => {
      if (state.now === "on" && failedAtMs > state.sinceMs) setState({ ...state, now: "stopped" });
    },
  };
}

/** Whether the view's first page shows what is newest. */
export const canFollow = (view: LogView, page: number): boolean => page === 1 && reachesNow(view);

interface LiveToolsProps {
  view: LogView;
  page: number;
  live: LiveState;
  onLoad: () => void;
}

interface NewRowsProps extends LiveToolsProps {
  /** The rows shown; undefined until they were loaded. */
  rows: readonly LogRow[] | undefined;
}

const newestOf = (rows: readonly LogRow[]): { id: number; atS: number } | undefined =>
  rows.length === 0
    ? undefined
    : { id: Math.max(...rows.map(({ id }) => id)), atS: Math.max(...rows.map(({ created_at }) => created_at)) };

/** Stands behind the last words of a line, which keeps its height. */
export function NewRows({ view, page, rows, live, onLoad }: NewRowsProps) {
  const { t } = useTranslation("logs");
  const isOn = rows !== undefined && !live.isLive && reachesNow(view) && page === 1;
  const { data: count = 0 } = useQuery(newRowsQuery(view, newestOf(rows ?? []), isOn));
  if (!isOn || count === 0) return null;
  return (
    <span className={styles.newPlace}>
      <PlainButton className={styles.newRows} onClick={onLoad}>
        <IconArrowUp size={14} stroke={1.5} aria-hidden />
        {count >= NEW_ROWS_MAX ? t("live.newMany", { count: NEW_ROWS_MAX }) : t("live.new", { count })}
      </PlainButton>
    </span>
  );
}

export function LiveTools({ live, view, page, onLoad }: LiveToolsProps) {
  const { t } = useTranslation("logs");
  return (
    <>
      <span role="status" className={styles.liveNote}>
        {live.isStopped && t("live.stopped")}
      </span>
      {canFollow(view, page) && (
        <Switch
          size="xs"
          className={styles.live ?? ""}
          label={t("live.switch")}
          checked={live.isLive}
          onChange={(event) => {
            live.setIsLive(event.currentTarget.checked);
            onLoad();
          }}
        />
      )}
    </>
  );
}
