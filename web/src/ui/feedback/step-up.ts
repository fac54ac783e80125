/** Actions that need more than a session: where the server asks for a confirmation of the identity, a dialog asks for it and the action is repeated. */
import { ApiError } from "../../lib/api.ts";
import { createStore, useStore } from "../../lib/store.ts";

type Answer = (isConfirmed: boolean) => void;

const asked = createStore<Answer | undefined>(() => undefined);

const isAskedFor = (error: unknown): boolean => error instanceof ApiError && error.code === "step_up_required";

/** Opens the dialog. Resolves true once the person confirmed who they are, false where they gave up. */
function confirmIdentity(): Promise<boolean> {
  asked.get()?.(false);
  return new Promise((resolve) => asked.set(resolve));
}

/**
 * Does an act, after a confirmation where it needs one.
 * @returns what it gave; undefined where the person gave up confirming. Throws what the act throws.
 * @example const made = await withStepUp(() => call(beginTotp, {}));
 */
export async function withStepUp<Result>(act: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await act();
  } catch (error) {
    if (!isAskedFor(error)) throw error;
    return (await confirmIdentity()) ? act() : undefined;
  }
}

/** Whether the user is asked, a new value for each time; and how that ends. */
export function useStepUp(): { asked: unknown; answer: Answer } {
  const current = useStore(asked);
  return {
    asked: current,
    answer: (isConfirmed) => {
      current?.(isConfirmed);
      asked.set(undefined);
    },
  };
}
