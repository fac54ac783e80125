/** A browser's cookies and its `Origin` headers, without the browser, for tests. */

export interface VisitorAnswer {
  status: number;
  location: string | null;
  setCookies: readonly string[];
  body: { success: boolean; message: string; data: unknown; code?: string; field?: string } & Record<string, unknown>;
}

/** One browser. Calls come from the site's own pages unless their headers say otherwise. */
export class Visitor {
  readonly #url: string;
  readonly cookies = new Map<string, string>();
  userId = 0;

  constructor(url: string) {
    this.#url = url;
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<VisitorAnswer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(this.#url + path, {
      method,
      redirect: "manual",
      headers: {
        "Sec-Fetch-Site": "same-origin",
        ...(cookie === "" ? {} : { Cookie: cookie }),
        ...(this.userId === 0 ? {} : { "New-Api-User": String(this.userId) }),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const setCookies = response.headers.getSetCookie();
    for (const each of setCookies) this.#keep(each);
    const text = await response.text();
    const parsed = text.startsWith("{") ? JSON.parse(text) : { success: response.ok, message: "", data: undefined };
    return {
      status: response.status,
      location: response.headers.get("location"),
      setCookies,
      body: parsed as VisitorAnswer["body"],
    };
  }

  #keep(header: string): void {
    const [pair = ""] = header.split(";");
    const at = pair.indexOf("=");
    this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }

  get = (path: string, headers?: Record<string, string>) => this.call("GET", path, undefined, headers);
  post = (path: string, body: unknown, headers?: Record<string, string>) => this.call("POST", path, body, headers);

  /** Takes the session and the id of a user whom the test logged in. */
  as({ cookie, userId }: { cookie: string; userId: number }): this {
    this.cookies.set("turnpike_session", cookie);
    this.userId = userId;
    return this;
  }
}
