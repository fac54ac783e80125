/** Composes all screenshots of a gallery into contact sheets: a row a page, a column a look. */
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

/** Writes the sheet `name` beside the pictures. */
export async function writeContactSheet(
  browser: Browser,
  { folder, name }: { folder: string; name: string },
  pages: readonly GalleryPage[],
  looks: readonly Look[],
): Promise<void> {
  const width = 160 + looks.length * (THUMBNAIL_WIDTH + 10);
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  await page.setContent(sheet(folder, pages, looks), { waitUntil: "load" });
  await page.screenshot({ path: join(folder, name), fullPage: true });
  await page.close();
}
