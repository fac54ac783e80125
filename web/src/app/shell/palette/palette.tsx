/** The command palette of a page: opened by Ctrl/Cmd+K or the search button, loaded when first opened; keys typed meanwhile are buffered. */
import { useHotkeys } from "@mantine/hooks";
import { lazy, type ReactNode, Suspense, useCallback, useRef, useState } from "react";
import { loadTexts } from "../../../lib/i18n.ts";

/** After this time the palette has failed to open, and keys go to the page again. */
const LIMIT_MS = 10_000;

interface EarlyKeys {
  /** Stops collecting and returns the typed text. */
  take: () => string;
}

/** Starts to collect printable keys; none of them reaches the page below. */
function collectKeys(): EarlyKeys {
  let text = "";
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Backspace") text = text.slice(0, -1);
    else if (event.key.length === 1) text += event.key;
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const end = () => window.removeEventListener("keydown", onKeyDown, true);
  const timer = setTimeout(end, LIMIT_MS);
  window.addEventListener("keydown", onKeyDown, true);
  return {
    take: () => {
      clearTimeout(timer);
      end();
      const taken = text;
      text = "";
      return taken;
    },
  };
}

const CommandPalette = lazy(async () => {
  const [part] = await Promise.all([import("./command-palette.tsx"), loadTexts("palette")]);
  return { default: part.CommandPalette };
});

/** `place` must be rendered somewhere in the page. While `isOffered` is false (a visitor), the shortcut does nothing. */
export function usePalette(isOffered = true): { open: () => void; place: ReactNode } {
  const [isOpen, setIsOpen] = useState<boolean>();
  const early = useRef<EarlyKeys>(undefined);
  const takeEarly = useCallback(() => {
    const text = early.current?.take() ?? "";
    early.current = undefined;
    return text;
  }, []);
  const open = () => {
    takeEarly();
    early.current = collectKeys();
    setIsOpen(true);
  };
  const close = () => {
    takeEarly();
    setIsOpen(false);
  };
  useHotkeys([["mod+K", () => isOffered && (isOpen === true ? close() : open())]], []);
  const place = (
    <Suspense fallback={null}>
      {isOpen !== undefined && <CommandPalette isOpen={isOpen} takeEarly={takeEarly} onClose={close} />}
    </Suspense>
  );
  return { open, place };
}
