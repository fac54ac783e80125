/** HTTP handlers of the route explainer: for a described call, or for a past one by its log row. */
import type { Selectable } from "kysely";
import { z } from "zod";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import {
  OUT_LISTED_MAX,
  type PastRoute,
  pastTry,
  type RouteExplanation,
  type routeQuestion,
} from "../../../../contract/src/features/routing.ts";
import { integerOf } from "../../../../contract/src/query.ts";
import { readSkipReason } from "../../../../contract/src/receipt-codes.ts";
import { receiptShorthand } from "../../billing/shorthand.ts";
import type { Database } from "../../db/database.ts";
import { isOfRequest } from "../../db/log-order.ts";
import type { LogTable } from "../../db/schema.ts";
import type { SnapshotToken, SnapshotUser } from "../../snapshot/snapshot.ts";
import { type ConsoleContext, defineHandlers } from "../http/handlers.ts";
import { callersFor } from "./callers.ts";

/** Id of the user with this name; undefined where there is none. */
async function findUserId({ kysely }: Database, username: string): Promise<number | undefined> {
  const query = kysely.selectFrom("users").select("id").where("username", "=", username);
  return (await query.where("deleted_at", "is", null).executeTakeFirst())?.id;
}

/** The newest row of the call with this request id; undefined where it has none. */
function findCall({ logs }: Database, requestId: string): Promise<Selectable<LogTable> | undefined> {
  return logs.kysely
    .selectFrom("logs")
    .selectAll()
    .where((builder) => isOfRequest(logs, builder, requestId))
    .where("type", "in", [LOG_TYPE.consumption, LOG_TYPE.error])
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
}

type Question = z.output<typeof routeQuestion>;

const missing = (field: string, message: string): AppError => new AppError("not_found", { field, message });

async function userOf({ database, snapshot }: ConsoleContext, text: string): Promise<SnapshotUser> {
  const named = await findUserId(database, text);
  const id = named ?? (/^\d+$/.test(text) ? (integerOf(text) ?? 0) : 0);
  const user = snapshot.userById(id);
  if (user === undefined || user.isDeleted) throw missing("user", `There is no user ${text}`);
  return user;
}

interface Asker {
  user: SnapshotUser | undefined;
  token: SnapshotToken | undefined;
}

async function askerOf(context: ConsoleContext, { user, token_id }: Question): Promise<Asker> {
  const { snapshot } = context;
  const tokenId = integerOf(token_id) ?? 0;
  if (tokenId !== 0) {
    const token = snapshot.tokenById(tokenId);
    const owner = token === undefined ? undefined : snapshot.userById(token.userId);
    if (token === undefined || owner === undefined) throw missing("token_id", `There is no token ${tokenId}`);
    return { user: owner, token };
  }
  const name = (user ?? "").trim();
  return { user: name === "" ? undefined : await userOf(context, name), token: undefined };
}

/** Where such a call would go now. Throws not_found naming the field of a user or token that is not there. */
async function explainNow(context: ConsoleContext, question: Question): Promise<RouteExplanation> {
  const { model, operation, input_tokens: inputTokens, is_stream: isStream, group } = question;
  const asker = await askerOf(context, question);
  return context.relay.explainRoute({
    ...asker,
    model,
    operation,
    inputTokens,
    isStream,
    groupName: group?.trim() ?? "",
  });
}

/** The channels in a log row; one of an earlier version may have fewer fields, or none. */
const keptRoute = z.object({
  error_code: z.string().catch(""),
  status_code: z.number().catch(0),
  admin_info: z
    .object({
      tried: z.array(pastTry.partial({ ms: true, status: true }).catch({ id: 0, name: "", reason: "" })).catch([]),
      skipped: z.array(z.unknown()).catch([]),
      skipped_total: z.number().optional().catch(undefined),
    })
    .catch({ tried: [], skipped: [] }),
});

function keptIn(text: string): z.output<typeof keptRoute> {
  try {
    return keptRoute.parse(JSON.parse(receiptShorthand.read(text)));
  } catch {
    return keptRoute.parse({}); // No receipt: nothing is known of channels.
  }
}

const named = z.object({ id: z.number(), name: z.string() });

/** Where a past call went, and why no further. Throws not_found where it left no row. */
async function explainPast({ database, snapshot }: ConsoleContext, requestId: string): Promise<PastRoute> {
  const row = requestId === "" ? undefined : await findCall(database, requestId);
  if (row === undefined)
    throw new AppError("not_found", { field: "request_id", message: "There is no log row of this request" });
  const { error_code: code, status_code: status, admin_info: info } = keptIn(row.other);
  const out = info.skipped.flatMap((skipped) => {
    const [channel, reason] = [named.safeParse(skipped), readSkipReason(skipped)];
    if (!channel.success || reason === undefined) return [];
    const { id, name } = channel.data;
    const { values } = reason;
    const type = snapshot.channelById(id)?.type ?? 0;
    return [{ id, name, type, reason: { code: reason.code, ...(values === undefined ? {} : { values }) } }];
  });
  return {
    request_id: row.request_id,
    created_at: row.created_at,
    user: { id: row.user_id, username: row.username },
    token: row.token_id === 0 ? null : { id: row.token_id, name: row.token_name },
    model: row.model_name,
    group: row.group_name,
    is_stream: row.is_stream === 1,
    refusal: row.type === LOG_TYPE.error ? { code, status, message: row.content } : null,
    tried: info.tried.map(({ ms = 0, status: answered = 0, ...rest }) => ({ ...rest, ms, status: answered })),
    out: out.slice(0, OUT_LISTED_MAX),
    out_total: info.skipped_total ?? out.length,
  };
}

export const routingHandlers = defineHandlers("routing", {
  async explainRoute({ context, body }) {
    return { data: await explainNow(context, body) };
  },
  findCallers: async ({ context, query }) => ({ data: await callersFor(context.database, query) }),
  async explainPastRoute({ context, params }) {
    return { data: await explainPast(context, params.request_id) };
  },
});
