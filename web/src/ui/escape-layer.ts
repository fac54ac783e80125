/** Which of the open dialogs and drawers Escape closes: the topmost alone, and one of them by each press. */
import { useLayoutEffect, useState } from "react";
import { createStore, useStore } from "../lib/store.ts";

interface Layer {
  zIndex: number;
}

const openLayers = createStore<readonly Layer[]>(() => []);
/** A press that has closed one must not reach the next, which is topmost before the press is over: React draws between two listeners. */
const handledEscapes = new WeakSet<KeyboardEvent>();

/** Of two on one level the later one is on top. */
const topOf = (layers: readonly Layer[]): Layer | undefined =>
  layers.reduce<Layer | undefined>((top, layer) => (layer.zIndex >= (top?.zIndex ?? 0) ? layer : top), undefined);

/**
 * Registers a dialog or drawer while it is open.
 * @param zIndex the level it is drawn on
 * @returns the properties of Mantine's `Modal.Root` and `Drawer.Root` that concern Escape
 */
export function useEscapeLayer(isOpen: boolean, zIndex: number) {
  const [layer] = useState<Layer>(() => ({ zIndex }));
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    openLayers.update((layers) => [...layers, layer]);
    return () => openLayers.update((layers) => layers.filter((each) => each !== layer));
  }, [isOpen, layer]);
  const closeOnEscape = useStore(openLayers, (layers) => topOf(layers) === layer);
  return { closeOnEscape, __handledEscapeEvents: handledEscapes };
}
