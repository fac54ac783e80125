/** Where another gateway's database is: a file, a URL, or the DSN that stands in its compose file. */
import { realpathSync } from "node:fs";

interface Address {
  isEncrypted: boolean;
  /** The server's certificate has to be good: `verify-full` of PostgreSQL, `tls=true` of Go. */
  isVerified: boolean;
  /** Without user and password. */
  place: string;
}

export type SourceAddress = Address &
  (
    | { engine: "sqlite"; path: string }
    | { engine: "postgres" | "mysql"; host: string; port: number; user: string; password: string; database: string }
  );

const FORMS = "a file, postgres://user:password@host/name, or user:password@tcp(host:3306)/name";

const PORTS = { postgres: 5432, mysql: 3306 } as const;

interface ServerPlace {
  host: string;
  port?: string | undefined;
  user: string;
  password: string;
  database: string;
  /** `sslmode` or `tls`, as it is written. */
  encryption?: string | undefined;
}

const VERIFIED: ReadonlySet<string> = new Set(["verify-ca", "verify-full", "true"]);

const NOT_ENCRYPTED: ReadonlySet<string> = new Set(["", "disable", "false", "allow", "prefer", "preferred"]);

/** The address of a server. Throws an Error of one line, without the password. */
function onServer(engine: "postgres" | "mysql", server: ServerPlace): SourceAddress {
  const { host, user, password, database, encryption = "" } = server;
  const port = server.port === undefined || server.port === "" ? PORTS[engine] : Number(server.port);
  if (host === "" || database === "" || !Number.isInteger(port))
    throw new Error(`The address names no host, port or database. It is ${FORMS}`);
  const place = `${engine}://${host}:${port}/${database}`;
  const isEncrypted = !NOT_ENCRYPTED.has(encryption);
  return { engine, host, port, user, password, database, isEncrypted, isVerified: VERIFIED.has(encryption), place };
}

function fromUrl(text: string): SourceAddress {
  const url = URL.parse(text);
  if (url === null) throw new Error(`The address cannot be read. It is ${FORMS}`);
  const { hostname, port, searchParams } = url;
  const encryption = searchParams.get("sslmode") ?? searchParams.get("tls") ?? undefined;
  const [user, password, database] = [url.username, url.password, url.pathname.slice(1)].map(decodeURIComponent);
  return onServer(url.protocol.startsWith("postgres") ? "postgres" : "mysql", {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port,
    user: user ?? "",
    password: password ?? "",
    database: database ?? "",
    encryption,
  });
}

/** `user:password@tcp(host:port)/name?parameters`; the password may have any character. */
const GO_MYSQL = /^(?:(?<login>.*)@)?(?<net>tcp|unix)?(?:\((?<at>[^)]*)\))?\/(?<name>[^/?]*)(?:\?(?<parameters>.*))?$/s;

function fromGoMysql({ login = "", net = "tcp", at = "", name = "", parameters = "" }: Record<string, string>) {
  if (net === "unix") throw new Error("The address is a socket on its own machine: name the host by tcp(host:3306)");
  const colon = login.indexOf(":");
  const [, host = "127.0.0.1", port] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(at === "" ? "127.0.0.1" : at) ?? [];
  return onServer("mysql", {
    host,
    port,
    user: colon < 0 ? login : login.slice(0, colon),
    password: colon < 0 ? "" : login.slice(colon + 1),
    database: decodeURIComponent(name),
    encryption: new URLSearchParams(parameters).get("tls") ?? undefined,
  });
}

/** `host=... user=... password='...' dbname=...`, as libpq and Go's driver for PostgreSQL read it. */
const PAIR = /\s*([a-zA-Z_]+)\s*=\s*(?:'((?:\\.|[^'\\])*)'|(\S*))/gy;

function fromPairs(text: string): SourceAddress {
  const pairs = new Map(
    [...text.matchAll(PAIR)].map(([, name = "", quoted, plain = ""]) => [
      name.toLowerCase(),
      quoted?.replaceAll(/\\(.)/g, "$1") ?? plain,
    ]),
  );
  const of = (name: string): string => pairs.get(name) ?? "";
  return onServer("postgres", {
    host: of("host") || "127.0.0.1",
    port: pairs.get("port"),
    user: of("user"),
    password: of("password"),
    database: of("dbname"),
    encryption: pairs.get("sslmode"),
  });
}

function fromFile(text: string): SourceAddress {
  const path = text.replace(/^(?:sqlite3?:(?:\/\/)?|file:(?:\/\/)?)/, "").replace(/\?.*$/s, "");
  try {
    const found = realpathSync(path);
    return { engine: "sqlite", path: found, place: found, isEncrypted: false, isVerified: false };
  } catch (cause) {
    throw new Error(`There is no file ${path}. The address is ${FORMS}`, { cause });
  }
}

/**
 * Reads an address in any form that the other gateways take.
 * @throws an Error of one line, which never holds the password
 */
export function readAddress(text: string): SourceAddress {
  const address = text.trim();
  if (/^(?:postgres|postgresql|mysql|mariadb):\/\//.test(address)) return fromUrl(address);
  if (/^(?:clickhouse|tcp|https?):\/\//.test(address))
    throw new Error(`No such database is read. The address is ${FORMS}`);
  if (/^(?:\S+=\S*\s+)*(?:host|dbname)=/.test(address)) return fromPairs(address);
  const go = /@|^(?:tcp|unix)\(/.test(address) ? GO_MYSQL.exec(address)?.groups : undefined;
  return go === undefined ? fromFile(address) : fromGoMysql(go);
}
