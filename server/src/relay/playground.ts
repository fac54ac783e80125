/** The console's playground: a person's session in place of a token, a group named by the request, and words of the page that no upstream knows. */
import type { IncomingMessage } from "node:http";
import { AppError } from "../../../contract/src/errors.ts";
import { AUTO_GROUP } from "../../../contract/src/features/groups.ts";
import { patchTopLevel, readTopLevel } from "../dialects/json-bytes.ts";
import type { SnapshotToken, SnapshotUser } from "../snapshot/snapshot.ts";
import { type Exchange, known } from "./exchange.ts";
import { Refusal } from "./refusal.ts";
import { requestField } from "./request-field.ts";

/** What the line needs to know of a session of the console. */
export interface ConsoleSession {
  userId: number;
  /** False for a program that calls with an access token. */
  isBrowser: boolean;
}

/** Finds the session of a request. Throws AppError where there is none, or it may not be used from there. */
export type SessionFinder = (request: IncomingMessage) => Promise<ConsoleSession>;

const TYPES: Readonly<Record<number, string>> = { 401: "authentication_error", 429: "rate_limit_error" };

/** A refusal of the console's own, in both envelopes: its pages read one, libraries of model APIs the other. */
function refusalFor(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const { status, code, message } = error;
  const retryAfterSeconds = "retryAfterSeconds" in error ? Number(error.retryAfterSeconds) : 0;
  const type = TYPES[status] ?? "permission_error";
  return new Refusal("session_refused", { status, code, message, type, retryAfterSeconds, isForConsole: true });
}

/** No token is involved: nothing bounds the person but balance, groups and model request limits. */
const withoutToken = ({ id, groupName }: SnapshotUser, group: string): SnapshotToken => ({
  id: 0,
  userId: id,
  name: `playground-${group === "" ? groupName : group}`,
  status: 1,
  expiredTime: -1,
  isUnlimited: true,
  modelLimits: undefined,
  isAddressAllowed: undefined,
  groupName: group,
  keyFirst: "",
  keyLast: "",
});

/** Fills the user from the console's session. Throws Refusal 400, 401, 403 or 429. */
export async function enterPlayground(exchange: Exchange): Promise<void> {
  const { sessionOf, snapshot } = exchange.context;
  const { userId, isBrowser } = await sessionOf(exchange.request).catch((error: unknown) => {
    throw refusalFor(error);
  });
  if (!isBrowser) throw new Refusal("access_token_not_supported");
  const user = snapshot.userById(userId);
  if (user === undefined) throw refusalFor(new AppError("not_logged_in"));
  exchange.user = user;
  exchange.token = withoutToken(user, "");
}

/** The group a person chose; their own where they chose none. Throws Refusal 403. */
function chosenGroup(exchange: Exchange, { groupName }: SnapshotUser): string {
  const asked = requestField(exchange, "group") ?? "";
  if (asked === "" || asked === groupName) return "";
  const { snapshot } = exchange.context;
  const isUsable = typeof asked === "string" && (asked === AUTO_GROUP || snapshot.usableGroups(groupName).has(asked));
  if (!isUsable) throw new Refusal("group_not_allowed", { message: "You cannot use this group.", param: "group" });
  return asked;
}

/**
 * Takes the page's own words out of the request: the group, and a limit of tokens that says none. What is left is a chat request like
 * any. Throws Refusal 400 or 403.
 */
export function takeGroup(exchange: Exchange): void {
  const { body, dialect, asked, context, model } = exchange;
  const user = known(exchange.user, "user");
  if (model === "") throw new Refusal("model_missing", { code: "model_required", param: "model" });
  exchange.token = withoutToken(user, chosenGroup(exchange, user));
  const { top } = known(exchange.facts, "facts");
  const edits = new Map<string, null>([["group", null]]);
  if (requestField(exchange, "max_tokens") === 0) edits.set("max_tokens", null);
  exchange.body = patchTopLevel(body, top, edits);
  const read = readTopLevel(exchange.body.toString("latin1"), context.limits.jsonDepth);
  exchange.facts = dialect.readRequest(exchange.body, read, asked);
}
