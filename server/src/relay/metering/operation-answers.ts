/** What the line reads in the parsed answer of an operation beside chat: the usage it reports, and how many pictures came. */
import type { UpstreamFormat } from "../../dialects/dialect.ts";
import { listOf, numberOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import type { Operation } from "../../providers/provider.ts";

export interface ReadAnswer {
  /** As the upstream wrote it; undefined where it sent none. */
  rawUsage: unknown;
  pictures?: number;
}

type Read = (answer: JsonObject) => ReadAnswer;

const pictures: Read = ({ usage, data }) => ({ rawUsage: usage, pictures: listOf(data).length });

/** verbose_json has the length of the recording beside the usage, or instead of it. */
function recording({ usage, duration }: JsonObject): ReadAnswer {
  const seconds = numberOf(Number(duration));
  return { rawUsage: usage ?? (seconds === undefined || seconds <= 0 ? undefined : { type: "duration", seconds }) };
}

/** Operations whose answers are always parsed: they are small, or what is charged is not in a usage object alone. */
const READERS: Readonly<Partial<Record<Operation, Read>>> = {
  images: pictures,
  image_edits: pictures,
  image_variations: pictures,
  transcriptions: recording,
  translations: recording,
  rerank: ({ usage, meta }) => ({ rawUsage: usage ?? meta }),
};

/** `dialect` is the upstream's. */
export function answerReader(operation: Operation, { imagesReader }: UpstreamFormat): Read | undefined {
  if (operation !== "images" || imagesReader === undefined) return READERS[operation];
  return (answer) => ({ rawUsage: undefined, pictures: imagesReader.came(answer) });
}
