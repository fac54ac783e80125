/** An action of the security cards: with a confirmation where the server wants one, a message where it fails, and a reload afterwards. */
import { useState } from "react";
import { withStepUp } from "../../../ui/feedback/step-up.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { useRefreshSecurity } from "./queries.ts";

/**
 * Runs acts one at a time. `run` resolves with what the act gave; undefined where the person gave up or it failed, which a toast has
 * shown under `title` by then.
 */
export function useAct() {
  const refresh = useRefreshSecurity();
  const [isBusy, setIsBusy] = useState(false);
  const run = async <Result>(title: string, act: () => Promise<Result>): Promise<Result | undefined> => {
    setIsBusy(true);
    try {
      const result = await withStepUp(act);
      if (result !== undefined) await refresh();
      return result;
    } catch (error) {
      toast.error(error, title);
      return undefined;
    } finally {
      setIsBusy(false);
    }
  };
  return { isBusy, run };
}
