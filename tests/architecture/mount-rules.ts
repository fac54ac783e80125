/** Checks that every endpoint of the contract is mounted with its access rule, and nothing is mounted that the contract does not list. */
import type { Breach } from "./tree.ts";

/** What both the contract and the mount loop say about an endpoint. */
export interface Mounted {
  method: string;
  path: string;
  access: string;
}

const isEndpoint = (value: unknown): value is Mounted =>
  typeof value === "object" && value !== null && "method" in value && "path" in value && "access" in value;

/** The endpoints a contract module exports: by themselves, or in a record or list one level down. */
export function endpointsOf(module: Readonly<Record<string, unknown>>): Mounted[] {
  return Object.values(module).flatMap((value) => {
    if (isEndpoint(value)) return [value];
    return typeof value === "object" && value !== null ? Object.values(value).filter(isEndpoint) : [];
  });
}

const nameOf = (endpoint: Mounted): string => `${endpoint.method} ${endpoint.path}`;

/** Compares by method and path; an endpoint that several modules export counts once. */
export function checkMounts(contract: readonly Mounted[], mounted: readonly Mounted[]): Breach[] {
  const byName = new Map(mounted.map((endpoint) => [nameOf(endpoint), endpoint]));
  const listed = new Map(contract.map((endpoint) => [nameOf(endpoint), endpoint]));
  const missing = [...listed].flatMap(([path, endpoint]) => {
    const found = byName.get(path);
    if (found === undefined) return [{ path, rule: "mounts", message: "is in the contract but not mounted" }];
    if (found.access === endpoint.access) return [];
    return [{ path, rule: "mounts", message: `is mounted for ${found.access}, the contract says ${endpoint.access}` }];
  });
  const extra = [...byName.keys()]
    .filter((path) => !listed.has(path))
    .map((path) => ({ path, rule: "mounts", message: "is mounted but not in the contract" }));
  return [...missing, ...extra];
}
