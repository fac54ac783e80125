/** For tests: a real SMTP server on a free port of this machine, and the mails it received, decoded. */
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { SMTPServer } from "smtp-server";
import type { Certificate } from "../systems/certificate.ts";

export interface ReceivedMail {
  from: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  isEncrypted: boolean;
  /** The user who logged in; "" for none. */
  user: string;
  /** PLAIN or LOGIN; "" without a login. */
  authMethod: string;
}

export interface MailServerOptions {
  /** `starttls` offers it, `implicit` speaks TLS from the first byte. */
  tls?: "none" | "starttls" | "implicit";
  certificate?: Certificate;
  /** The user and password to log in with; without it no login is required. */
  login?: { user: string; password: string };
  /** Ways of logging in that are offered. */
  authMethods?: string[];
  /** Called for each mail before it is taken: an Error with `responseCode` refuses it, "cut" cuts the connection. */
  onMail?: (number: number) => Error | "cut" | undefined;
}

export interface MailServer {
  port: number;
  mails: ReceivedMail[];
  /** Mails that were offered, refused ones too. */
  offered(): number;
  /** The first mail that fits, as soon as it is there. Throws after 8 s. */
  wait(fits?: (mail: ReceivedMail) => boolean): Promise<ReceivedMail>;
  close(): Promise<void>;
}

function decodeWords(header: string): string {
  return header
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, coded: string) =>
      kind.toLowerCase() === "b"
        ? Buffer.from(coded, "base64").toString("utf8")
        : decodeQuoted(coded.replaceAll("_", " ")),
    );
}

const decodeQuoted = (coded: string): string =>
  Buffer.from(
    coded
      .replaceAll(/=\r?\n/g, "")
      .replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString("utf8");

function headersOf(head: string): Map<string, string> {
  const lines = head.replaceAll(/\r?\n[ \t]+/g, " ").split(/\r?\n/);
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
}

function split(part: string): { headers: Map<string, string>; body: string } {
  const end = part.search(/\r?\n\r?\n/);
  return { headers: headersOf(part.slice(0, end)), body: part.slice(end).replace(/^\r?\n\r?\n/, "") };
}

/** Subject, plain text and HTML of a message as it came over the wire (RFC 5322, RFC 2045). */
function parseMail(raw: string): Pick<ReceivedMail, "subject" | "text" | "html"> {
  const { headers, body } = split(raw);
  const boundary = /boundary="?([^";]+)"?/.exec(headers.get("content-type") ?? "")?.[1];
  const parts =
    boundary === undefined
      ? [raw]
      : body
          .split(`--${boundary}`)
          .slice(1, -1)
          .map((part) => part.trimStart());
  const contents = parts.map((part) => {
    const { headers: about, body: coded } = split(part);
    const encoding = about.get("content-transfer-encoding") ?? "7bit";
    const content =
      encoding === "base64"
        ? Buffer.from(coded, "base64").toString("utf8")
        : encoding === "quoted-printable"
          ? decodeQuoted(coded)
          : coded;
    return { type: about.get("content-type") ?? "", content };
  });
  const ofType = (type: string) => contents.find((part) => part.type.startsWith(type))?.content.trimEnd() ?? "";
  return { subject: decodeWords(headers.get("subject") ?? ""), text: ofType("text/plain"), html: ofType("text/html") };
}

const WAIT_MS = 8_000;

/** Starts it. */
export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const { tls = "none", certificate, login, authMethods = ["PLAIN", "LOGIN"], onMail } = options;
  const mails: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  let offered = 0;
  let authMethod = "";
  const server = new SMTPServer({
    secure: tls === "implicit",
    hideSTARTTLS: tls !== "starttls",
    authOptional: login === undefined,
    allowInsecureAuth: tls === "none",
    authMethods,
    disableReverseLookup: true,
    logger: false,
    ...(certificate === undefined ? {} : { key: certificate.key, cert: certificate.cert }),
    onAuth(auth, _session, done) {
      const isRight = auth.username === login?.user && auth.password === login?.password;
      authMethod = auth.method;
      if (isRight) done(null, { user: auth.username });
      else done(new Error("535 5.7.8 the name or the password is wrong"));
    },
    onData(stream, session, done) {
      offered += 1;
      const verdict = onMail?.(offered);
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        if (verdict instanceof Error) return done(verdict);
        if (verdict === "cut") return sockets.forEach((socket) => socket.destroy());
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? "" : mailFrom.address;
        const to = rcptTo.map(({ address }) => address).join(",");
        const about = { from, to, user: String(session.user ?? ""), isEncrypted: session.secure, authMethod };
        mails.push({ ...about, ...parseMail(Buffer.concat(parts).toString("utf8")) });
        return done(null, "queued as 4711");
      });
    },
  });
  server.on("error", () => undefined); // A connection that was cut is what some tests are about.
  server.server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    offered: () => offered,
    async wait(fits = () => true) {
      for (const end = Date.now() + WAIT_MS; Date.now() < end; await delay(20)) {
        const found = mails.find(fits);
        if (found !== undefined) return found;
      }
      throw new Error(
        `no such mail came; there are ${mails.map(({ subject, to }) => `"${subject}" to ${to}`).join(", ")}`,
      );
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
