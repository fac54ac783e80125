/** `turnpike config export | plan | apply`: options, groups, prices, channels and identity providers as a file. */
import { readFile, writeFile } from "node:fs/promises";
import { stringify } from "yaml";
import { type ConfigurationPlan, configurationPlan } from "../../../contract/src/configuration/plan.ts";
import { readConfigurationFile } from "./config-file.ts";
import { planLines } from "./config-lines.ts";
import type { Ask } from "./config-transport.ts";
import { type Command, type CommandContext, type CommandResult, type ParsedWords, UsageError } from "./command.ts";

/** Exit code of a plan that changes something; 0 is none, 1 is a failure. */
const CHANGES_EXIT_CODE = 2;
const USAGE = { exitCode: 1 };

type Options = ParsedWords["options"];

const textOption = (options: Options, name: string): string | undefined => {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
};

async function askOf({ env, config }: CommandContext, options: Options): Promise<Ask> {
  const { askLocal, askRemote } = await import("./config-transport.ts");
  const url = textOption(options, "url");
  return url === undefined ? askLocal(config()) : askRemote(url, env["TURNPIKE_TOKEN"]);
}

function missingOf(options: Options): ConfigurationPlan["missing"] {
  if (options["prune"] === true && options["release"] === true)
    throw new UsageError("--prune and --release exclude each other", USAGE);
  if (options["prune"] === true) return "prune";
  return options["release"] === true ? "release" : "keep";
}

async function exportFile(context: CommandContext, { options }: ParsedWords): Promise<CommandResult> {
  const secrets = textOption(options, "secrets") ?? "stored";
  if (secrets !== "stored" && secrets !== "env") throw new UsageError("--secrets must be stored or env", USAGE);
  const ask = await askOf(context, options);
  const name = textOption(options, "name") ?? "main";
  const document = await ask({ act: "config-export", body: { managed_by: name, secrets } });
  return {
    exitCode: 0,
    lines: [stringify(document, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd()],
    data: document,
  };
}

const exitCodeOf = ({ refused, entries }: ConfigurationPlan): number => {
  if (refused.length > 0) return 1;
  return entries.length > 0 ? CHANGES_EXIT_CODE : 0;
};

const resultOf = (plan: ConfigurationPlan): CommandResult => ({
  exitCode: exitCodeOf(plan),
  lines: planLines(plan),
  data: plan,
});

interface Asked {
  document: unknown;
  adopt: boolean;
  missing: ConfigurationPlan["missing"];
}

const planned = async (ask: Ask, body: Asked): Promise<ConfigurationPlan> =>
  configurationPlan.parse(await ask({ act: "config-plan", body }));

async function planFile(context: CommandContext, { words: [path = ""], options }: ParsedWords): Promise<CommandResult> {
  const wish = { adopt: options["adopt"] === true, missing: missingOf(options) };
  const document = await readConfigurationFile(path, context.env);
  const plan = await planned(await askOf(context, options), { document, ...wish });
  const saved = textOption(options, "save");
  if (saved !== undefined && plan.refused.length === 0)
    await writeFile(saved, `${JSON.stringify(plan, undefined, 2)}\n`, { mode: 0o600 });
  return resultOf(plan);
}

/** A plan that was saved and reviewed. Throws an Error of one line. */
async function savedPlan(path: string): Promise<ConfigurationPlan> {
  const read = configurationPlan.safeParse(JSON.parse(await readFile(path, "utf8")));
  if (!read.success) throw new Error(`${path} is no plan that "turnpike config plan --save" wrote`);
  return read.data;
}

async function applyFile(
  context: CommandContext,
  { words: [path = ""], options }: ParsedWords,
): Promise<CommandResult> {
  const wish = { adopt: options["adopt"] === true, missing: missingOf(options) };
  const planPath = textOption(options, "plan");
  const reviewed = planPath === undefined ? undefined : await savedPlan(planPath);
  const document = await readConfigurationFile(path, context.env);
  const ask = await askOf(context, options);
  const { adopt, missing } = reviewed ?? wish;
  const plan = reviewed ?? (await planned(ask, { document, ...wish }));
  if (options["dry-run"] === true || plan.refused.length > 0) return resultOf(plan);
  const deleted = plan.entries.filter(({ act }) => act === "delete");
  if (deleted.length > 0 && options["yes"] !== true)
    return { exitCode: 1, lines: [...planLines(plan), "", "Nothing was applied: deletions need --yes."], data: plan };
  const { document: digest, revisions } = plan;
  const body = {
    document,
    adopt,
    missing,
    plan: { document: digest, revisions },
    announce: options["announce"] === true,
  };
  const done = await ask({ act: "config-apply", body });
  const changed = "changed" in done ? Number(done.changed) : 0;
  const last = changed === 0 ? "No changes." : `Applied: ${changed} entries.`;
  return { exitCode: 0, lines: [...(changed === 0 ? [] : planLines(plan)), last], data: done };
}

const WHERE: Command["options"] = {
  url: {
    type: "string",
    value: "<https://host>",
    meaning: "Asks that server, with the access token in TURNPIKE_TOKEN",
  },
};
const WISH: Command["options"] = {
  adopt: { type: "boolean", meaning: "Takes over what exists and no configuration manages" },
  prune: { type: "boolean", meaning: "Deletes what this configuration manages and the file does not name" },
  release: { type: "boolean", meaning: "Takes the mark from what the file does not name, and deletes nothing" },
  ...WHERE,
};

export const CONFIG_COMMANDS: readonly Command[] = [
  {
    name: "config export",
    summary: "Prints options, groups, prices, channels and identity providers as a configuration file, without secrets",
    operands: [],
    options: {
      name: { type: "string", value: "<name>", meaning: "Name of the configuration; main where absent" },
      secrets: {
        type: "string",
        value: "stored|env",
        meaning: "Secrets stay on the server (the default), or name variables",
      },
      ...WHERE,
    },
    examples: [["turnpike config export > turnpike.yaml", "of this server; --json prints JSON"]],
    usageExitCode: 1,
    run: exportFile,
    // Nothing secret and nothing of people is in it.
    row: "none",
  },
  {
    name: "config plan",
    summary:
      "Says what applying a configuration file would change; exits 0 for nothing, 2 for changes, 1 for a failure",
    operands: ["<file>"],
    options: {
      save: { type: "string", value: "<plan.json>", meaning: "Keeps the plan, to be applied as reviewed" },
      ...WISH,
    },
    examples: [
      ["turnpike config plan turnpike.yaml", "of this server"],
      [
        "turnpike config plan turnpike.yaml --url https://gateway.example --save plan.json",
        "of another, and keeps the plan",
      ],
    ],
    usageExitCode: 1,
    run: planFile,
    row: "none",
  },
  {
    name: "config apply",
    summary: "Makes the server what a configuration file says, section by section",
    operands: ["<file>"],
    options: {
      plan: {
        type: "string",
        value: "<plan.json>",
        meaning: "Applies this plan, or nothing where something has changed since",
      },
      "dry-run": { type: "boolean", meaning: "Plans alone" },
      yes: { type: "boolean", meaning: "Agrees to deletions" },
      announce: { type: "boolean", meaning: "Notifies people whose calls will cost another amount" },
      ...WISH,
    },
    examples: [
      ["turnpike config apply turnpike.yaml", "asks nothing; deletions need --prune --yes"],
      ["turnpike config apply turnpike.yaml --plan plan.json", "as it was reviewed"],
    ],
    usageExitCode: 1,
    run: applyFile,
    row: "own",
  },
];
