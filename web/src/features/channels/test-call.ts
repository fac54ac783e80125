/** The test of one channel, with the reason of a failed one in the reader's language. */
import { testChannel } from "../../../../contract/src/features/channels.ts";
import { ApiError, callFull } from "../../lib/api.ts";
import { loadTexts, translate, translator } from "../../lib/i18n.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { failureIn, failureText } from "./model/failure.ts";

async function inWords(error: unknown): Promise<unknown> {
  if (!(error instanceof ApiError)) return error;
  const failure = failureIn(error.extra);
  if (failure === undefined) return error;
  // Asked for from other pages too; without these texts the server's own serves.
  const hasTexts = await loadTexts("channels").then(
    () => true,
    () => false,
  );
  return hasTexts ? new ApiError(failureText(translator("channels"), failure), error) : error;
}

/** Shows why a test failed; a later success of `act` removes it. The toast leads to the log entry of the test; a refusal before any test has left none. */
export function tellFailedTest(error: unknown, title: string, go: (address: string) => void, act?: string): void {
  const isLogged = error instanceof ApiError && error.requestId !== undefined && failureIn(error.extra) !== undefined;
  const address = isLogged ? `/log?request_id=${error.requestId}` : undefined;
  const action = address && { label: translate("ui:error.showLogEntry"), onClick: () => go(address) };
  toast.error(error, title, { ...(action && { action }), ...(act !== undefined && { act }) });
}

/**
 * Sends one test call; gives its time in ms. `model` undefined: the channel's test model, or its first one; `key`: the id of one of its
 * keys. Throws ApiError.
 */
export async function runTest(id: number, model?: string, key?: number): Promise<number> {
  try {
    const { extra } = await callFull(testChannel, { params: { id }, query: { model, key } });
    return extra.time * 1000;
  } catch (error) {
    throw await inWords(error);
  }
}
