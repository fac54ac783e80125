/**
 * MiniMax's video tasks as its documentation has them (platform.minimax.io/docs/api-reference/video-generation-t2v, -i2v, -query and
 * -download; -v2-create and -v2-query for MiniMax-H3): failures come with status 200 and a code in `base_resp`, and a film that is done is a
 * file whose address is asked for by its id.
 */
import { type FakeFilms, startFilmServer } from "./film-server.ts";
import type { GivenAnswer } from "./json-server.ts";

export const HAILUO_KEY = "eyJ-hailuo-0123456789";

const code = (status_code: number, status_msg: string) => ({ base_resp: { status_code, status_msg } });
const DONE = code(0, "success");

/** A film of the older API has `status` from `Preparing` to `Success` or `Fail`; one of the newer from `queued` to `succeeded` or `failed`. */
export async function startFakeHailuo(): Promise<FakeFilms> {
  const fake: FakeFilms = await startFilmServer(({ method, path, headers, fields }, films, nextId): GivenAnswer => {
    if (headers.authorization !== `Bearer ${HAILUO_KEY}`)
      return { body: code(1004, "login fail: Please carry the API secret key") };
    const at = `${method} ${path.replace(/[?].*$/, "")}`;
    const query = new URLSearchParams(path.replace(/^[^?]*/, ""));
    if (at === "POST /v1/video_generation" || at === "POST /v2/video_generation") {
      if (typeof fields["model"] !== "string")
        return { body: { task_id: "", ...code(2013, "invalid params, model is missing") } };
      const id = nextId();
      films.set(id, at.includes("v2") ? { id, status: "queued" } : { task_id: id, status: "Preparing", file_id: "" });
      return { body: { task_id: id, ...DONE } };
    }
    if (at === "GET /v1/query/video_generation") {
      const film = films.get(query.get("task_id") ?? "");
      return { body: film === undefined ? code(2013, "invalid params, task_id not found") : { ...film, ...DONE } };
    }
    if (at.startsWith("GET /v2/query/video_generation/")) {
      const film = films.get(at.slice(at.lastIndexOf("/") + 1));
      return { body: film === undefined ? code(2013, "invalid task_id") : { task: film, ...DONE } };
    }
    if (at !== "GET /v1/files/retrieve") return { status: 404, body: "404 page not found" };
    const file_id = query.get("file_id") ?? "";
    const isKnown = [...films.values()].some((film) => film["file_id"] === file_id && film["status"] === "Success");
    const file = {
      file_id,
      bytes: 12,
      filename: "output.mp4",
      purpose: "video_generation",
      download_url: fake.fileOf(file_id),
    };
    return { body: isKnown ? { file, ...DONE } : code(2013, "invalid params, file_id not found") };
  });
  return fake;
}
