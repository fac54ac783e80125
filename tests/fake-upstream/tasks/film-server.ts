/** Shared by the fakes of video vendors: videos by their ids, an answer set by the test, and files that need no key. */
import { type GivenAnswer, type JsonServer, type SeenRequest, startJsonServer } from "./json-server.ts";

export const FILM_BYTES = Buffer.from("00000018667479706d703432", "hex");

type Fields = Record<string, unknown>;

export interface FakeFilms extends JsonServer {
  /** By their ids, with the fields in which the vendor reports them. */
  films: Map<string, Fields>;
  /** What the next request is answered in place of the vendor's own answer. */
  next: GivenAnswer | undefined;
  /** A film with these fields of its report changed. Throws for an unknown one. */
  change(id: string, fields: Fields): void;
  /** Where the file of a film is, as vendors sign such addresses. */
  fileOf(id: string): string;
}

/** Starts a vendor. `answer` makes a new film with an id that it is given, or reports one. */
export async function startFilmServer(
  answer: (request: SeenRequest, films: Map<string, Fields>, nextId: () => string) => GivenAnswer,
): Promise<FakeFilms> {
  const films = new Map<string, Fields>();
  let count = 0;
  const nextId = (): string => `film-${(count += 1)}`;
  const server = await startJsonServer((request) => {
    const own = fake.next;
    fake.next = undefined;
    if (own !== undefined) return own;
    if (!request.path.startsWith("/files/")) return answer(request, films, nextId);
    return { body: FILM_BYTES, headers: { "content-type": "video/mp4" } };
  });
  const fake: FakeFilms = {
    ...server,
    films,
    next: undefined,
    change(id, fields) {
      const film = films.get(id);
      if (film === undefined) throw new Error(`there is no film ${id}`);
      Object.assign(film, fields);
    },
    fileOf: (id) => `${server.url}/files/${id}.mp4?signature=0`,
  };
  return fake;
}
