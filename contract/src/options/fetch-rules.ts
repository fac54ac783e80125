/** Which addresses this site fetches pictures and files from: hosts and ports by the operator's lists (options `fetch_setting.*`). Pure; used by the catalogue and by the server's fetching. */
import { z } from "zod";
import { isAddressOrRange, isEmailDomain } from "../address.ts";
import { because } from "./reasons.ts";

const HOSTS_MAX = 1000;
const PORTS_MAX = 100;

/** A host as URLs write it: in small letters, IPv6 in brackets, without the dot of a full name. */
const hostText = (entry: string): string => {
  const bare = entry.trim().toLowerCase().replace(/\.$/, "");
  return bare.includes(":") && !bare.startsWith("[") ? `[${bare}]` : bare;
};

function isHost(entry: string): boolean {
  if (isEmailDomain(entry.replace(/^\*\./, ""))) return true;
  const address = entry.replace(/^\[|\]$/g, "");
  return !address.includes("/") && isAddressOrRange(address);
}

/** Hosts: `example.com` alone, `*.example.com` for all below it, or one IP address. */
export const fetchHostsSchema = z
  .array(
    z
      .string({ error: because("text") })
      .transform(hostText)
      .refine(isHost, because("fetch_host")),
    {
      error: because("list"),
    },
  )
  .max(HOSTS_MAX, because("many_entries"));

const RANGE = /^(\d{1,5})(?:-(\d{1,5}))?$/;

const isPortRange = (entry: string): boolean => {
  const [, from = "", to = from] = RANGE.exec(entry) ?? [];
  return Number(from) >= 1 && Number(to) <= 65_535 && Number(from) <= Number(to);
};

/** Ports and ranges of ports: `443`, `8000-9000`. */
export const fetchPortsSchema = z
  .array(
    z
      .union([z.string(), z.number()], { error: because("text") })
      .transform((entry) => String(entry).trim())
      .refine(isPortRange, because("port_range")),
    { error: because("list") },
  )
  .max(PORTS_MAX, because("many_entries"));

/** The lists in force. */
export interface FetchRules {
  /** True: only listed hosts are fetched from. False: listed ones are not. */
  onlyListed: boolean;
  hosts: readonly string[];
  /** Empty for every port. */
  ports: readonly string[];
}

interface FetchOptions {
  readonly "fetch_setting.domain_filter_mode": boolean;
  readonly "fetch_setting.domain_list": readonly string[];
  readonly "fetch_setting.allowed_ports": readonly string[];
}

const matches = (host: string, entry: string): boolean =>
  entry.startsWith("*.") ? host.endsWith(entry.slice(1)) : host === entry;

const hasPort = (port: number, entry: string): boolean => {
  const [from = "", to = from] = entry.split("-");
  return port >= Number(from) && port <= Number(to);
};

/** Whether the lists let this address be fetched; which addresses are never reached whatever they say is the address policy's matter. */
export function isFetchAllowed({ protocol, hostname, port }: URL, { onlyListed, hosts, ports }: FetchRules): boolean {
  const host = hostText(hostname);
  const number = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
  if (ports.length > 0 && !ports.some((entry) => hasPort(number, entry))) return false;
  return hosts.some((entry) => matches(host, entry)) === onlyListed;
}

/** The same by the options in force. */
export const fetchFilterOf =
  (options: FetchOptions) =>
  (url: URL): boolean =>
    isFetchAllowed(url, {
      onlyListed: options["fetch_setting.domain_filter_mode"],
      hosts: options["fetch_setting.domain_list"],
      ports: options["fetch_setting.allowed_ports"],
    });
