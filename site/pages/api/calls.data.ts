/** Names the pages of the API for the list of them. */
import { fileURLToPath } from "node:url";
import { apiPages } from "../../.vitepress/api-pages.ts";

const DOCUMENT = fileURLToPath(new URL("../../../docs/openapi.json", import.meta.url));

export default {
  watch: [DOCUMENT],
  load: () => apiPages(DOCUMENT).map(({ tag, title }) => ({ tag, title })),
};
