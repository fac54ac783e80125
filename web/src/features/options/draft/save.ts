/** The order in which changed options are stored, the checks before it, and the result of each. Pure but for the calls it is given. */
import type { AppError } from "../../../../../contract/src/errors.ts";
import type { Refusal } from "../../../../../contract/src/options/refusals.ts";
import type { OptionDescription } from "../../../../../contract/src/features/options.ts";
import type { Draft } from "./draft.ts";

/**
 * Why texts that are about to be saved would be refused, by option. The shape of JSON is for the server to check: the console has no
 * schemas.
 */
export async function checkChanges(changes: readonly Change[]): Promise<ReadonlyMap<string, Refusal>> {
  const [{ isOptionName, optionDefinition }, errors] = await Promise.all([
    import("../../../../../contract/src/options/options.ts"),
    import("../../../../../contract/src/errors.ts"),
  ]);
  const refusals = new Map<string, Refusal>();
  for (const { option, value } of changes) {
    // A newer server may know options that this page does not.
    if (!isOptionName(option) || optionDefinition(option).kind === "json") continue;
    const definition = optionDefinition(option);
    const read = () => {
      const reading = definition.read(value);
      return definition.reasonAgainst?.(reading.value, value);
    };
    const refusal = refusalBy(read, (error) => error instanceof errors.AppError);
    if (refusal !== undefined) refusals.set(option, refusal);
  }
  return refusals;
}

function refusalBy(
  read: () => Refusal | undefined,
  isRefusal: (error: unknown) => error is AppError,
): Refusal | undefined {
  try {
    return read();
  } catch (error) {
    if (isRefusal(error)) return { message: error.message, values: error.values ?? {} };
    throw error;
  }
}

/** Payment options among the changes that cannot be saved, because the site's address is empty: users who have paid are redirected there. */
export function paymentsWithoutAddress(
  changes: readonly Change[],
  { entries, rows }: Draft,
  descriptions: ReadonlyMap<string, OptionDescription>,
): readonly string[] {
  const address = entries.get("ServerAddress")?.text ?? rows.get("ServerAddress")?.value ?? "";
  if (address.trim() !== "") return [];
  return changes.map(({ option }) => option).filter((option) => descriptions.get(option)?.section === "payment");
}

/** One option to store. */
export interface Change {
  option: string;
  value: string;
  /** As it was read when the change began. */
  revision: number;
  isSwitch: boolean;
}

export interface Failure {
  option: string;
  error: unknown;
}

/** The results of one save. */
export interface Outcome {
  saved: readonly Change[];
  failed: readonly Failure[];
  /** Not sent, because something before them failed or the person did not confirm who they are. */
  held: readonly Change[];
}

export interface Sender {
  /** Stores one option. Throws where it is refused. */
  send(change: Change): Promise<unknown>;
  /** Does an act, after a confirmation where it needs one; undefined where the person gave that up. */
  withStepUp<Result>(act: () => Promise<Result>): Promise<Result | undefined>;
  /** Whether an error asks for that confirmation. */
  wantsStepUp(error: unknown): boolean;
}

/** Stores all at once; those that need a confirmation go again, together, after one question. */
async function saveTogether(changes: readonly Change[], sender: Sender): Promise<Outcome> {
  const saved: Change[] = [];
  const failed: Failure[] = [];
  let waiting = changes;
  const attempt = async (): Promise<true> => {
    const answers = await Promise.all(
      waiting.map((change) =>
        sender.send(change).then(
          () => ({ change }),
          (error: unknown) => ({ change, error }),
        ),
      ),
    );
    const refusals = answers.filter((answer): answer is { change: Change; error: unknown } => "error" in answer);
    const asking = refusals.filter(({ error }) => sender.wantsStepUp(error));
    saved.push(...answers.filter((answer) => !("error" in answer)).map(({ change }) => change));
    failed.push(
      ...refusals
        .filter((refusal) => !asking.includes(refusal))
        .map(({ change, error }) => ({ option: change.option, error })),
    );
    waiting = asking.map(({ change }) => change);
    if (asking[0] !== undefined) throw asking[0].error;
    return true;
  };
  try {
    await sender.withStepUp(attempt);
  } catch (error) {
    failed.push(...waiting.map(({ option }) => ({ option, error })));
    waiting = [];
  }
  return { saved, failed, held: waiting };
}

/** Stores one after the other, and no further where one fails. */
async function saveInTurn(changes: readonly Change[], sender: Sender): Promise<Outcome> {
  const saved: Change[] = [];
  for (const [index, change] of changes.entries()) {
    const step = await saveTogether([change], sender);
    saved.push(...step.saved);
    if (step.saved.length === 0) {
      const held = [...step.held, ...changes.slice(index + 1)];
      return { saved, failed: step.failed, held };
    }
  }
  return { saved, failed: [], held: [] };
}

/**
 * Stores what is no switch first, all at once; then, where nothing failed, the switches one at a time up to the first that fails:
 * a switch may need what stands before it. Never throws.
 */
export async function saveAll(changes: readonly Change[], sender: Sender): Promise<Outcome> {
  const switches = changes.filter(({ isSwitch }) => isSwitch);
  const first = await saveTogether(
    changes.filter(({ isSwitch }) => !isSwitch),
    sender,
  );
  if (first.failed.length > 0 || first.held.length > 0) return { ...first, held: [...first.held, ...switches] };
  const then = await saveInTurn(switches, sender);
  return { ...then, saved: [...first.saved, ...then.saved] };
}
