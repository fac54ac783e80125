/** Tests of mail against a real SMTP server: encrypted with a checked certificate, every login mechanism it offers, and each failure reported by its cause. */
import { afterEach, describe, expect, it } from "vitest";
import { makeCertificate } from "../../../tests/support/systems/certificate.ts";
import {
  type MailServer,
  type MailServerOptions,
  startMailServer,
} from "../../../tests/support/messages/mail-server.ts";
import type { DeliveryFault } from "./delivery-fault.ts";
import { createMailer, type MailOptions } from "./mail.ts";

const certificate = makeCertificate();
const MAIL = { subject: "验证码 <code>", text: "plain 文本 = ü", html: "<p>html 文本</p>" };
const LOGIN = { user: "sender@site.example", password: "p=ss wörd" };

let server: MailServer | undefined;
afterEach(() => server?.close());

/** Sends one mail to a server made so; `isLocal` false treats it as one elsewhere. */
async function send(
  serverOptions: MailServerOptions,
  {
    isLocal = true,
    certificates = "",
    ...options
  }: Partial<MailOptions> & { isLocal?: boolean; certificates?: string } = {},
): Promise<string> {
  server = await startMailServer(serverOptions);
  const mailer = createMailer({
    options: () => ({
      SMTPServer: "127.0.0.1",
      SMTPPort: server?.port ?? 0,
      SMTPAccount: LOGIN.user,
      SMTPToken: serverOptions.login === undefined ? "" : LOGIN.password,
      SMTPFrom: "",
      SMTPSSLEnabled: false,
      SMTPStartTLSEnabled: true,
      SMTPInsecureSkipVerify: false,
      SMTPForceAuthLogin: false,
      SystemName: 'Site "Name" <x@y.example>, zwei',
      ...options,
    }),
    isLoopback: () => isLocal,
    ...(certificates === "" ? {} : { certificates }),
  });
  return mailer.send("ada@mail.example", MAIL);
}

const refusal = (sent: Promise<string>): Promise<Partial<DeliveryFault>> =>
  sent.then(
    () => ({ kind: "internal", detail: "it was sent" }),
    ({ kind, isFinal }: DeliveryFault) => ({ kind, isFinal }),
  );

describe("a mail", () => {
  it("arrives over a server on this machine, in both forms and any letters", async () => {
    expect(await send({})).toContain("queued as 4711");
    expect(server?.mails).toMatchObject([{ to: "ada@mail.example", from: LOGIN.user, isEncrypted: false, ...MAIL }]);
  });

  it("is sent from SMTPFrom where that is set", async () => {
    await send({}, { SMTPFrom: "noreply@site.example" });
    expect(server?.mails[0]?.from).toBe("noreply@site.example");
  });

  it.each(["starttls", "implicit"] as const)("is encrypted by %s, with a login", async (tls) => {
    const secure = { tls, certificate, login: LOGIN };
    await send(secure, { isLocal: false, certificates: certificate.cert, SMTPSSLEnabled: tls === "implicit" });
    expect(server?.mails).toMatchObject([{ isEncrypted: true, user: LOGIN.user }]);
  });

  it("logs in by LOGIN where the server offers nothing else", async () => {
    await send({ login: LOGIN, authMethods: ["LOGIN"] });
    expect(server?.mails[0]?.user).toBe(LOGIN.user);
  });
});

describe("switches of the super administrator", () => {
  it("let a mail go out in plain, and still take STARTTLS where it is offered", async () => {
    await send({}, { isLocal: false, SMTPStartTLSEnabled: false });
    expect(server?.mails).toMatchObject([{ isEncrypted: false }]);
    await server?.close();
    const secure = { tls: "starttls", certificate } as const;
    await send(secure, { isLocal: false, SMTPStartTLSEnabled: false, certificates: certificate.cert });
    expect(server?.mails).toMatchObject([{ isEncrypted: true }]);
  });

  it.each(["starttls", "implicit"] as const)("accept a certificate that nobody signed (%s)", async (tls) => {
    const secure = { tls, certificate, login: LOGIN };
    await send(secure, { isLocal: false, SMTPInsecureSkipVerify: true, SMTPSSLEnabled: tls === "implicit" });
    expect(server?.mails).toMatchObject([{ isEncrypted: true, user: LOGIN.user }]);
  });

  it("log in by LOGIN where the server offers others too", async () => {
    await send({ login: LOGIN, authMethods: ["PLAIN", "LOGIN"] }, { SMTPForceAuthLogin: true });
    expect(server?.mails).toMatchObject([{ user: LOGIN.user, authMethod: "LOGIN" }]);
    await server?.close();
    await send({ login: LOGIN, authMethods: ["PLAIN", "LOGIN"] });
    expect(server?.mails).toMatchObject([{ authMethod: "PLAIN" }]);
  });
});

describe("a mail is not sent", () => {
  it("in plain to a server elsewhere", async () => {
    expect(await refusal(send({}, { isLocal: false }))).toEqual({ kind: "smtp_tls", isFinal: false });
    expect(server?.offered()).toBe(0);
  });

  it.each(["starttls", "implicit"] as const)("to an untrusted certificate (%s)", async (tls) => {
    const secure = { tls, certificate };
    const sent = send(secure, { isLocal: false, SMTPSSLEnabled: tls === "implicit" });
    expect(await refusal(sent)).toEqual({ kind: "smtp_tls", isFinal: false });
    expect(server?.offered()).toBe(0);
  });

  it("with a wrong password", async () => {
    expect(await refusal(send({ login: { ...LOGIN, password: "another" } }))).toEqual({
      kind: "smtp_login",
      isFinal: false,
    });
  });

  it("where the server refuses it, for now or for good", async () => {
    const refuse = (responseCode: number) => () => Object.assign(new Error("no"), { responseCode });
    expect(await refusal(send({ onMail: refuse(451) }))).toEqual({ kind: "smtp_refused", isFinal: false });
    await server?.close();
    expect(await refusal(send({ onMail: refuse(550) }))).toEqual({ kind: "smtp_refused", isFinal: true });
  });

  it("if the connection is cut or refused", async () => {
    expect(await refusal(send({ onMail: () => "cut" }))).toEqual({ kind: "smtp_unreachable", isFinal: false });
    await server?.close();
    expect(await refusal(send({}, { SMTPPort: 1 }))).toEqual({ kind: "smtp_unreachable", isFinal: false });
  });

  it("where no server or sender is set", async () => {
    for (const options of [{ SMTPServer: "" }, { SMTPAccount: "", SMTPFrom: "" }]) {
      expect(await refusal(send({}, options))).toEqual({ kind: "smtp_not_configured", isFinal: false });
      await server?.close();
    }
  });
});
