/** The command palette of a page: opened by Ctrl/Cmd+K or the search button, loaded when first opened. */
import { useHotkeys } from "@mantine/hooks";
import { lazy, type ReactNode, Suspense, useState } from "react";

const CommandPalette = lazy(async () => ({ default: (await import("./command-palette.tsx")).CommandPalette }));

/** `place` goes somewhere into the page; while `isOffered` is false (a visitor) the keys do nothing. */
export function usePalette(isOffered = true): { open: () => void; place: ReactNode } {
  const [isOpen, setIsOpen] = useState<boolean>();
  useHotkeys([["mod+K", () => isOffered && setIsOpen((was) => !was)]], []);
  const place = (
    <Suspense fallback={null}>
      {isOpen !== undefined && <CommandPalette isOpen={isOpen} onClose={() => setIsOpen(false)} />}
    </Suspense>
  );
  return { open: () => setIsOpen(true), place };
}
