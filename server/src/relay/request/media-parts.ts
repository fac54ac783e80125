/** Pictures, films and recordings in requests that are no chats: edits of pictures, embeddings, rerankings; by their addresses too. */
import type { Operation } from "../../providers/provider.ts";
import type { Accepted } from "./accepted.ts";
import { entriesOf, valuesNamed } from "./named-values.ts";
import { foreignTypes, hidesNames, quoted } from "./unseen-parts.ts";

export interface MediaParts {
  readonly pictures: number;
  /** Films, documents and stored files: only the model's window bounds each of them. */
  readonly films: number;
  readonly hasSound: boolean;
}

const NOTHING: MediaParts = { pictures: 0, films: 0, hasSound: false };

/** Names as the vendors have them: Jina, Voyage, Cohere, Alibaba, Google. */
const PICTURES = quoted("image images image_url image_base64 inlineData inline_data");
const FILMS = quoted("video video_url video_base64 multi_images pdf file_id file_url fileData file_data");
const SOUNDS = quoted("audio audio_url input_audio");
const ADDRESSES = { types: quoted("url image image_url"), areAddresses: true };
const MEDIA_TYPES = { types: quoted("mimeType mime_type"), areAddresses: false };

/** Of edits: lists of pictures, and the fields by which one of them is named. */
const [EDITED, NAMED] = [quoted("image images"), quoted("image_url file_id")];

const OPEN_LIST = 91;

/** Values under these names, of a list its entries. */
function countNamed(body: Buffer, names: readonly Buffer[]): number {
  let count = 0;
  for (const name of names)
    for (const { start, end } of valuesNamed(body, name))
      count += body[start] === OPEN_LIST ? [...entriesOf(body, { valueStart: start, valueEnd: end })].length : 1;
  return count;
}

/** Pictures to edit and their masks, in a form or as JSON. */
function editedPictures({ body, form }: Accepted): MediaParts {
  const pictures =
    form === undefined
      ? Math.max(countNamed(body, EDITED), countNamed(body, NAMED))
      : form.parts.filter(({ isFile }) => isFile).length;
  return { ...NOTHING, pictures };
}

function embeddedMedia(accepted: Accepted): MediaParts {
  const { body } = accepted;
  if (hidesNames(body)) return { ...NOTHING, films: 1 };
  const pictures = countNamed(body, PICTURES);
  const [found, typed] = [foreignTypes(accepted, ADDRESSES), foreignTypes(accepted, MEDIA_TYPES)];
  const foreign = found.isForeign || typed.isForeign ? Math.max(1, pictures) : 0;
  return {
    pictures,
    films: countNamed(body, FILMS) + foreign,
    hasSound: found.isSound || typed.isSound || countNamed(body, SOUNDS) > 0,
  };
}

const READERS: Readonly<Partial<Record<Operation, (accepted: Accepted) => MediaParts>>> = {
  embeddings: embeddedMedia,
  rerank: embeddedMedia,
  image_edits: editedPictures,
  images: editedPictures,
};

/** What a request has of media; nothing where its operation reads words alone. */
export const mediaParts = (accepted: Accepted): MediaParts => READERS[accepted.operation]?.(accepted) ?? NOTHING;
