/** Calls of the console's playground: a session in place of a token, a group named by the request, and fields of the page that no upstream gets. */
import { TOKEN_STATUS } from "../../../../contract/src/features/tokens.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { AUTO_GROUP } from "../../../../contract/src/features/groups.ts";
import { readTopLevel } from "../../dialects/json/bytes.ts";
import { patchTopLevel } from "../../dialects/json/patch.ts";
import { StringSample } from "../../dialects/json/string-sample.ts";
import type { SnapshotToken, SnapshotUser } from "../../snapshot/snapshot.ts";
import type { Call } from "../call/call.ts";
import { RelayError } from "../call/relay-error.ts";
import { type Accepted, requestField } from "../request/accepted.ts";
import type { Caller } from "./caller.ts";

const TYPES: Readonly<Record<number, string>> = { 401: "authentication_error", 429: "rate_limit_error" };

/** A refusal of the console's own, in both envelopes: its pages read one, libraries of model APIs the other. */
function relayErrorFor(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const { status, code, message, retryAfterSeconds } = error;
  const type = TYPES[status] ?? "permission_error";
  return new RelayError("session_refused", { status, code, message, type, retryAfterSeconds, isForConsole: true });
}

/** No token is involved: nothing bounds the person but balance, groups and model request limits. */
const withoutToken = ({ id, groupName }: SnapshotUser, group: string): SnapshotToken => ({
  id: 0,
  userId: id,
  name: `playground-${group === "" ? groupName : group}`,
  status: TOKEN_STATUS.enabled,
  expiredTime: -1,
  isUnlimited: true,
  modelLimits: undefined,
  isAddressAllowed: undefined,
  groupName: group,
  autoGroups: [],
  retriesAcrossGroups: false,
  isKeyUnknown: false,
  keyFirst: "",
  keyLast: "",
});

/** The caller by the console's session. Rejects with RelayError 400, 401, 403 or 429. */
export async function enterPlayground({ context, request }: Call, address: string): Promise<Caller> {
  const { userId, isBrowser } = await context.sessionOf(request).catch((error: unknown) => {
    throw relayErrorFor(error);
  });
  if (!isBrowser) throw new RelayError("access_token_not_supported");
  const user = context.snapshot.userById(userId);
  if (user === undefined) throw relayErrorFor(new AppError("not_logged_in"));
  return { user, token: withoutToken(user, ""), address, pinnedChannelId: 0 };
}

/** The group a person chose; their own where they chose none. Throws RelayError 403. */
function chosenGroup({ context: { snapshot } }: Call, accepted: Accepted, { groupName }: SnapshotUser): string {
  const chosen = requestField(accepted, "group") ?? "";
  if (chosen === "" || chosen === groupName) return "";
  const isUsable =
    typeof chosen === "string" && (chosen === AUTO_GROUP || snapshot.usableGroups(groupName).has(chosen));
  if (!isUsable) throw new RelayError("group_not_allowed", { message: "You cannot use this group.", param: "group" });
  return chosen;
}

/** The request without the page's own words: the group, and a limit of tokens that says none. */
function withoutPageFields({ context }: Call, accepted: Accepted): Accepted {
  const edits = new Map<string, null>([["group", null]]);
  if (requestField(accepted, "max_tokens") === 0) edits.set("max_tokens", null);
  const body = patchTopLevel(accepted.body, accepted.info.top, edits);
  const top = readTopLevel(body.toString("latin1"), context.limits.jsonDepth, new StringSample());
  return { ...accepted, body, info: accepted.dialect.readRequest(body, top, accepted.endpoint) };
}

/**
 * Caller and request of a call from the playground or the studio, without the page's own fields: then it is a call like any. Throws RelayError
 * 400 or 403. Pages send JSON alone; the model of a task is named by its path, or by its kind.
 */
export function fromPlayground(call: Call, accepted: Accepted, caller: Caller): { accepted: Accepted; caller: Caller } {
  if (accepted.form !== undefined) throw new RelayError("invalid_json");
  if (accepted.model === "" && accepted.endpoint.task === undefined)
    throw new RelayError("model_missing", { code: "model_required", param: "model" });
  const token = withoutToken(caller.user, chosenGroup(call, accepted, caller.user));
  return { accepted: withoutPageFields(call, accepted), caller: { ...caller, token } };
}
