/** Models on the disk of an operator's own server (Ollama): pulled with their progress, and deleted; endpoints for administrators. */
import { z } from "zod";
import { endpoint, streamEndpoint } from "../endpoint.ts";
import { nameText } from "../names.ts";
import { pathId } from "../query.ts";

/** Characters of a model's name with its registry and tag. */
const NAME_LENGTH = 256;

const chosen = z.object({ model: nameText.trim().min(1).max(NAME_LENGTH) });

/** A line of the answer of a pull. Bytes are those of the part that is under way; 0 of 0 where the server names none. */
export type PullLine =
  | { kind: "progress"; status: string; completed_bytes: number; total_bytes: number }
  | { kind: "failure"; message: string }
  | { kind: "done" };

/** What its server does for an administrator of operations: no key and no address changes. */
const operating = { access: "admin", object: "site", act: "channels_operate" } as const;

export const pullStoredModel = streamEndpoint({
  method: "POST",
  path: "/api/channel/{id}/stored_models/pull",
  ...operating,
  summary:
    "Has the server of an Ollama channel pull a model: lines of JSON, how far it is, at last whether it is there. Who leaves ends it; the server keeps what it has and goes on from there the next time",
  params: pathId,
  body: chosen,
  mediaType: "application/x-ndjson",
});

export const deleteStoredModel = endpoint({
  method: "POST",
  path: "/api/channel/{id}/stored_models/delete",
  ...operating,
  summary: "Deletes a model from the disk of an Ollama channel's server; the channel's list of models stays as it is",
  params: pathId,
  body: chosen,
});
