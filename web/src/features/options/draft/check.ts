/** Checks changed options in the browser by the contract's own definitions, which load with the first save. */
import type { AppError } from "../../../../../contract/src/errors.ts";
import type { Refusal } from "../../../../../contract/src/options/refusals.ts";
import type { OptionDescription } from "../../../../../contract/src/features/options.ts";
import type { Draft } from "./draft.ts";
import type { Change } from "./save.ts";

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

/** Payment options among the changes that cannot be saved, because the site's address is empty: whoever has paid is led back there. */
export function paymentsWithoutAddress(
  changes: readonly Change[],
  { entries, rows }: Draft,
  descriptions: ReadonlyMap<string, OptionDescription>,
): readonly string[] {
  const address = entries.get("ServerAddress")?.text ?? rows.get("ServerAddress")?.value ?? "";
  if (address.trim() !== "") return [];
  return changes.map(({ option }) => option).filter((option) => descriptions.get(option)?.section === "payment");
}
