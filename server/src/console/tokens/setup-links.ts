/** One-time addresses of scripts that write a program's configuration: made for a token by its owner, and answered once with the key. */
import { randomBytes } from "node:crypto";
import {
  installCommand,
  INSTALL_SHELLS,
  INSTALLED_PROGRAMS,
  type InstallShell,
  type InstalledProgram,
  installScript,
} from "../../../../contract/src/connect/install-script.ts";
import { operationOf } from "../../../../contract/src/connect/programs.ts";
import { SETUP_LINK_SECONDS } from "../../../../contract/src/connect/setup-links.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import { affectedRows } from "../../db/portable.ts";
import { nowSeconds } from "../../util/clock.ts";
import { storable } from "../../util/text.ts";
import type { ConsoleContext, RequestFacts } from "../http/handlers.ts";
import { readToken, type TokenContext } from "./service.ts";

type LinkContext = TokenContext & Pick<ConsoleContext, "recordSecurityEvent">;

const CODE_BYTES = 24;
const gone = (): AppError => new AppError("setup_link_gone");
const keyUnknown = (): AppError =>
  new AppError("invalid_field", { message: "The key of this token is known after its first call, and not before" });

/** The site's address as programs reach it: the option, or else where this very request came in. */
function originOf({ snapshot }: TokenContext, { host, isSecure, origin }: RequestFacts): string {
  const set = snapshot.options.ServerAddress.replace(/\/+$/, "");
  if (set !== "") return set;
  // The Origin of the console's own page has the scheme that a proxy hides.
  return origin !== "" && URL.parse(origin)?.host === host ? origin : `${isSecure ? "https" : "http"}://${host}`;
}

interface Wanted {
  tokenId: number;
  program: InstalledProgram;
  shell: InstallShell;
  model: string;
}

/**
 * Makes an address for an own token; the code is stored as a hash alone.
 * @throws AppError not_found where the token is not this user's, invalid_field where its key is not known before its first call
 */
export async function makeSetupLink(context: TokenContext, userId: number, wanted: Wanted, request: RequestFacts) {
  const { tokenId, program, shell, model } = wanted;
  const token = await readToken(context, userId, tokenId);
  if (token.key === "") throw keyUnknown();
  const code = randomBytes(CODE_BYTES).toString("base64url");
  const origin = originOf(context, request);
  const expires_time = nowSeconds(context.clock) + SETUP_LINK_SECONDS;
  const row = {
    code_hash: context.secrets.hash("setup_link", code),
    user_id: userId,
    token_id: tokenId,
    program,
    shell,
    model: storable(model),
    origin: storable(origin),
    expires_time,
  };
  await context.database.kysely.insertInto("setup_links").values(row).execute();
  const address = `${origin}/api/connect/${code}`;
  return { address, command: installCommand(shell, address), expires_time };
}

const isOneOf = <Word extends string>(words: readonly Word[], text: string): text is Word =>
  (words as readonly string[]).includes(text);

/** Takes the row away: of those who fetch at once, one alone finds it removed by themselves. */
async function takeRow({ database, clock }: TokenContext, hash: string) {
  const row = await database.kysely
    .selectFrom("setup_links")
    .selectAll()
    .where("code_hash", "=", hash)
    .where("expires_time", ">", nowSeconds(clock))
    .executeTakeFirst();
  if (row === undefined) throw gone();
  const removed = await database.kysely
    .deleteFrom("setup_links")
    .where("code_hash", "=", hash)
    .executeTakeFirstOrThrow();
  if (affectedRows(removed) !== 1) throw gone();
  return row;
}

/**
 * The script behind a code, which has no second one.
 * @throws AppError setup_link_gone, the same for whatever reason there is none
 */
export async function takeSetup(context: LinkContext, code: string, request: RequestFacts): Promise<string> {
  const row = await takeRow(context, context.secrets.hash("setup_link", code));
  const { user_id: userId, token_id: tokenId, program, shell, model, origin } = row;
  const owner = context.snapshot.userById(userId);
  // An account that is disabled gives out no keys either.
  if (owner === undefined || owner.isDeleted || owner.status !== USER_STATUS.enabled) throw gone();
  if (!isOneOf(INSTALLED_PROGRAMS, program) || !isOneOf(INSTALL_SHELLS, shell)) throw gone();
  const token = await readToken(context, userId, tokenId).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "not_found") throw gone();
    throw error;
  });
  if (token.key === "") throw gone();
  const { ip, requestId } = request;
  context.recordSecurityEvent({
    kind: "setup_link_fetched",
    userId,
    reason: `${program}, token ${tokenId}`,
    ip,
    requestId,
  });
  return installScript(program, shell, { origin, key: `sk-${token.key}`, model, operation: operationOf(model) });
}
