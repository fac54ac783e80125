/**
 * Notices to an iPhone by Bark (https://github.com/Finb/bark-server/blob/master/docs/API_V2.md). The address is either that of a device, which
 * takes JSON, or a template with {{title}} and {{content}}, as sites of this API family write it, which is called by GET. An answer has `code` 200.
 */
import { postJson, refusalByCode, type WayDefinition } from "./way.ts";

const PLACEHOLDER = /\{\{(title|content)\}\}/g;
const GOOD = 200;
/** Text of a template stands in the address: servers take about 8 KB of it, and a letter takes up to 9 bytes there. */
const TEMPLATE_TEXT_MAX = 700;

const isTemplate = (url: string): boolean => url.search(PLACEHOLDER) !== -1;

export const bark: WayDefinition<"bark"> = {
  check({ bark_url: url }) {
    const path = URL.parse(url)?.pathname ?? "";
    if (path.length > 1) return undefined;
    return {
      field: "bark_url",
      message: "The address has to contain the key of the device, such as https://api.day.app/key",
    };
  },
  request({ title, text }, { bark_url: url }) {
    if (!isTemplate(url)) return postJson(url.replace(/\/+$/, ""), { title, body: text });
    const filled = url.replaceAll(PLACEHOLDER, (_, name: string) =>
      encodeURIComponent((name === "title" ? title : text).slice(0, TEMPLATE_TEXT_MAX).toWellFormed()),
    );
    return { method: "GET", url: filled, headers: {}, body: "" };
  },
  refusal: refusalByCode("code", "message", GOOD),
};
