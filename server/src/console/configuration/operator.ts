/** Configuration files of the operator's terminal: read, planned and applied with the actor "command line", who has the machine and so needs no login. */
import { z } from "zod";
import { applyBody, exportQuery, planBody } from "../../../../contract/src/configuration/asked.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { ROLE } from "../../../../contract/src/roles.ts";
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import type { ConfirmingActor } from "../kit/audit.ts";
import { COMMAND_LINE } from "../users/operator-acts.ts";
import { applyDocument } from "./apply.ts";
import { exportDocument } from "./export.ts";
import { makePlan, readDocument } from "./plan.ts";

const act = z.discriminatedUnion("act", [
  z.strictObject({ act: z.literal("config-export"), body: exportQuery }),
  z.strictObject({ act: z.literal("config-plan"), body: planBody }),
  z.strictObject({ act: z.literal("config-apply"), body: applyBody }),
]);
export type ConfigurationAct = z.input<typeof act>;

/** The session of the command line. It is not stored, and no user can have its name, which has a space in it. */
const OPERATOR: ConfirmingActor = {
  session: {
    user: {
      id: 0,
      username: COMMAND_LINE,
      displayName: COMMAND_LINE,
      role: ROLE.root,
      permissions: null,
      status: USER_STATUS.enabled,
      groupName: "",
      email: "",
      acceptsUnpricedModels: false,
      keepsClientAddresses: true,
      isDeleted: false,
    },
    role: ROLE.root,
    sessionId: undefined,
    scope: undefined,
    confirmedTime: 0,
    requiredAction: undefined,
  },
  request: {
    ip: "",
    claim: undefined,
    userAgent: "",
    language: "en",
    requestId: "",
    origin: "",
    isOwnPage: false,
    isSecure: false,
    sessionCookie: "",
    isUnprefixedCookie: false,
    flowCookie: "",
    host: "",
  },
  requireStepUp: () => undefined,
};

/** Reads what came through the control socket; undefined for another command. Throws zod's error. */
export function readConfigurationAct(request: unknown): z.output<typeof act> | undefined {
  const { act: name } = z.looseObject({ act: z.string() }).parse(request);
  return name.startsWith("config-") ? act.parse(request) : undefined;
}

async function run(context: ConsoleContext, { act: name, body }: z.output<typeof act>): Promise<object> {
  if (name === "config-export") return exportDocument(context, { managedBy: body.managed_by, secretsAs: body.secrets });
  if (name === "config-apply") return applyDocument(context, OPERATOR, body);
  const read = readDocument(body);
  return "plan" in read ? read.plan : (await makePlan(context, body, read.document)).plan;
}

/** The `data` that the endpoint of the same name answers. Throws an Error of one line. */
export function runConfigurationAct(context: ConsoleContext, asked: z.output<typeof act>): Promise<object> {
  return run(context, asked).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    const place = error.field === undefined || error.message.includes(error.field) ? "" : ` (${error.field})`;
    throw new Error(`${error.message}${place}`, { cause: error });
  });
}
