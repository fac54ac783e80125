/** Counts the presses of a person on the way to a goal, so that tests of journeys can bound them. */
import type { Locator } from "playwright-core";

export interface Presses {
  /** Clicks and Enters since the count began or was last restarted; what is typed is not counted. */
  count: () => number;
  restart: () => void;
  click: (target: Locator) => Promise<void>;
  /** Types into a field in place of what it holds, and presses Enter, which counts as one. */
  enter: (field: Locator, text: string) => Promise<void>;
}

/** A new count, from zero. Every press of a journey goes through it. */
export function countedPresses(): Presses {
  let presses = 0;
  return {
    count: () => presses,
    restart: () => void (presses = 0),
    async click(target) {
      presses += 1;
      await target.click();
    },
    async enter(field, text) {
      presses += 1;
      await field.fill(text);
      await field.press("Enter");
    },
  };
}
