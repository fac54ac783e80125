/**
 * Veo on Vertex AI as its documentation has it (cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo-video-generation):
 * operations that are asked for by their names, films as bytes or as objects of Cloud Storage.
 */
import { FILM_BYTES, type FakeFilms, startFilmServer } from "./film-server.ts";
import type { GivenAnswer } from "./json-server.ts";

const MODELS = /^\/v1\/(projects\/my-project\/locations\/[\w-]+\/publishers\/google\/models\/[\w.-]+):(\w+)$/;
/** An object of Cloud Storage, which a proxy of Google's addresses serves beside them (cloud.google.com/storage/docs/json_api/v1/objects/get). */
const OBJECT = /^\/storage\/v1\/b\/films\/o\/[\w%.-]+\?alt=media$/;

const refusal = (code: number, status: string, message: string): GivenAnswer => ({
  status: code,
  body: { error: { code, message, status } },
});

/** A film's report is its operation: `name`, and with `done` an `error` or a `response`. Tokens are those of the account in support/providers/google-account.ts. */
export function startFakeVeo(): Promise<FakeFilms> {
  return startFilmServer(({ method, path, headers, fields }, films, nextId) => {
    if (!/^Bearer ya29\.token-\d+$/.test(headers.authorization ?? ""))
      return refusal(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.");
    if (method === "GET" && OBJECT.test(path)) return { body: FILM_BYTES, headers: { "content-type": "video/mp4" } };
    const [, model = "", action] = MODELS.exec(path) ?? [];
    if (method === "POST" && action === "predictLongRunning") {
      if (!Array.isArray(fields["instances"])) return refusal(400, "INVALID_ARGUMENT", "instances are missing");
      const name = `${model}/operations/${nextId()}`;
      films.set(name, { name });
      return { body: { name } };
    }
    if (method !== "POST" || action !== "fetchPredictOperation") return refusal(404, "NOT_FOUND", "not found");
    const film = films.get(String(fields["operationName"]));
    return film === undefined ? refusal(404, "NOT_FOUND", "The operation is not found.") : { body: film };
  });
}
