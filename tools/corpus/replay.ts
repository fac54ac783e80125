/** Replays recordings through the relay for every client: whole, as the errors that they are, and cut within their streams. */
import { isDeepStrictEqual } from "node:util";
import type { DialectName } from "../../server/src/dialects/neutral/neutral.ts";
import { CLIENT_FORMATS, eventsIn, fieldsOf } from "../../tests/support/clients/client-formats.ts";
import { CLIENTS, type CorpusClient, type Question } from "./clients.ts";
import { type Difference, answerDifferences, chargeDifferences, withoutBlanks } from "./compare.ts";
import type { Heard } from "./heard.ts";
import { READERS, heardOf, isError, recordedEvents } from "./readers.ts";
import type { Recording } from "./recording.ts";
import { type Lane, type Scene, questionOf } from "./scene.ts";

/** One answer for one client, and what differed. */
export interface Outcome {
  recording: Recording;
  client: DialectName;
  /** What the recording says; undefined for a recorded error. */
  recorded: Heard | undefined;
  /** Bytes after which the stream was cut; undefined for one that was played whole. */
  cutAtByte: number | undefined;
  differences: readonly Difference[];
}

const isCustom = (recording: Recording, name: string): boolean =>
  recording.format === "openai-responses" &&
  new RegExp(`"custom_tool_call"[^}]*"name":\\s*"${name}"`).test(recording.body.toString());

function questionFor(scene: Scene, lane: Lane, recording: Recording, recorded: Heard | undefined): Question {
  const names = [...new Set((recorded?.calls ?? []).map(({ name }) => name))].filter((name) =>
    /^[\w-]{1,64}$/.test(name),
  );
  return {
    url: scene.relay.url,
    key: `sk-${lane.key}`,
    model: recording.model,
    text: questionOf(lane),
    isStream: recording.isStream,
    tools: names.filter((name) => !isCustom(recording, name)),
    customTools: names.filter((name) => isCustom(recording, name)),
  };
}

const sentence = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

/** A recorded error has to reach the client as one, and to cost nothing. */
async function replayError(
  scene: Scene,
  lane: Lane,
  recording: Recording,
  client: CorpusClient,
): Promise<Difference[]> {
  scene.load(lane, recording);
  try {
    const heard = await client.ask(questionFor(scene, lane, recording, undefined));
    return [{ kind: "error", expected: `an error, ${recording.status}`, actual: `an answer: ${heard.text}` }];
  } catch {
    // Words that came before the error of a stream are charged.
    const row = recording.isStream ? undefined : await scene.row(lane);
    return row === undefined || row.quota === 0 ? [] : [{ kind: "charge", expected: "0", actual: String(row.quota) }];
  }
}

async function replayWhole(
  scene: Scene,
  lane: Lane,
  recording: Recording,
  client: CorpusClient,
  recorded: Heard,
): Promise<Difference[]> {
  scene.load(lane, recording);
  const question = questionFor(scene, lane, recording, recorded);
  const heard = await heardBy(client, question);
  const found = differencesFrom(recorded, heard);
  const charge = typeof heard === "string" ? [] : chargeDifferences(recorded.usage, await scene.row(lane));
  // In the format of the recording the library itself is asked for the recorded bytes: what it makes of them is its own.
  if (found.length === 0 || client.name !== recording.format) return [...found, ...charge];
  const alone = differencesFrom(recorded, await heardBy(client, { ...question, url: scene.upstreamUrl }));
  return [...found.map((each) => ({ ...each, isLibrarys: isDeepStrictEqual(found, alone) })), ...charge];
}

/** What the library heard, or the sentence of its error, without the number of the call. */
async function heardBy(client: CorpusClient, question: Question): Promise<Heard | string> {
  try {
    return await client.ask(question);
  } catch (error) {
    return sentence(error).replace(/ ?\(request id: [^)]*\)/, "");
  }
}

