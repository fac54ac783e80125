/** Whether a picture shows what its state is named by: where it scrolled to, and the sign of what is late, failed or refused. */
import type { Page } from "playwright-core";
import type { GalleryPage } from "./gallery-page.ts";

const SAID = '[role="alert"]';
const BUSY = '[aria-busy="true"], [data-is-ghost], [data-is-loading]';

/** Selectors of which each must find something in the window. */
function signsOf({ name, answers = [], steps = [], shows }: GalleryPage): string[] {
  const scrolled = steps.findLast((step) => "scrollTo" in step);
  const isRefused = answers.some(({ answer }) => typeof answer === "string" && answer !== "never");
  const isLate = answers.some(({ answer }) => answer === "never") && name.endsWith("-loading");
  return [
    ...(scrolled === undefined || scrolled.isOptional === true ? [] : [scrolled.scrollTo]),
    ...(shows === undefined ? [...(isRefused ? [SAID] : []), ...(isLate ? [BUSY] : [])] : [shows]),
  ];
}

/** Runs in the page. What a scroller or the window cuts off does not count, and a line of it is enough. */
async function isAnyInWindow(elements: readonly Element[]): Promise<boolean> {
  const LEAST_PX = 12;
  const isInWindow = (element: Element) =>
    new Promise<boolean>((resolve) => {
      const observer = new IntersectionObserver(([entry]) => {
        observer.disconnect();
        if (entry === undefined) return resolve(false);
        const { boundingClientRect: whole, intersectionRect: seen } = entry;
        resolve(seen.width > 0 && seen.height > 0 && seen.height >= Math.min(whole.height, LEAST_PX));
      });
      observer.observe(element);
    });
  return (await Promise.all(elements.map(isInWindow))).includes(true);
}

/** Gives what the picture does not show. */
export async function missingIn(tab: Page, page: GalleryPage): Promise<string[]> {
  const missing: string[] = [];
  for (const sign of signsOf(page))
    if (!(await tab.locator(sign).evaluateAll(isAnyInWindow))) missing.push(`does not show ${sign}`);
  return missing;
}
