/** In-memory stores of a relay for its tests: idempotency keys, tokens of upstreams, stored responses. */
import type {
  AccessTokens,
  BackgroundResponses,
  FoundBackground,
  IdempotencyStore,
  KeptEvents,
  KeyedCall,
  StoredCall,
  StoredResponse,
  StoredResponses,
} from "../../../server/src/relay/call/ports.ts";

/** Keys in memory, by the rules of the store in the database. */
export function memoryKeys(): IdempotencyStore {
  const keys = new Map<string, StoredCall>();
  const nameOf = ({ tokenId, keyHash }: KeyedCall): string => `${tokenId} ${keyHash}`;
  return {
    async claim(call) {
      const stored = keys.get(nameOf(call));
      if (stored !== undefined) return stored;
      const { requestId, bodyHash } = call;
      keys.set(nameOf(call), { requestId, bodyHash, isRunning: true, answer: undefined });
      return undefined;
    },
    async finish(call, answer) {
      const { requestId, bodyHash } = call;
      keys.set(nameOf(call), { requestId, bodyHash, isRunning: false, answer });
    },
    release: async (call) => void keys.delete(nameOf(call)),
  };
}

/** Tokens of one process, exchanged once for all who wait. */
export function memoryTokens(): AccessTokens {
  const tokens = new Map<string, Promise<string>>();
  return {
    get: (name, exchange) => tokens.getOrInsertComputed(name, () => exchange().then(({ token }) => token)),
    forget: async (name) => void tokens.delete(name),
  };
}

/** Stored responses in memory, by the rules of the store in the database. */
export function memoryResponses(): StoredResponses {
  const responses = new Map<string, StoredResponse>();
  return {
    async note(response) {
      if ((responses.get(response.id)?.userId ?? response.userId) === response.userId)
        responses.set(response.id, response);
    },
    find: async (id) => responses.get(id),
    remove: async ({ id }) => void responses.delete(id),
  };
}

/** Responses of the background in memory, by the rules of the store in the database; `maker` says whose process they are of. */
export function memoryBackground(maker: FoundBackground["maker"] = "this"): BackgroundResponses {
  const responses = new Map<string, FoundBackground>();
  const events = new Map<string, KeptEvents[]>();
  const asked = new Set<string>();
  return {
    begin: async (response) => void responses.set(response.id, { ...response, maker }),
    async change(id, change) {
      const response = responses.get(id);
      if (response !== undefined) responses.set(id, { ...response, ...change });
    },
    addEvents: async (id, kept) => void events.getOrInsertComputed(id, () => []).push(kept),
    async eventsAfter(id, sequence) {
      const kept = events.get(id)?.find(({ lastSequence }) => lastSequence > sequence);
      if (kept === undefined) return undefined;
      return { ...kept, frames: kept.frames.slice(sequence - kept.lastSequence) };
    },
    find: async (id) => responses.get(id),
    askToCancel: async (id) => void asked.add(id),
    askedToCancel: async () => [...asked],
    remove: async (id) => void responses.delete(id),
  };
}
