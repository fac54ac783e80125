/** A call beside chat in a vendor's own format: the client's request, the vendor's expected request and answer, and the client's answer. */
import type { Operation } from "../../../server/src/providers/provider.ts";

type Fields = Readonly<Record<string, unknown>>;

/** One answer of the vendor; `wants` is all that may come. */
interface Exchange {
  method?: "GET" | "POST";
  /** With its query. */
  path: string;
  /** The whole body; a text where it is no JSON. Absent for a GET. */
  wants?: Fields | string;
  /** Headers besides the key. */
  headers?: Readonly<Record<string, string>>;
  /** A text with its media type where it is no JSON. */
  says: Fields | { bytes: string; mimeType: string };
  status?: number;
}

export interface OperationCase {
  name: string;
  /** Channel type. */
  type: number;
  other?: string;
  operation: Operation;
  /** As the client sends it; a `file` goes as a form. */
  asks: Fields;
  file?: { name: string; bytes: Buffer };
  exchanges: readonly Exchange[];
  /** At least these fields; a text where the answer is no JSON. */
  gets: Fields | string;
  /** Price of a call; by tokens where absent. */
  price?: string;
  /** In quota. */
  charge?: number;
  /** In the receipt, at least. */
  counted?: Fields;
  /** Names of fields in the warnings. */
  warned?: readonly string[];
}
