/** A simulated user of the console, with the keyboard of a desk or a finger on a phone, in one of its languages. */
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { DESK, type Look } from "../systems/browser.ts";
import { type Texts, textsOf } from "./texts.ts";

const FILES = [
  "channels",
  "channel-editor",
  "channel-impact",
  "channel-keys",
  "health",
  "routing",
  "logs",
  "ui",
] as const;

export interface Operator {
  isDesk: boolean;
  t: Texts;
  /** By `key` on a desk, by touch on a phone. */
  press(target: Locator, key?: "Enter" | "Space"): Promise<void>;
  button(name: string | RegExp): Locator;
  /** The one on top. */
  dialog(): Locator;
  inDialog(name: string | RegExp): Locator;
  dialogsClosed(): Promise<void>;
  /** The row of a list, or its card on a phone, that has this text. */
  row(name: string): Locator;
  /** Takes an item of a row's menu. */
  pick(about: string, item: string): Promise<void>;
  /** On a phone they lie over the feet of drawers. */
  closeToasts(): Promise<void>;
  /** Sends the form of a drawer. */
  submit(): Promise<void>;
}

/** @param page what is open now */
export function operatorAt({ size, language }: Pick<Look, "size" | "language">, page: () => Page): Operator {
  const isDesk = size === DESK;
  const t = textsOf(language, ...FILES);
  const button = (name: string | RegExp) => page().getByRole("button", { name, exact: true });
  const dialog = () => page().getByRole("dialog").last();
  const press = async (target: Locator, key = "Enter"): Promise<void> => {
    // What a switch draws lies over its box.
    if (!isDesk) return target.tap({ force: key === "Space" });
    await target.focus();
    await page().keyboard.press(key);
  };
  const closeToasts = async (): Promise<void> => {
    const toasts = page().getByRole("region", { name: t("ui:toasts") });
    const close = toasts.getByRole("button", { name: t("ui:dismiss") });
    await close.evaluateAll((buttons: HTMLElement[]) => buttons.forEach((each) => each.click()));
  };
  return {
    isDesk,
    t,
    press,
    button,
    dialog,
    inDialog: (name) => dialog().getByRole("button", { name, exact: true }),
    dialogsClosed: () => expect.poll(() => page().getByRole("dialog").count()).toBe(0),
    row: (name) =>
      page()
        .locator(isDesk ? "tbody tr" : "ul[aria-label] > li")
        .filter({ has: page().getByText(name, { exact: true }) }),
    async pick(about, item) {
      await press(button(t("ui:rowActions", { name: about })));
      await press(page().getByRole("menuitem", { name: item, exact: true }));
    },
    closeToasts,
    async submit() {
      if (isDesk) return page().keyboard.press("Control+Enter");
      await closeToasts();
      await dialog().locator("button[type=submit]").tap();
    },
  };
}
