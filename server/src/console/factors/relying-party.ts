/** The address that passkeys are bound to: that of the option ServerAddress, else the one at which the browser itself has this page. */
import { isIP } from "node:net";
import { AppError } from "../../../../contract/src/errors.ts";
import type { ConsoleContext, RequestFacts } from "../http/handlers.ts";

export interface RelyingParty {
  /** Host name without port. */
  id: string;
  /** Scheme, host and port. */
  origin: string;
  /** As people read it. */
  name: string;
}

/**
 * The page's own origin, where it is the host that was called. A caller may claim any host here: so it counts only for a key that is
 * made, or that was made before origins were kept. A browser shows a passkey only to the host it was made for, whatever the port.
 */
function ownOrigin({ origin, host }: RequestFacts): string {
  const page = URL.parse(origin);
  return page !== null && page.host === host.toLowerCase() ? page.origin : "";
}

/**
 * @param keyOrigin the origin at which a key was made; "" where that is to be found out.
 * @throws AppError passkey_place where the site is opened by a bare IP address, for which browsers have no passkeys, or from nowhere.
 */
export function relyingParty(
  { snapshot }: Pick<ConsoleContext, "snapshot">,
  request: RequestFacts,
  keyOrigin = "",
): RelyingParty {
  const { ServerAddress, SystemName } = snapshot.options;
  const place = URL.parse(ServerAddress || keyOrigin || ownOrigin(request));
  if (place === null || place.hostname === "" || isIP(place.hostname.replaceAll(/[[\]]/g, "")) !== 0)
    throw new AppError("passkey_place");
  return { id: place.hostname, origin: place.origin, name: SystemName };
}
