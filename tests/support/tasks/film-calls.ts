/** Calls that tests of video vendors share, in the common form: an accepted video, a refused one, and its bytes. */
import { expect } from "vitest";
import type { SeenRequest } from "../../fake-upstream/tasks/json-server.ts";
import type { TaskPerson, TaskSite } from "./task-site.ts";

/** Quota of a USD. */
const USD = 500_000;

/** A vendor with what it was asked. */
interface Asked {
  requests: readonly SeenRequest[];
}

/** A film that was taken: its id, its price in USD, and the request that its vendor got. */
export interface MadeFilm extends Pick<SeenRequest, "path" | "fields" | "headers"> {
  id: string;
  usd: number;
}

export interface FilmCalls {
  ask(body: object): Promise<Response>;
  /** What a film is read as by its owner. */
  film(id: string): Promise<{ url: string }>;
  /** USD that the work takes from balance and token alike. */
  spentBy(work: () => Promise<unknown>): Promise<number>;
  made(vendor: Asked, body: object): Promise<MadeFilm>;
  /** The error of a film that is refused; nothing of it is charged, and its vendor is not asked. */
  refused(vendor: Asked, body: object): Promise<unknown>;
  /** The bytes as this gateway fetches them for their owner. */
  content(id: string): Promise<Buffer>;
}

/** The bytes behind an address. */
export const bytesAt = async (url: string): Promise<Buffer> => Buffer.from(await (await fetch(url)).arrayBuffer());

export function filmCalls(site: TaskSite, person: TaskPerson): FilmCalls {
  const calls: FilmCalls = {
    ask: (body) => site.post("/v1/video/generations", person, body),
    film: async (id) =>
      (await site.get(`/v1/video/generations/${encodeURIComponent(id)}`, person)).json() as Promise<{ url: string }>,
    async spentBy(work) {
      const before = await site.left(person);
      await work();
      const after = await site.left(person);
      expect(before.token - after.token).toBe(before.quota - after.quota);
      return (before.quota - after.quota) / USD;
    },
    async made(vendor, body) {
      let id = "";
      const usd = await calls.spentBy(async () => {
        const answer = await calls.ask(body);
        const read = (await answer.json()) as { task_id: string };
        expect([answer.status, read]).toMatchObject([200, { id: read.task_id, object: "video", status: "queued" }]);
        id = read.task_id;
      });
      const sent = vendor.requests.at(-1);
      if (sent === undefined) throw new Error("the vendor was not asked");
      return { id, usd, path: sent.path, fields: sent.fields, headers: sent.headers };
    },
    async refused(vendor, body) {
      const asked = vendor.requests.length;
      let error: unknown;
      const usd = await calls.spentBy(async () => {
        const answer = await calls.ask(body);
        ({ error } = (await answer.json()) as { error: unknown });
        expect(answer.status).toBe(400);
      });
      expect([usd, vendor.requests.length]).toEqual([0, asked]);
      return error;
    },
    async content(id) {
      const answer = await site.get(`/v1/videos/${encodeURIComponent(id)}/content`, person);
      return Buffer.from(await answer.arrayBuffer());
    },
  };
  return calls;
}
