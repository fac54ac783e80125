/** A point in time, relative or absolute, with the exact local time on hover. */
import { Tooltip } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { formatClock, formatDateTime, formatExact, formatWhen } from "../../lib/format.ts";

const TICK_MS = 15_000;

function useTick(isOn: boolean): void {
  const [, setTick] = useState(0);
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setInterval(() => setTick((tick) => tick + 1), TICK_MS);
    return () => clearInterval(timer);
  }, [isOn]);
}

/**
 * @param atS Unix seconds
 * @param as `when`: "2 min ago", later the date; `clock`: "15:32:41"; `full`: date and clock
 */
export function Time({ atS, as = "when" }: { atS: number; as?: "when" | "clock" | "full" }) {
  useTranslation();
  useTick(as === "when");
  const text = { when: formatWhen, clock: formatClock, full: formatDateTime }[as](atS);
  return (
    <Tooltip label={formatExact(atS)}>
      <time className="number" dateTime={new Date(atS * 1000).toISOString()}>
        {text}
      </time>
    </Tooltip>
  );
}
