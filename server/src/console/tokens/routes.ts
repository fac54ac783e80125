/** Tokens over HTTP: thin, from parsed input to the service and back. */
import type { TokenRow } from "../../../../contract/src/features/tokens.ts";
import { TOKEN_SORTS } from "../../../../contract/src/features/tokens.ts";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "../../../../contract/src/query.ts";
import { defineHandlers, shownKey } from "../http/handlers.ts";
import type { Session } from "../http/handlers.ts";
import { sortingOf } from "../kit/lists.ts";
import {
  changeManyTokens,
  createTokens,
  deleteToken,
  listTokens,
  readToken,
  readTokens,
  searchKey,
  setTokenStatus,
  updateToken,
} from "./service.ts";
import { makeSetupLink, takeSetup } from "./setup-links.ts";
import type { TokenPage } from "./store.ts";

interface PageQuery {
  p: number;
  size?: number | undefined;
  page_size?: number | undefined;
  sort?: string | undefined;
  order?: string | undefined;
}

/** The page asked for: `size` or `page_size`, 1 to 100, 10 where they are below 1. */
function pageOf({ p, size, page_size, sort, order }: PageQuery, sizeWhereAbsent = DEFAULT_PAGE_SIZE): TokenPage {
  const wanted = size ?? page_size ?? sizeWhereAbsent;
  const limit = wanted < 1 ? DEFAULT_PAGE_SIZE : Math.min(wanted, MAX_PAGE_SIZE);
  return { ...sortingOf({ sort, order }, TOKEN_SORTS), offset: (p - 1) * limit, limit };
}

const shownPage = (
  session: Session,
  { tokens, total }: { tokens: TokenRow[]; total: number },
  { offset, limit }: TokenPage,
) => ({
  data: {
    items: tokens.map((token) => shownKey(session, token)),
    total,
    page: offset / limit + 1,
    page_size: limit,
  },
});

async function* inOnePiece(text: string): AsyncGenerator<string> {
  yield text;
}

export const tokensHandlers = defineHandlers("tokens", {
  async listTokens({ context, session, query }) {
    const { status, group } = query;
    const page = pageOf(query);
    return shownPage(session, await listTokens(context, { userId: session.user.id, status, group }, page), page);
  },
  async searchTokens({ context, session, query }) {
    const { keyword, status, group, token } = query;
    const key = token === undefined ? undefined : searchKey(context, token);
    const page = pageOf(query, MAX_PAGE_SIZE);
    const found = await listTokens(context, { userId: session.user.id, keyword, key, status, group }, page);
    return shownPage(session, found, page);
  },
  async getToken({ context, session, params }) {
    return { data: shownKey(session, await readToken(context, session.user.id, params.id)) };
  },
  async createToken({ context, session, body }) {
    const created = await createTokens(context, session.user, body);
    const [first] = created;
    if (first === undefined) throw new Error("No token was made");
    return { data: first, extra: { tokens: created } };
  },
  async updateToken({ context, session, query, body }) {
    const userId = session.user.id;
    if (query.status_only) return { data: await setTokenStatus(context, userId, body.id, body.status) };
    return { data: await updateToken(context, session.user, body) };
  },
  async deleteToken({ context, session, params }) {
    await deleteToken(context, session.user.id, params.id);
    return {};
  },
  async createSetupLink({ context, session, params, body, request }) {
    return { data: await makeSetupLink(context, session.user.id, { tokenId: params.id, ...body }, request) };
  },
  async fetchSetup({ context, params, request }) {
    const script = await takeSetup(context, params.code, request);
    return { stream: inOnePiece(script), headers: { "Cache-Control": "no-store" } };
  },
  async getTokenKeys({ context, session, body }) {
    const rows = await readTokens(context, session.user.id, body.ids);
    const keys = rows.map((row) => shownKey(session, row)).map(({ id, key }) => [String(id), key] as const);
    return { data: { keys: Object.fromEntries(keys) } };
  },
  async batchTokens({ context, session, body }) {
    return { data: await changeManyTokens(context, session.user.id, body) };
  },
});
