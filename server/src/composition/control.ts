/** The control socket of a server on the embedded database: requests of `turnpike` to the only process that can write. */
import { readConfigurationAct, runConfigurationAct } from "../console/configuration/operator.ts";
import type { ConsoleContext } from "../console/http/handlers.ts";
import { readUserAct, runUserAct } from "../console/users/operator-acts.ts";
import type { CommandResult } from "../command-line/command.ts";
import { serveControl } from "../command-line/control-socket.ts";
import { recordEvent, recordSchema } from "../command-line/record.ts";
import { rotateStep, rotationSchema } from "../command-line/rotation.ts";
import { secretKeyOf } from "../db/secrets.ts";
import { type Parts, clock } from "./parts.ts";

/** Does what one command asks. Throws an Error of one line, or zod's where it asks for nothing that is known. */
async function answer(
  { config, foundation }: Parts,
  context: ConsoleContext,
  request: unknown,
): Promise<CommandResult> {
  const rotation = rotationSchema.safeParse(request);
  if (rotation.success) {
    const secretKey = (await secretKeyOf(config)) ?? "";
    return { exitCode: 0, lines: [], data: await rotateStep({ ...foundation, secretKey }, rotation.data.place) };
  }
  const record = recordSchema.safeParse(request);
  if (record.success) return recordEvent(foundation.database, record.data.event);
  const asked = readConfigurationAct(request);
  if (asked !== undefined) return { exitCode: 0, lines: [], data: await runConfigurationAct(context, asked) };
  const result = await runUserAct({ ...foundation, clock }, readUserAct(request));
  return { exitCode: 0, ...result };
}

/** Opens the socket; undefined on a database server, where commands write by themselves, and where DATA_DIR can hold no socket. */
export async function openControl(
  parts: Parts,
  context: ConsoleContext,
): Promise<{ close: () => Promise<void> } | undefined> {
  const { config, logger } = parts;
  if (config.databaseUrl !== undefined) return undefined;
  return serveControl(config.dataDir, (request) => answer(parts, context, request)).catch((error: unknown) => {
    logger.warn(
      { err: error },
      "DATA_DIR can hold no socket, so `turnpike user` works only while the server is stopped",
    );
    return undefined;
  });
}
