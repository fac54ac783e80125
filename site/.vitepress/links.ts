/** Reads documents as repositories show them: links lead to the pages of the site, what is no page becomes plain text, and checklists have boxes. */
import { posix } from "node:path";

/** Files beside the documents that the site hands out as they are, from the root, to their addresses. */
export const FILES: Readonly<Record<string, string>> = {
  "docs/openapi.json": "/openapi.json",
  "docs/config-schema.json": "/config-schema.json",
  "docs/screenshot.png": "/screenshot.png",
  "web/public/mark.svg": "/mark.svg",
};

/** The anchor of a heading as repositories make it, so that links lead to the same place there and on the site. */
export const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");

/**
 * Where a link of a document leads on the site: an address, or undefined for a file that the site does not have.
 * @param href as it stands in the document, @param source of the document from the root, @param rewrites of pages.ts
 */
export function addressOf(
  href: string,
  source: string,
  rewrites: Readonly<Record<string, string>>,
): string | undefined {
  if (/^[a-z]+:|^[/#]/.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  const target = posix.normalize(posix.join(posix.dirname(source), decodeURI(path)));
  const page = rewrites[target];
  const fragment = anchor === undefined ? "" : `#${anchor}`;
  return page === undefined ? FILES[target] : `/${page}${fragment}`;
}

/** The parts of a token of markdown-it that a link is made of. */
interface Token {
  type: string;
  content: string;
  children: Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

interface Environment {
  /** The page, and the document that it is made of. */
  path?: string;
  realPath?: string;
}

interface Parser {
  core: {
    ruler: { push(name: string, rule: (state: { tokens: Token[]; env: Environment }) => void): void };
  };
}

/** What links need to know of the site. */
export interface Targets {
  /** Of pages.ts. */
  rewrites: Readonly<Record<string, string>>;
  /** The title of a page, in place of the name of its document. */
  titleOf(page: string): string | undefined;
}

/** Rewrites the links of one line of text in place. Returns what is left of it. */
function rewriteLine(children: readonly Token[], source: string, { rewrites, titleOf }: Targets): Token[] {
  const kept: Token[] = [];
  let isDropped = false;
  for (const [index, token] of children.entries()) {
    if (token.type === "link_open") {
      const address = addressOf(token.attrGet("href") ?? "", source, rewrites);
      isDropped = address === undefined;
      const text = children[index + 1];
      const title = titleOf((address ?? "").replace(/^\/|#.*$/g, ""));
      if (text !== undefined && title !== undefined && /^[\w/-]+\.md$/.test(text.content)) text.content = title;
      if (address !== undefined) token.attrSet("href", address);
    }
    if (!isDropped || !token.type.startsWith("link_")) kept.push(token);
  }
  return kept;
}

/** A point of a checklist (`- [ ] …`) shows its box, as repositories show it. */
function showBox(item: Token | undefined, line: Token): void {
  const first = line.children?.[0];
  if (item?.type !== "list_item_open" || first?.content.startsWith("[ ] ") !== true) return;
  first.content = `☐ ${first.content.slice("[ ] ".length)}`;
  item.attrSet("class", "point");
}

/** A plugin of markdown-it. @param root of the repository, with a slash at its end */
export function leadLinks(parser: Parser, root: string, targets: Targets): void {
  parser.core.ruler.push("lead-links", ({ tokens, env }) => {
    const source = (env.realPath ?? env.path ?? "").slice(root.length);
    for (const [index, token] of tokens.entries()) {
      if (token.children === null) continue;
      token.children = rewriteLine(token.children, source, targets);
      showBox(tokens[index - 2], token);
    }
  });
}