const differencesFrom = (recorded: Heard, heard: Heard | string): Difference[] =>
  typeof heard === "string"
    ? [{ kind: "error", expected: "an answer", actual: heard }]
    : answerDifferences(recorded, heard);

/** Places to cut at: behind events before the one that says how the answer ended, at most so many, evenly spread. */
export function cutsOf(recording: Recording, atMost: number): number[] {
  const events = recording.isStream && !isError(recording) ? recordedEvents(recording) : undefined;
  if (events === undefined) return [];
  const read = READERS[recording.format];
  const end = events.findIndex((_, index) => read(events.slice(0, index + 1), true).finish !== "");
  const places = events.slice(0, end < 0 ? events.length : end).map(({ endsAt }) => endsAt);
  if (places.length <= atMost) return places;
  return Array.from({ length: atMost }, (_, index) => places[Math.floor((index * places.length) / atMost)] ?? 0);
}

/** A cut stream has to end in an error, after nothing but words that were recorded. */
async function replayCut(
  scene: Scene,
  lane: Lane,
  recording: Recording,
  client: DialectName,
  cutAtByte: number,
): Promise<Difference[]> {
  const format = CLIENT_FORMATS.find(({ name }) => name === client);
  if (format === undefined) throw new Error(`no client of ${client}`);
  scene.load(lane, recording, cutAtByte);
  const response = await fetch(scene.relay.url + format.path(recording.model, true), {
    method: "POST",
    headers: { authorization: `Bearer sk-${lane.key}`, "content-type": "application/json" },
    body: JSON.stringify(format.body(recording.model, true, questionOf(lane))),
  });
  const body = await response.text().catch(() => "");
  if (response.status >= 400) return [];
  const events = eventsIn(body).map(({ event, data }) => ({ data: fieldsOf(data), name: event, endsAt: 0 }));
  const heard = READERS[client](events, true);
  const recorded = heardOf(recording);
  const faults: Difference[] = [];
  if (!events.some(({ data }) => format.errorIn(data) !== undefined))
    faults.push({ kind: "cut", expected: "an error at its end", actual: body.slice(-300) });
  if (recorded?.text.startsWith(heard.text) !== true)
    faults.push({ kind: "cut", expected: recorded?.text, actual: heard.text });
  if (!withoutBlanks(recorded?.thinking ?? "").startsWith(withoutBlanks(heard.thinking)))
    faults.push({ kind: "cut", expected: recorded?.thinking, actual: heard.thinking });
  return faults;
}

async function replayOne(scene: Scene, lane: Lane, recording: Recording, cutCount: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const recorded = isError(recording) ? undefined : heardOf(recording);
  for (const client of CLIENTS) {
    const differences =
      recorded === undefined
        ? await replayError(scene, lane, recording, client)
        : await replayWhole(scene, lane, recording, client, recorded);
    outcomes.push({ recording, client: client.name, recorded, cutAtByte: undefined, differences });
  }
  for (const cutAtByte of cutsOf(recording, cutCount))
    for (const { name } of CLIENTS)
      outcomes.push({
        recording,
        client: name,
        recorded,
        cutAtByte,
        differences: await replayCut(scene, lane, recording, name, cutAtByte),
      });
  return outcomes;
}

/**
 * Replays every recording for all four clients, `cutCount` cuts a stream included; `tell` is called with the number of recordings done.
 * Throws where the relay itself fails.
 */
export async function replay(
  scene: Scene,
  recordings: readonly Recording[],
  cutCount: number,
  tell: (done: number) => void = () => undefined,
): Promise<Outcome[]> {
  const outcomes: Outcome[][] = [];
  let next = 0;
  let done = 0;
  const work = async (lane: Lane): Promise<void> => {
    for (let index = next++; index < recordings.length; index = next++) {
      const recording = recordings[index];
      if (recording === undefined) continue;
      outcomes[index] = await replayOne(scene, lane, recording, cutCount);
      tell((done += 1));
    }
  };
  await Promise.all(scene.lanes.map(work));
  return outcomes.flat();
}
