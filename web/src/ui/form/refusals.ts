/** Errors of a form by field: its own rules before sending, the server's refusal after it. */
import { useState } from "react";
import { ApiError } from "../../lib/api.ts";
import { withStepUp } from "../feedback/step-up.ts";
import { toast } from "../feedback/toast-store.ts";

export type FieldErrors<Field extends string> = Partial<Record<Field, string>>;

/**
 * The errors shown now, and `attempt`: runs the rules, then sends; what the server refuses stands at the field it names, anything else is
 * a toast. Gives whether all went well. `attemptConfirmed` is for what the server wants a confirmation for: who gives that up goes on
 * with what was typed.
 */
export function useRefusals<Field extends string>(fields: readonly Field[]) {
  const [errors, setErrors] = useState<FieldErrors<Field>>({});
  const attempt = async (found: FieldErrors<Field>, send: () => Promise<unknown>): Promise<boolean> => {
    setErrors(found);
    if (Object.keys(found).length > 0) return false;
    try {
      await send();
      return true;
    } catch (error) {
      const field = error instanceof ApiError ? fields.find((name) => name === error.field) : undefined;
      if (field === undefined) toast.error(error);
      else setErrors({ [field]: (error as ApiError).message } as FieldErrors<Field>);
      return false;
    }
  };
  const attemptConfirmed = async (found: FieldErrors<Field>, send: () => Promise<unknown>): Promise<boolean> => {
    let isDone: true | undefined;
    const isTaken = await attempt(found, async () => {
      isDone = await withStepUp(() => send().then((): true => true));
    });
    return isTaken && isDone === true;
  };
  return { errors, attempt, attemptConfirmed, clear: () => setErrors({}) };
}
