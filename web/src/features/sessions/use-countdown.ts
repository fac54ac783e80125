/** A wait that a button shows: seconds until it may be pressed again. */
import { useEffect, useState } from "react";

const TICK_MS = 250;

/** `left` whole seconds, 0 at the end; `start` begins anew. By the clock, so that a tab that slept is right when it wakes. */
export function useCountdown(): { left: number; start: (seconds: number) => void } {
  const [endMs, setEndMs] = useState(0);
  const [nowMs, setNowMs] = useState(0);
  const left = Math.max(0, Math.ceil((endMs - nowMs) / 1000));
  const isRunning = left > 0;
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  const start = (seconds: number) => {
    setNowMs(Date.now());
    setEndMs(Date.now() + seconds * 1000);
  };
  return { left, start };
}
