/** Tokens over HTTP: thin, from parsed input to the service and back. */
import type { TokenSort } from "../../../../contract/src/features/tokens.ts";
import { TOKEN_SORTS } from "../../../../contract/src/features/tokens.ts";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "../../../../contract/src/query.ts";
import { defineHandlers } from "../http/handlers.ts";
import { totalHeader } from "../http/total-header.ts";
import { changeManyTokens } from "./batch.ts";
import { createTokens, deleteToken, listTokens, readToken, searchKey, setTokenStatus, updateToken } from "./service.ts";
import type { TokenPage } from "./store.ts";

const sortOf = (text: string | undefined): TokenSort => TOKEN_SORTS.find((sort) => sort === text) ?? "id";

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
  return { sort: sortOf(sort), isDescending: order !== "asc", offset: p * limit, limit };
}

export const tokensHandlers = defineHandlers("tokens", {
  async listTokens({ context, session, query }) {
    const { status, group } = query;
    const found = await listTokens(context, { userId: session.user.id, status, group }, pageOf(query));
    return { data: found.tokens, headers: totalHeader(found.total) };
  },
  async searchTokens({ context, session, query }) {
    const { keyword, status, group, token } = query;
    const key = token === undefined ? undefined : searchKey(context, token);
    const found = await listTokens(
      context,
      { userId: session.user.id, keyword, key, status, group },
      pageOf(query, MAX_PAGE_SIZE),
    );
    return { data: found.tokens, headers: totalHeader(found.total) };
  },
  async getToken({ context, session, params }) {
    return { data: await readToken(context, session.user.id, params.id) };
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
  async batchTokens({ context, session, body }) {
    return { data: await changeManyTokens(context, session.user.id, body) };
  },
});
