/** Makes one page of the API for each tag of docs/openapi.json. */
import { fileURLToPath } from "node:url";
import { apiPages } from "../../.vitepress/api-pages.ts";

const DOCUMENT = fileURLToPath(new URL("../../../docs/openapi.json", import.meta.url));

export default {
  paths: () => apiPages(DOCUMENT).map(({ tag, title, content }) => ({ params: { tag, title }, content })),
};
