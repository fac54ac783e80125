/** Composes the screenshots of a gallery into contact sheets: a row a page, a column a look. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { type Look, lookName } from "./look.ts";
import { pictureName } from "./pages.ts";
import type { GalleryPage } from "./gallery-page.ts";

const THUMBNAIL_WIDTH = 260;

/** Blank where a page is not shown in a look. */
function cell(folder: string, page: GalleryPage, look: Look): string {
  const file = join(folder, pictureName(page, look));
  if (!existsSync(file)) return "<td></td>";
  return `<td><img width="${THUMBNAIL_WIDTH}" src="data:image/png;base64,${readFileSync(file).toString("base64")}"></td>`;
}

function sheet(folder: string, pages: readonly GalleryPage[], looks: readonly Look[]): string {
  const head = looks.map((look) => `<th>${lookName(look)}</th>`).join("");
  const rows = pages.map(
    (page) => `<tr><th>${page.name}</th>${looks.map((look) => cell(folder, page, look)).join("")}</tr>`,
  );
  const style =
    "body{margin:12px;font:13px sans-serif;background:#888}td,th{padding:4px;vertical-align:top}img{display:block}";
  return `<style>${style}</style><table><tr><th></th>${head}</tr>${rows.join("")}</table>`;
}

/** Pictures are drawn in their own size before they are made small: with all of them in one document the browser dies. */
const ROWS_MAX = 25;

/** Writes the sheets `name-1.png`, `name-2.png` and so on beside the pictures, as many as their rows need. */
export async function writeContactSheets(
  browser: Browser,
  { folder, name }: { folder: string; name: string },
  pages: readonly GalleryPage[],
  looks: readonly Look[],
): Promise<void> {
  const width = 160 + looks.length * (THUMBNAIL_WIDTH + 10);
  for (let first = 0; first < pages.length; first += ROWS_MAX) {
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    await page.setContent(sheet(folder, pages.slice(first, first + ROWS_MAX), looks), { waitUntil: "load" });
    await page.screenshot({ path: join(folder, `${name}-${first / ROWS_MAX + 1}.png`), fullPage: true });
    await page.close();
  }
}
