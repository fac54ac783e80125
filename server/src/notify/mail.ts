/**
 * Sends a mail through the SMTP server of the options: encrypted with a checked certificate, unless the server is on this machine or the super
 * administrator has switched off one of both.
 */
import { isLoopbackHost } from "../../../contract/src/address.ts";
import type { OptionValues } from "../../../contract/src/options/options.ts";
import { DeliveryFault } from "./delivery-fault.ts";
import type { Mail } from "./render.ts";

export type MailOptions = Pick<
  OptionValues,
  | "SMTPServer"
  | "SMTPPort"
  | "SMTPAccount"
  | "SMTPToken"
  | "SMTPFrom"
  | "SMTPSSLEnabled"
  | "SMTPStartTLSEnabled"
  | "SMTPInsecureSkipVerify"
  | "SMTPForceAuthLogin"
  | "SystemName"
>;

interface MailerSettings {
  options(): MailOptions;
  /** Trusted certificates besides the system's, PEM. */
  certificates?: string;
  /** Whether the server is on this machine; replaceable in tests, where every server is. */
  isLoopback?: (host: string) => boolean;
}

const TIMEOUT_MS = 10_000;
const IMPLICIT_TLS_PORT = 465;

/** Errors of nodemailer by code; EENVELOPE and EMESSAGE are the server's refusal of a recipient or of the text. */
const FAILURES = {
  EAUTH: "smtp_login",
  ETLS: "smtp_tls",
  EENVELOPE: "smtp_refused",
  EMESSAGE: "smtp_refused",
  EPROTOCOL: "smtp_refused",
} as const;

const isKnownCode = (code: string): code is keyof typeof FAILURES => Object.hasOwn(FAILURES, code);

const CERTIFICATE_ERRORS = /certificate|self[- ]signed|altname|ERR_TLS|SSL routines/i;
const PERMANENT_FROM = 500;

/** @param error from nodemailer: `code` is its own, `responseCode` and `response` are the server's. */
function faultOf(error: unknown): DeliveryFault {
  const {
    code = "",
    responseCode = 0,
    response,
    message = String(error),
  } = error as {
    code?: string;
    responseCode?: number;
    response?: string;
    message?: string;
  };
  const detail = response ?? message;
  if (CERTIFICATE_ERRORS.test(`${code} ${message}`)) return new DeliveryFault("smtp_tls", detail, { cause: error });
  const kind = isKnownCode(code) ? FAILURES[code] : "smtp_unreachable";
  // 5xx for a recipient is permanent (RFC 5321, 4.2.1); the operator may fix a refused login or a missing STARTTLS within the day.
  const isFinal = kind === "smtp_refused" && responseCode >= PERMANENT_FROM;
  return new DeliveryFault(kind, detail, { isFinal, cause: error });
}

/** The library is loaded with the first mail: many sites send none. */
async function transportOf(settings: MailerSettings, options: MailOptions) {
  const { createTransport } = await import("nodemailer");
  const { SMTPServer: host, SMTPPort: port, SMTPAccount: user, SMTPToken: pass } = options;
  const isImplicit = options.SMTPSSLEnabled || port === IMPLICIT_TLS_PORT;
  const isLocal = (settings.isLoopback ?? isLoopbackHost)(host);
  return createTransport({
    host,
    port,
    secure: isImplicit,
    // Switched off, STARTTLS is still used where the server offers it.
    requireTLS: !isImplicit && !isLocal && options.SMTPStartTLSEnabled,
    // Traffic to a server on this machine never leaves it, and its certificate seldom names localhost.
    ignoreTLS: !isImplicit && isLocal,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
    // LOGIN also where the server does not offer it: some that take nothing else do not say so.
    ...(pass === "" ? {} : { auth: { user, pass, ...(options.SMTPForceAuthLogin ? { method: "LOGIN" } : {}) } }),
    tls: {
      rejectUnauthorized: !options.SMTPInsecureSkipVerify,
      ...(settings.certificates === undefined ? {} : { ca: settings.certificates }),
    },
  });
}

export interface Mailer {
  /** @param options in the place of the mailer's own. @returns the server's response. @throws DeliveryFault */
  send(to: string, mail: Mail, options?: MailOptions): Promise<string>;
}

/** A mailer that reads its options for each mail, so that a change applies from the next one on. */
export function createMailer(settings: MailerSettings): Mailer {
  return {
    async send(to, { subject, text, html }, options = settings.options()) {
      const from = options.SMTPFrom === "" ? options.SMTPAccount : options.SMTPFrom;
      if (options.SMTPServer === "" || !from.includes("@")) throw new DeliveryFault("smtp_not_configured", "");
      const transport = await transportOf(settings, options);
      try {
        const sender = { name: options.SystemName, address: from };
        // As an object: a text could contain several receivers.
        const sent = await transport.sendMail({ from: sender, to: { name: "", address: to }, subject, text, html });
        return sent.response;
      } catch (error) {
        throw faultOf(error);
      } finally {
        transport.close();
      }
    },
  };
}

/** True if an SMTP server and a sender address are set. */
export const isMailConfigured = (options: Pick<OptionValues, "SMTPServer" | "SMTPAccount" | "SMTPFrom">): boolean =>
  options.SMTPServer !== "" && (options.SMTPFrom || options.SMTPAccount).includes("@");
