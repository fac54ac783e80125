/** Speech by the characters or tokens that are read, recordings by their seconds or by the upstream's tokens. */
import { speechUsage, transcriptionUsage } from "../../../contract/src/operation-usage.ts";
import type { Usage } from "../../../contract/src/usage.ts";
import type { NormalisedUsage } from "../dialects/usage-counts.ts";
import { audioLength } from "./audio-length.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { formBytes } from "./form.ts";
import { Refusal } from "./refusal.ts";
import { readRecordingUsage, readTokenUsage } from "./reported-usage.ts";
import { textField } from "./request-field.ts";

/** Only text can be counted: what another reader might still make words of would be read aloud for nothing. Throws Refusal 400. */
export function checkSpeech(exchange: Exchange): void {
  if (textField(exchange, "input") === undefined) throw new Refusal("input_not_text", { param: "input" });
}

export const expectedSpeech = (exchange: Exchange): Usage =>
  speechUsage(exchange.model, textField(exchange, "input") ?? "", exchange.promptEstimate);

/** Characters where the model is paid by them; else the upstream's tokens, which come only with stream_format sse. */
export function usedSpeech(exchange: Exchange, { rawUsage }: Answer): NormalisedUsage {
  const expected = expectedSpeech(exchange);
  const reported = expected.isEstimated ? readTokenUsage(rawUsage) : undefined;
  if (reported === undefined) return { usage: expected, faults: [] };
  const { usage, faults } = reported;
  return { usage: { ...usage, audioOutputTokens: usage.audioOutputTokens || usage.outputTokens }, faults };
}

/** Reads the length of the recording before quota is held for it. */
export async function measureRecording(exchange: Exchange): Promise<void> {
  const { form, body } = exchange;
  const file = form === undefined ? undefined : formBytes(form, body, "file");
  const mimeType = form?.parts.find(({ name }) => name === "file")?.mimeType ?? "";
  if (file !== undefined) exchange.recording = await audioLength(file, mimeType);
}

function measured({ recording }: Exchange): Usage {
  const usage = transcriptionUsage(recording?.seconds ?? 0);
  return recording?.isEstimated === true ? { ...usage, isEstimated: true } : usage;
}

export const expectedRecording = measured;

/** The upstream's tokens or seconds; what it did not count is what was measured. */
export const usedRecording = (exchange: Exchange, { rawUsage }: Answer): NormalisedUsage =>
  readRecordingUsage(rawUsage) ?? { usage: measured(exchange), faults: [] };
