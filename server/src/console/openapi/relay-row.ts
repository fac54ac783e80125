/** One operation of the relay as the OpenAPI document has it. */
import type { EnvelopeName } from "./relay-failures.ts";

type Json = Record<string, unknown>;

/** An operation and the addresses it has; where one stands at several, each has an id of its own. */
export interface RelayRow {
  method?: "get" | "post" | "delete";
  /** Address to operation id. */
  at: Readonly<Record<string, string>>;
  summary: string;
  /** Whose errors it answers with; OpenAI's where absent. */
  envelope?: EnvelopeName;
  /** Schema of a JSON body. */
  body?: Json;
  /** Fields that a form cannot go without. */
  form?: readonly string[];
  parameters?: readonly Json[];
  /** The good answer. */
  answer: Json;
  security?: readonly Json[];
}
