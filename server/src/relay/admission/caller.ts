/** Who makes a call, and from where: the phase that `authenticate` produces. */
import type { IncomingMessage } from "node:http";
import { createAddressReader } from "../../observe/client-address.ts";
import type { SnapshotToken } from "../../snapshot/snapshot.ts";
import { RelayError } from "../call/relay-error.ts";
import type { Payer } from "../metering/terms.ts";

export interface Caller extends Payer {
  /** Channel named in the key; 0 for none. */
  readonly pinnedChannelId: number;
}

/** The id that a call counts for: its token, or the user where there is none. */
export const callerId = ({ token, user }: Caller): number => token.id || -user.id;

/** The token's list of addresses holds for every path, the list of models and the billing pages too. Throws RelayError 403. */
export function checkAddress(token: SnapshotToken, address: string): void {
  if (token.isAddressAllowed !== undefined && !token.isAddressAllowed(address))
    throw new RelayError("address_not_allowed");
}

/** The token's list of models, which a channel named in the key goes before. Throws RelayError 403. */
export function checkModelLimits({ token, pinnedChannelId }: Caller, model: string): void {
  if (pinnedChannelId === 0 && token.modelLimits !== undefined && !token.modelLimits.has(model))
    throw new RelayError("model_not_allowed", {
      message: `This API key may not use the model ${model}.`,
      param: "model",
    });
}

/** The peer's address; behind a trusted proxy what it says. What an untrusted peer claims is ignored. */
export function createClientAddress(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const addresses = createAddressReader(trustedProxies);
  return ({ socket, headers }) => {
    const forwarded = headers["x-forwarded-for"];
    return addresses.client(socket.remoteAddress ?? "", forwarded === undefined ? undefined : String(forwarded));
  };
}
