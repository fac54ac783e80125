/** Embeddings in the one shape that dialects with such a call decode to and encode from; part of the hub. */

export interface NeutralEmbeddings {
  /** The name the upstream knows. */
  model: string;
  /** Texts, or texts that the client has already cut into tokens. At least one. */
  inputs: readonly (string | readonly number[])[];
  /** The client gave one text and no list, and is answered so. */
  isSingle: boolean;
  dimensions?: number;
  /** How the client wants the numbers: as a list, or 32-bit floats in base64. */
  encodingFormat: "float" | "base64";
  /** What the vectors are for, as Google's task types. */
  taskType?: string;
  /** Title of the document that is embedded, where it is one. */
  title?: string;
  /** Names of fields of the client's request that have no place here; each becomes a warning. */
  unknownFields: readonly string[];
}

export interface NeutralVectors {
  /** One for each input, in its order. */
  vectors: readonly (readonly number[])[];
  /** As the upstream wrote it; undefined where it sent none. */
  rawUsage: unknown;
}
