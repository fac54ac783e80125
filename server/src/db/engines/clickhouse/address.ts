/** Addresses of ClickHouse in LOG_DATABASE_URL: the forms that its users write, taken apart once, so that neither name nor password is ever part of a requested URL. */

export interface ClickhouseAddress {
  /** Scheme, host and port of the HTTP interface. */
  origin: string;
  user: string;
  password: string;
  database: string;
}

const SCHEME = /^(?:clickhouse|https?):/;
/** Ports of the HTTP interface without and with TLS: clickhouse.com/docs/interfaces/http. */
const PORT = "8123";
const TLS_PORT = "8443";
/** Of a fresh installation: clickhouse.com/docs/operations/settings/settings-users and .../server-configuration-parameters. */
const DEFAULT = "default";

/** True where the address is ClickHouse's. */
export const isClickhouseUrl = (url: string): boolean => SCHEME.test(url);

/** `true` or `1` for TLS behind `clickhouse:`; absent for none. */
const isSecure = (text: string | null): boolean => text === "true" || text === "1";

/** For parameters that name no setting of this program: one that is left out unnoticed may be the one that asked for TLS. */
function refuseOthers(parameters: URLSearchParams): void {
  const other = [...parameters.keys()].find((name) => name !== "secure" && name !== "database");
  if (other !== undefined)
    throw new Error(`LOG_DATABASE_URL has the parameter ${other}; those of ClickHouse are secure and database`);
}

/**
 * Reads `clickhouse://user:password@host:8123/database`, with `?secure=true` for TLS, or the same with `http:` and `https:`. The database is
 * `default` where none is named, and so is the user. Throws an Error of one line, without the address, where it has other parameters.
 */
export function parseClickhouseUrl(url: string): ClickhouseAddress {
  const parsed = new URL(url);
  const { protocol, hostname, username, password, pathname, searchParams } = parsed;
  refuseOthers(searchParams);
  const isOwnScheme = protocol === "clickhouse:";
  const scheme = isOwnScheme ? (isSecure(searchParams.get("secure")) ? "https:" : "http:") : protocol;
  const usual = isOwnScheme ? (scheme === "https:" ? TLS_PORT : PORT) : "";
  const port = parsed.port === "" ? usual : parsed.port;
  const named = decodeURIComponent(pathname.replace(/^\/|\/$/g, ""));
  return {
    origin: `${scheme}//${hostname}${port === "" ? "" : `:${port}`}`,
    user: decodeURIComponent(username) || DEFAULT,
    password: decodeURIComponent(password),
    database: named || (searchParams.get("database") ?? DEFAULT),
  };
}
