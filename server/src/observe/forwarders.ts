/** Detects peers that send forwarding headers without being trusted, usually a reverse proxy missing in TRUSTED_PROXIES. */
import ipaddr from "ipaddr.js";
import { type Clock, toSeconds } from "../util/clock.ts";
import { LruMap } from "../util/lru.ts";
import { limitedNetwork } from "./client-address.ts";

export interface UntrustedForwarder {
  /** The peer's address. */
  address: string;
  /** True for a private address or one of this machine, such as a reverse proxy has. */
  isPrivate: boolean;
  /** Unix seconds when it was last seen. */
  time: number;
}

export interface Forwarders {
  /** Records that `address` sent an untrusted forwarding header. */
  note(address: string): void;
}

const TELL_AGAIN_MS = 3_600_000;
/** Clients can forge the header too, from any number of networks. */
const MOST = 1_000;

/** True for addresses that no client on the internet has. */
export const isPrivateAddress = (ip: string): boolean =>
  ipaddr.isValid(ip) && !["unicast", "multicast", "broadcast", "reserved"].includes(ipaddr.process(ip).range());

/** `onSeen` is called once an hour at most for each network; `clock` returns Unix milliseconds. */
export function createForwarders(clock: Clock, onSeen: (seen: UntrustedForwarder) => void): Forwarders {
  /** When each network was last reported. */
  const known = new LruMap<string, number>(MOST);
  return {
    note(address) {
      const [key, now] = [limitedNetwork(address), clock()];
      const before = known.get(key);
      const isNew = before === undefined || now - before >= TELL_AGAIN_MS;
      known.set(key, isNew ? now : before);
      if (isNew) onSeen({ address, isPrivate: isPrivateAddress(address), time: toSeconds(now) });
    },
  };
}
