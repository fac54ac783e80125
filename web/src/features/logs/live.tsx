/** New entries of the log: a button that counts and loads them, and a switch that loads them automatically. */
import { Switch } from "@mantine/core";
import { IconArrowUp } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { isAtTop } from "../../ui/data-table/endless-rows.tsx";
import { PlainButton } from "../../ui/plain.tsx";
import { boundsOf } from "../../ui/time-range/range.ts";
import type { LogRow } from "./model/log-row.ts";
import { LIVE_EVERY_MS, type LogView, NEW_ROWS_MAX, newRowsQuery } from "./queries.ts";
import styles from "./logs.module.css";

/** Whether entries that come now belong to the view. */
const reachesNow = (view: LogView): boolean =>
  view.filters.request_id === undefined && (boundsOf(view.range, Date.now()).end ?? Infinity) >= Date.now() / 1000;

interface LiveState {
  isLive: boolean;
  /** It was ended by a failure. */
  isStopped: boolean;
  setIsLive: (isLive: boolean) => void;
}

/**
 * Whether the list polls; a failed query ends it, and it pauses where entries that come now are not in view and while the tab is hidden.
 * @param load asks anew; called when it is time
 */
export function useLive(
  view: LogView,
  entry: string,
  load: () => void,
): LiveState & { onFailure: (failedAtMs: number) => void } {
  const [state, setState] = useState<{ now: "off" | "on" | "stopped"; sinceMs: number }>({ now: "off", sinceMs: 0 });
  const isLive = state.now === "on" && reachesNow(view);
  const tick = useEffectEvent(() => {
    if (document.visibilityState === "visible" && isAtTop(entry)) load();
  });
  useEffect(() => {
    if (!isLive) return undefined;
    const timer = setInterval(() => tick(), LIVE_EVERY_MS);
    return () => clearInterval(timer);
  }, [isLive]);
  return {
    isLive,
    isStopped: state.now === "stopped",
    setIsLive: (isLive) => setState({ now: isLive ? "on" : "off", sinceMs: Date.now() }),
    onFailure: (failedAtMs) => {
      if (state.now === "on" && failedAtMs > state.sinceMs) setState({ ...state, now: "stopped" });
    },
  };
}

interface LiveToolsProps {
  view: LogView;
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
export function NewRows({ view, rows, live, onLoad }: NewRowsProps) {
  const { t } = useTranslation("logs");
  const isOn = rows !== undefined && !live.isLive && reachesNow(view);
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

/** New entries: a button that counts and loads them, and a switch that has them come by themselves. */
export function LiveTools({ live, view, onLoad }: LiveToolsProps) {
  const { t } = useTranslation("logs");
  return (
    <>
      <span role="status" className={styles.liveNote}>
        {live.isStopped && t("live.stopped")}
      </span>
      {reachesNow(view) && (
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
