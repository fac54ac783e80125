/** The commands of `turnpike`, in the order of its help. */
import type { Config } from "../config.ts";
import { MIGRATIONS } from "../db/migrations/migrate.ts";
import { PROGRAM } from "../composition/program.ts";
import { BACKUP_COMMANDS } from "./backup.ts";
import { CONFIG_COMMANDS } from "./config.ts";
import { bundleCommand } from "./doctor/bundle.ts";
import { doctorCommand } from "./doctor/doctor.ts";
import { IMPORT_COMMAND } from "./import.ts";
import { type Command, type CommandResult, UsageError } from "./command.ts";
import { keyCommand } from "./key.ts";
import { migrateCommand } from "./migrate.ts";
import type { PromotedRole, UserActName } from "../console/users/operator-acts.ts";

const done = (lines: readonly string[], data: object): CommandResult => ({ exitCode: 0, lines, data });

const auditCommand: Command = {
  name: "audit",
  summary: "Proves that every balance is the sum of its ledger entries; exits 1 if one is not",
  operands: [],
  options: {},
  examples: [
    ["turnpike audit", "also beside a running server"],
    ["turnpike audit --json", "every wrong value, for a program"],
  ],
  async run({ config }) {
    const { runAudit } = await import("./audit.ts");
    return runAudit(config());
  },
  row: "none",
};

interface UserCommand {
  act: UserActName;
  summary: string;
  examples: Command["examples"];
  options?: Command["options"];
}

const ROLE_OPTION: Command["options"] = {
  role: { type: "string", value: "<role>", meaning: "admin (the default), or root for a super administrator" },
};

const USER_COMMANDS: readonly UserCommand[] = [
  {
    act: "reset-password",
    summary: "Gives an account a temporary password, prints it, and ends its sessions",
    examples: [["turnpike user reset-password root", "the way back in after a lost password"]],
  },
  {
    act: "disable-2fa",
    summary: "Removes an account's authenticator app, recovery codes and passkeys",
    examples: [["turnpike user disable-2fa ada@example.com", "the way back in after a lost phone"]],
  },
  {
    act: "promote",
    summary: "Makes an account an administrator or a super administrator",
    examples: [
      ["turnpike user promote ada", "an administrator"],
      ["turnpike user promote '#12' --role root", "account 12 as a super administrator"],
    ],
    options: ROLE_OPTION,
  },
  {
    act: "unlock",
    summary: "Enables a disabled account, and forgets wrong guesses at it",
    examples: [["turnpike user unlock ada", "after too many wrong passwords, or a ban"]],
  },
  {
    act: "end-sessions",
    summary: "Ends all sessions and access tokens of an account",
    examples: [["turnpike user end-sessions ada", "after a lost laptop"]],
  },
];

/** Beside a running server with the embedded database the server itself acts; else this process does. */
async function runUserCommand(config: Config, request: object): Promise<CommandResult> {
  const { askServer } = await import("./control-socket.ts");
  const answered = config.databaseUrl === undefined ? await askServer(config.dataDir, request) : undefined;
  if (answered !== undefined) return answered;
  const { actAlone } = await import("./act-alone.ts");
  return actAlone(config, request);
}

function roleOf(value: string | boolean | undefined): PromotedRole {
  if (value === undefined || value === "admin" || value === "root") return value ?? "admin";
  throw new UsageError("--role must be admin or root");
}

const userCommand = ({ act, summary, examples, options = {} }: UserCommand): Command => ({
  name: `user ${act}`,
  summary,
  operands: ["<account>"],
  options,
  examples,
  run: ({ config }, { words: [account = ""], options: given }) =>
    runUserCommand(config(), { act, account, role: roleOf(given["role"]) }),
  row: "own",
});

export const COMMANDS: readonly Command[] = [
  {
    name: "serve",
    summary: "Starts the server, as `npm start` does",
    operands: [],
    options: {},
    examples: [["PORT=8080 turnpike serve", "on another port"]],
    async run() {
      const { limitStartupMemory } = await import("../composition/memory.ts");
      limitStartupMemory();
      const { run } = await import("../composition/run.ts");
      await run();
      return undefined;
    },
    row: "none",
  },
  migrateCommand,
  auditCommand,
  IMPORT_COMMAND,
  ...BACKUP_COMMANDS,
  ...USER_COMMANDS.map(userCommand),
  ...CONFIG_COMMANDS,
  keyCommand,
  doctorCommand,
  bundleCommand,
  {
    name: "version",
    summary: "Prints this program's version; with --json also the schema that it knows",
    operands: [],
    options: {},
    examples: [["turnpike version --json", "for a script"]],
    run: async () =>
      done([PROGRAM.version], {
        version: PROGRAM.version,
        schema: MIGRATIONS.at(-1)?.id ?? 0,
        node: process.version,
      }),
    row: "none",
  },
];
