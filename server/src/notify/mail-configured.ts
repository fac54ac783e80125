/** Whether this site can send mail, as far as its options tell. */
import type { OptionValues } from "../../../contract/src/options/options.ts";

/** A server to hand mail to, and an address that it comes from. */
export const isMailConfigured = (options: Pick<OptionValues, "SMTPServer" | "SMTPAccount" | "SMTPFrom">): boolean =>
  options.SMTPServer !== "" && (options.SMTPFrom || options.SMTPAccount).includes("@");
