/** Requests of the command palette to turn a switch of the settings page: the page turns its own, with its own questions, and nothing is stored by itself. */
import { createStore, useStore } from "../../lib/store.ts";

interface Turn {
  /** Name of the option. */
  option: string;
  /** How its switch is to stand. */
  isOn: boolean;
}

// Not in the address: a link from another person must not prepare a change.
const asked = createStore<Turn | undefined>(() => undefined);

/** Has the settings page turn a switch once its field stands there. */
export const askToTurn = (option: string, isOn: boolean): void => asked.set({ option, isOn });

/** The request, for the page that shows the options. */
export const useAskedTurn = (): Turn | undefined => useStore(asked);

/** How the switch of this option is to stand, once; undefined where nothing is asked of it. */
export function takeTurn(option: string): boolean | undefined {
  const turn = asked.get();
  if (turn?.option !== option) return undefined;
  asked.set(undefined);
  return turn.isOn;
}
