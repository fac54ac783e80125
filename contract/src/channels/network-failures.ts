/** Meanings of the operating system's and TLS's error codes of a failed connection, as far as the console has texts for them. */

/** Codes by their meaning; each meaning is a sentence `failures.network.<meaning>` of the console's texts, with the code beside it. */
const MEANINGS = {
  refused: ["ECONNREFUSED"],
  name_unknown: ["ENOTFOUND", "ENODATA"],
  name_service: ["EAI_AGAIN", "EAI_FAIL", "ESERVFAIL"],
  timed_out: ["ETIMEDOUT", "ESOCKETTIMEDOUT"],
  broken: ["ECONNRESET", "ECONNABORTED", "EPIPE"],
  unreachable: ["EHOSTUNREACH", "ENETUNREACH", "ENETDOWN", "EHOSTDOWN", "EADDRNOTAVAIL"],
  certificate_expired: ["CERT_HAS_EXPIRED"],
  certificate_early: ["CERT_NOT_YET_VALID"],
  certificate_name: ["ERR_TLS_CERT_ALTNAME_INVALID"],
  certificate_self_signed: ["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN"],
  certificate_issuer: [
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "UNABLE_TO_GET_ISSUER_CERT",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "CERT_UNTRUSTED",
  ],
  certificate_revoked: ["CERT_REVOKED"],
  no_tls: ["EPROTO", "ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG"],
} as const;

export type NetworkMeaning = keyof typeof MEANINGS;

/** All meanings, for which there are sentences in each language. */
export const NETWORK_MEANINGS = Object.keys(MEANINGS) as NetworkMeaning[];

const BY_CODE: ReadonlyMap<string, NetworkMeaning> = new Map(
  NETWORK_MEANINGS.flatMap((meaning) => MEANINGS[meaning].map((code) => [code, meaning] as const)),
);

/** What `code` means; undefined where there are no words for it. */
export const networkMeaning = (code: string): NetworkMeaning | undefined => BY_CODE.get(code);
