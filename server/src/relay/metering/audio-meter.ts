/** Speech by the characters or tokens that are read, recordings by their seconds or by the upstream's tokens. */
import { speechUsage, transcriptionUsage } from "../../../../contract/src/pricing/operation-usage.ts";
import type { Usage } from "../../../../contract/src/pricing/usage.ts";
import type { NormalisedUsage } from "../../dialects/neutral/usage-counts.ts";
import type { Answer } from "../call/answer.ts";
import type { Accepted } from "../request/accepted.ts";
import { type AudioLength, audioLength } from "../request/audio-length.ts";
import { formBytes } from "../request/multipart-form.ts";
import { RelayError } from "../call/relay-error.ts";
import { readRecordingUsage, readTokenUsage } from "./reported-usage.ts";
import { textField } from "../request/request-field.ts";
import type { Quote } from "./quote.ts";

/** Only text can be counted: what another reader might still make words of would be read aloud for nothing. Throws RelayError 400. */
export function checkSpeech(accepted: Accepted): void {
  if (textField(accepted, "input") === undefined) throw new RelayError("input_not_text", { param: "input" });
}

export const expectedSpeech = (accepted: Accepted, { promptTokens }: Quote): Usage =>
  speechUsage(accepted.model, textField(accepted, "input") ?? "", promptTokens);

/** Characters where the model is paid by them; else the upstream's tokens, which come only with stream_format sse. */
export function usedSpeech(accepted: Accepted, quote: Quote, { rawUsage }: Answer): NormalisedUsage {
  const expected = expectedSpeech(accepted, quote);
  const reported = expected.isEstimated ? readTokenUsage(rawUsage) : undefined;
  if (reported === undefined) return { usage: expected, faults: [] };
  const { usage, faults } = reported;
  return { usage: { ...usage, audioOutputTokens: usage.audioOutputTokens || usage.outputTokens }, faults };
}

/** Reads the length of the recording before quota is held for it. */
export async function measureRecording({ form, body }: Accepted): Promise<AudioLength | undefined> {
  const file = form === undefined ? undefined : formBytes(form, body, "file");
  const mimeType = form?.parts.find(({ name }) => name === "file")?.mimeType ?? "";
  return file === undefined ? undefined : audioLength(file, mimeType);
}

function measured({ recording }: Quote): Usage {
  const usage = transcriptionUsage(recording?.seconds ?? 0);
  return recording?.isEstimated === true ? { ...usage, isEstimated: true } : usage;
}

export const expectedRecording = (_accepted: Accepted, quote: Quote): Usage => measured(quote);

/** The upstream's tokens or seconds; what it did not count is what was measured. */
export const usedRecording = (_accepted: Accepted, quote: Quote, { rawUsage }: Answer): NormalisedUsage =>
  readRecordingUsage(rawUsage) ?? { usage: measured(quote), faults: [] };
