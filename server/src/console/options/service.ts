/** Rules of the options: what is shown, who may change what, and that a refused change changes nothing. */
import {
  isOptionName,
  OPTION_NAMES,
  optionDefinition,
  validateOption,
} from "../../../../contract/src/options/options.ts";
import type { OptionName } from "../../../../contract/src/options/options.ts";
import { sealOption } from "../../db/secrets.ts";
import { provenWays } from "../accounts/proven-ways.ts";
import { auditEntry } from "../audit-entry.ts";
import type { ConsoleContext, RequestFacts, Session } from "../http/handlers.ts";
import { deleteRow, readRows, writeRow } from "./store.ts";

/** Longest value repeated in the audit log, in characters. */
const AUDIT_LENGTH = 200;

/** Every option by name; a secret shows only whether it is set. */
export async function listOptions(context: ConsoleContext) {
  const rows = await readRows(context.database);
  return OPTION_NAMES.toSorted().map((key) => {
    const { isSecret, defaultText } = optionDefinition(key);
    const value = rows.get(key) ?? defaultText;
    return { key, value: isSecret ? "" : value, is_set: value !== "" };
  });
}

/** What the settings page needs to draw and check a field. */
export function describeOptions() {
  return OPTION_NAMES.toSorted().map((key) => {
    const { kind, page, defaultText, isSecret, needsStepUp, minimum, maximum, choices } = optionDefinition(key);
    const limits = { minimum, maximum, choices: choices === undefined ? undefined : [...choices] };
    return { key, kind, page, default: defaultText, is_secret: isSecret, needs_step_up: needsStepUp, ...limits };
  });
}

interface Actor {
  session: Session;
  request: RequestFacts;
  requireStepUp(): void;
}

/**
 * Changes one option; in force in this process when it returns, in every other within a second.
 * Throws AppError option_unknown, option_invalid, option_prerequisite or step_up_required, and has then written nothing.
 */
export async function updateOption(context: ConsoleContext, actor: Actor, key: string, value: string): Promise<void> {
  if (isOptionName(key) && optionDefinition(key).needsStepUp) actor.requireStepUp();
  await context.snapshot.refresh(); // The prerequisites are judged by what is in force now, not half a second ago.
  const { normalised } = validateOption(key, value, context.snapshot.options, await provenWays(context.database));
  if (!isOptionName(key)) return;
  const before = (await readRows(context.database)).get(key) ?? optionDefinition(key).defaultText;
  const stored = optionDefinition(key).isSecret ? sealOption(context.secrets, key, normalised) : normalised;
  await writeRow(context.database, key, stored, Math.floor(context.clock() / 1000));
  await context.snapshot.refresh();
  await audit(context, actor, key, before, normalised);
}

async function audit(context: ConsoleContext, actor: Actor, key: OptionName, from: string, to: string): Promise<void> {
  const shown = (text: string) => (text.length > AUDIT_LENGTH ? `${text.slice(0, AUDIT_LENGTH)}…` : text);
  const change = optionDefinition(key).isSecret ? {} : { from: shown(from), to: shown(to) };
  const { session, request } = actor;
  const detail = { option: key, ...change };
  await context.billing.record(
    auditEntry({
      session,
      request,
      now: context.clock(),
      event: { code: "option_changed", values: { option: key } },
      detail,
    }),
  );
}

/** Empties the operator's model ratios: the prices of the data set hold again. */
export async function resetModelRatio(context: ConsoleContext, actor: Actor): Promise<void> {
  await deleteRow(context.database, "ModelRatio");
  await context.snapshot.refresh();
  const { session, request } = actor;
  await context.billing.record(
    auditEntry({ session, request, now: context.clock(), event: { code: "ratios_reset", values: {} } }),
  );
}
