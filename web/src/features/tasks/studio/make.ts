/** Sends a user's requests of the studio with their session: they become tasks, or pictures and speech that are stored in this browser. */
import { type Shortage, shortageOf } from "../../../lib/shortage.ts";
import { viewer } from "../../../lib/viewer.ts";
import { requestOf, type StudioModel, type Wish } from "../model/studio.ts";
import { addKept, type Kept, newId } from "./kept.ts";

/** Why nothing was made; `code` is the relay's, `unreachable` where no answer came. */
export class NotMade extends Error {
  readonly code: string;
  readonly status: number;
  /** How much the call lacked, where the balance did not reach for it. */
  readonly shortage: Shortage | undefined;

  constructor(message: string, code: string, status: number, shortage?: Shortage) {
    super(message);
    this.name = "NotMade";
    this.code = code;
    this.status = status;
    this.shortage = shortage;
  }
}

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The relay ends its sentences with the request id. */
const REQUEST_ID = / \(request id: [^)]*\)$/;

/** The code of task APIs for a balance that is too low. */
const NO_QUOTA = "quota_not_enough";

function codeOf(body: Fields): string {
  const code = textOf(fieldsOf(body["error"])["code"]) || textOf(body["code"]) || textOf(body["result"]);
  return code === NO_QUOTA ? "insufficient_user_quota" : code;
}

async function failureOf(response: Response): Promise<NotMade> {
  const body = fieldsOf(await response.json().catch(() => undefined));
  const { message } = fieldsOf(body["error"]);
  const said = textOf(message) || textOf(body["message"]) || textOf(body["description"]);
  return new NotMade(
    said.replace(REQUEST_ID, "") || `HTTP ${response.status}`,
    codeOf(body),
    response.status,
    shortageOf(body["error"]),
  );
}

async function post(path: string, body: object): Promise<Response> {
  const headers = { "Content-Type": "application/json", "New-Api-User": String(viewer()?.id ?? -1) };
  const request = { method: "POST", headers, credentials: "same-origin", body: JSON.stringify(body) } as const;
  const response = await fetch(path, request).catch(() => {
    throw new NotMade("", "unreachable", 0);
  });
  if (!response.ok) throw await failureOf(response);
  return response;
}

const requestIdOf = ({ headers }: Response): string => headers.get("x-request-id") ?? "";

/** The bytes of base64 text. */
const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (letter) => letter.codePointAt(0) ?? 0);

/** PNG but where the first bytes say otherwise. */
const pictureType = (base64: string): string => {
  if (base64.startsWith("/9j/")) return "image/jpeg";
  return base64.startsWith("UklGR") ? "image/webp" : "image/png";
};

interface Made {
  blob?: Blob;
  address?: string;
}

/** The pictures of an answer: their bytes, or where they are. */
function picturesOf(body: unknown): Made[] {
  const { data } = fieldsOf(body);
  return (Array.isArray(data) ? (data as unknown[]) : []).flatMap((each): Made[] => {
    const { b64_json, url } = fieldsOf(each);
    const base64 = textOf(b64_json);
    if (base64 !== "") return [{ blob: new Blob([bytesOf(base64)], { type: pictureType(base64) }) }];
    return textOf(url) === "" ? [] : [{ address: textOf(url) }];
  });
}

/** Results that an answer has at once; none for a task. Throws NotMade where the upstream did not take it. */
async function madeAtOnce({ way }: StudioModel, response: Response): Promise<Made[]> {
  if (way === "speech") return [{ blob: await response.blob() }];
  const body: unknown = await response.json().catch(() => undefined);
  if (way !== "images") return [];
  const pictures = picturesOf(body);
  if (pictures.length === 0) throw new NotMade("", "no_picture", response.status);
  return pictures;
}

/**
 * Makes it. Resolves once a task was taken on, or once what came at once is kept. Rejects with NotMade, and where the browser keeps nothing
 * with its own error.
 */
export async function make(model: StudioModel, wish: Wish): Promise<void> {
  const { path, body } = requestOf(model, wish);
  const response = await post(path, body);
  const { prompt, options } = wish;
  const requestId = requestIdOf(response);
  const common = { userId: viewer()?.id ?? 0, kind: model.kind, model: model.name, prompt, options, requestId };
  for (const made of await madeAtOnce(model, response)) {
    const kept: Kept = { ...common, id: newId(), atMs: Date.now(), ...made };
    await addKept(kept);
  }
}

/** Goes on from one of the four pictures of a drawing. Rejects with NotMade. */
export async function changeDrawing(taskId: string, action: "UPSCALE" | "VARIATION", index: number): Promise<void> {
  await post("/pg/mj/submit/change", { taskId, action, index });
}
