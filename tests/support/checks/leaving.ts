/** Logging out of the console in a browser, and the playground data that remains in it. */
import type { Page } from "playwright-core";
import { logInOn } from "../systems/browser.ts";

export async function startLeaving(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("menuitem", { name: "Log out" }).click();
}

export const leave = (page: Page): Promise<void> =>
  page.getByRole("dialog").getByRole("button", { name: "Log out" }).click();

export const atLogin = (page: Page): Promise<void> => page.waitForURL(/\/login/);

/** Logs in on the same browser and opens the playground. */
export async function enterPlayground(page: Page, url: string, username: string, password: string): Promise<void> {
  await logInOn(page, url, username, password);
  await page.goto(`${url}/playground`);
  await page.locator("textarea").last().waitFor();
}

/** The conversations in the browser's database, as JSON. */
export const keptChats = (page: Page): Promise<string> =>
  page.evaluate(
    () =>
      new Promise<string>((resolve, reject) => {
        const opening = indexedDB.open("turnpike_playground");
        opening.addEventListener("error", () => reject(opening.error));
        opening.addEventListener("success", () => {
          const all = opening.result.transaction("conversations").objectStore("conversations").getAll();
          all.addEventListener("success", () => {
            opening.result.close();
            resolve(JSON.stringify(all.result));
          });
        });
      }),
  );
