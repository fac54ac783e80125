/** Puts all pictures of a gallery on one sheet: a row a page, a column a look. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { type GalleryPage, type Look, pictureName } from "./pages.ts";

const THUMBNAIL_WIDTH = 260;

function cell(folder: string, page: GalleryPage, look: Look): string {
  const data = readFileSync(join(folder, pictureName(page, look))).toString("base64");
  return `<td><img width="${THUMBNAIL_WIDTH}" src="data:image/png;base64,${data}"></td>`;
}

function sheet(folder: string, pages: readonly GalleryPage[], looks: readonly Look[]): string {
  const head = looks.map(({ width, theme, language }) => `<th>${width} ${theme} ${language}</th>`).join("");
  const rows = pages.map(
    (page) => `<tr><th>${page.name}</th>${looks.map((look) => cell(folder, page, look)).join("")}</tr>`,
  );
  const style =
    "body{margin:12px;font:13px sans-serif;background:#888}td,th{padding:4px;vertical-align:top}img{display:block}";
  return `<style>${style}</style><table><tr><th></th>${head}</tr>${rows.join("")}</table>`;
}

/** Writes contact-sheet.png beside the pictures. */
export async function writeContactSheet(
  browser: Browser,
  folder: string,
  pages: readonly GalleryPage[],
  looks: readonly Look[],
): Promise<void> {
  const width = 120 + looks.length * (THUMBNAIL_WIDTH + 10);
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  await page.setContent(sheet(folder, pages, looks), { waitUntil: "load" });
  await page.screenshot({ path: join(folder, "contact-sheet.png"), fullPage: true });
  await page.close();
}
